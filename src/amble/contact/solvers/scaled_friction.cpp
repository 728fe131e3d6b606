#include "amble/contact/solvers/scaled_friction.hpp"

#include <algorithm>
#include <cmath>

#include "amble/contact/solvers/local_contact.hpp"

namespace amble {

namespace {

double length(double x, double y) { return std::sqrt(x * x + y * y); }

// Two numbers at once, at any address: what every 64-bit processor has.
typedef double Two __attribute__((vector_size(16)));
typedef double TwoAnywhere __attribute__((vector_size(16), aligned(8), may_alias));
inline Two load(const double* x) { return *reinterpret_cast<const TwoAnywhere*>(x); }

/// out += the products of three columns with three others over `size` numbers.
inline void add_products(const double* x, int x_next, const double* z, int z_next, int size, double* out,
                         int stride) {
  Two sum[3][3] = {};
  double rest[3][3] = {};
  int k = 0;
  for (; k + 2 <= size; k += 2) {
    const Two z0 = load(z + k), z1 = load(z + z_next + k), z2 = load(z + 2 * z_next + k);
    for (int i = 0; i < 3; ++i) {
      const Two xi = load(x + i * x_next + k);
      sum[i][0] += xi * z0, sum[i][1] += xi * z1, sum[i][2] += xi * z2;
    }
  }
  if (k < size)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) rest[i][j] = x[i * x_next + k] * z[j * z_next + k];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out[i * stride + j] += sum[i][j][0] + sum[i][j][1] + rest[i][j];
}

}  // namespace

void ScaledFriction::reserve(int dimension, int blocks, int rows) {
  blocks_.reserve(std::max(blocks, rows));  // see Block::index
  segments_.reserve(static_cast<std::size_t>(std::max(blocks, rows)) * 8);
  numbers_.reserve(static_cast<std::size_t>(rows) * dimension);
  for (auto* list : {&b_, &compliance_, &own_compliance_, &f_, &u_}) list->reserve(rows);
  y_.reserve(dimension);
  local_.reserve(static_cast<std::size_t>(rows) * 9);
}

void ScaledFriction::load(const FrictionProblem& p, std::span<const double> guess) {
  dimension_ = p.dimension();
  prepared_ = false;
  softness_ = 0.0;
  friction_ = true;
  blocks_.clear(), numbers_.clear(), segments_.clear();
  for (auto* list : {&b_, &compliance_, &own_compliance_, &f_, &u_}) list->resize(p.rows());
  y_.resize(dimension_);
  double largest = p.least_speed();
  bool sound = true;
  for (int i = 0; i < p.blocks(); ++i)
    for (int first = 0; first < p.block(i).rows; first += 3) {
      const double free = load(p, i, first, std::min(3, p.block(i).rows - first), guess);
      sound = sound && free >= 0.0;
      largest = std::max(largest, free);
    }
  if (!sound) p.check();
  scale_ = largest > 0.0 ? largest : 1.0;
}

/// Some rows of a block. Returns their largest free velocity, -1 when a number is not as it should be.
double ScaledFriction::load(const FrictionProblem& p, int i, int first, int rows,
                            std::span<const double> guess) {
  const FrictionBlock& from = p.block(i);
  const int row = from.row + first, count = rows * from.width;
  const double* number = p.numbers(i) + first * from.width;
  double squares = 0.0, largest = 0.0;
  for (int k = 0; k < count; ++k) squares += number[k] * number[k];
  for (int r = row; r < row + rows; ++r) squares += p.compliance(r);
  const double g = squares > 0.0 ? squares / rows : 1.0, root = std::sqrt(g), inverse = 1.0 / root;
  bool sound = std::isfinite(squares) && squares >= 0.0;
  blocks_.push_back({from.kind, i, row, rows, from.width, static_cast<int>(numbers_.size()),
                     static_cast<int>(segments_.size()), from.segments, from.coefficient,
                     from.coefficient * root, root, from.coefficient});
  numbers_.resize(numbers_.size() + count);
  double* to = numbers_.data() + numbers_.size() - count;
  for (int k = 0; k < count; ++k) to[k] = number[k] * inverse;
  for (const Support& s : p.segments(from)) segments_.push_back(s);
  for (int r = row; r < row + rows; ++r) {
    const bool pushed = from.kind == FrictionKind::bilateral || (r == row && from.kind != FrictionKind::box);
    const double free = p.w(r) + (pushed ? p.offset(r) : 0.0), start = guess.empty() ? 0.0 : guess[r] * root;
    largest = std::max(largest, std::abs(free));
    sound = sound && std::isfinite(free) && p.compliance(r) >= 0.0;
    b_[r] = free * inverse;
    compliance_[r] = own_compliance_[r] = p.compliance(r) / g;
    f_[r] = std::isfinite(start) ? start : 0.0;
  }
  return sound ? largest : -1.0;
}

void ScaledFriction::push(const Block& b, const double* change, double* y) const {
  const double* number = numbers_.data() + b.first_number;
  const Support* const segment = segments_.data() + b.first_segment;
  if (b.rows == 3) {
    const double *n0 = number, *n1 = n0 + b.width, *n2 = n1 + b.width;
    const double c0 = change[0], c1 = change[1], c2 = change[2];
    for (int s = 0; s < b.segments; ++s) {
      double* const at = y + segment[s].begin;
      const int size = segment[s].size();
      for (int k = 0; k < size; ++k) at[k] += n0[k] * c0 + n1[k] * c1 + n2[k] * c2;
      n0 += size, n1 += size, n2 += size;
    }
    return;
  }
  for (int r = 0; r < b.rows; ++r)
    for (int s = 0; s < b.segments; ++s)
      for (int k = segment[s].begin; k < segment[s].end; ++k) y[k] += *number++ * change[r];
}

void ScaledFriction::velocities(const Block& b, const double* y, double* u) const {
  const double* number = numbers_.data() + b.first_number;
  const Support* const segment = segments_.data() + b.first_segment;
  if (b.rows == 3) {
    const double *n0 = number, *n1 = n0 + b.width, *n2 = n1 + b.width;
    double s0 = 0.0, s1 = 0.0, s2 = 0.0;
    for (int s = 0; s < b.segments; ++s) {
      const double* const at = y + segment[s].begin;
      const int size = segment[s].size();
      for (int k = 0; k < size; ++k) s0 += n0[k] * at[k], s1 += n1[k] * at[k], s2 += n2[k] * at[k];
      n0 += size, n1 += size, n2 += size;
    }
    u[0] = s0, u[1] = s1, u[2] = s2;
    return;
  }
  for (int r = 0; r < b.rows; ++r) {
    double sum = 0.0;
    for (int s = 0; s < b.segments; ++s)
      for (int k = segment[s].begin; k < segment[s].end; ++k) sum += *number++ * y[k];
    u[r] = sum;
  }
}

void ScaledFriction::look(const Block& b) {
  double* const u = u_.data() + b.row;
  const double *start = b_.data() + b.row, *c = compliance_.data() + b.row, *f = f_.data() + b.row;
  velocities(b, y_.data(), u);
  for (int r = 0; r < b.rows; ++r) u[r] = u[r] + start[r] + c[r] * f[r];
}

void ScaledFriction::add_square(const Block& b, const double* W, double* out, std::ptrdiff_t stride) const {
  const double* const number = numbers_.data() + b.first_number;
  const Support *const first = segments_.data() + b.first_segment, *const last = first + b.segments;
  int i = 0;
  for (const Support* s = first; s < last; ++s)
    for (int row = s->begin; row < s->end; ++row, ++i) {
      double share[3] = {};  // row i of Y_b W
      for (int r = 0; r < b.rows; ++r)
        for (int k = 0; k < b.rows; ++k) share[k] += number[r * b.width + i] * W[r * b.rows + k];
      const double* from = number;
      for (const Support* t = first; t < last; ++t) {
        double* const to = out + row * stride + t->begin;
        const int size = t->size();
        if (b.rows == 3)
          for (int k = 0; k < size; ++k)
            to[k] += share[0] * from[k] + share[1] * from[b.width + k] + share[2] * from[2 * b.width + k];
        else
          for (int r = 0; r < b.rows; ++r)
            for (int k = 0; k < size; ++k) to[k] += share[r] * from[r * b.width + k];
        from += size;
      }
    }
}

double ScaledFriction::refresh() {
  std::fill(y_.begin(), y_.end(), 0.0);
  for (const Block& b : blocks_) {
    const double* f = f_.data() + b.row;
    bool any = false;
    for (int r = 0; r < b.rows; ++r) any = any || f[r] != 0.0;
    if (any) push(b, f);
  }
  for (const Block& b : blocks_) look(b);
  return natural();
}

double ScaledFriction::merit() const {
  double sum = 0.0;
  for (const Block& b : blocks_) {
    const double residual = natural(b) / b.root;
    sum += residual * residual;
  }
  return sum;
}

double ScaledFriction::push() const {
  double sum = 0.0;
  for (const double y : y_) sum += y * y;
  return std::sqrt(sum);
}

double ScaledFriction::natural() const {
  double worst = 0.0;
  for (const Block& b : blocks_) worst = std::max(worst, natural(b));
  return worst;
}

double ScaledFriction::natural(const Block& b) const {
  const double *f = f_.data() + b.row, *u = u_.data() + b.row;
  switch (b.kind) {
    case FrictionKind::contact: {
      const double n = std::min(f[0], u[0]), radius = b.mu * std::max(0.0, f[0]);
      const double z1 = f[1] - u[1], z2 = f[2] - u[2], z = length(z1, z2),
                   share = z > radius ? radius / z : 1.0;
      const double t1 = f[1] - share * z1, t2 = f[2] - share * z2;
      return b.root * std::sqrt(n * n + t1 * t1 + t2 * t2);
    }
    case FrictionKind::box:
      return b.root * std::abs(f[0] - std::clamp(f[0] - u[0], -b.bound, b.bound));
    case FrictionKind::unilateral:
      return b.root * std::abs(std::min(f[0], u[0]));
    case FrictionKind::bilateral:
      break;
  }
  double worst = 0.0;
  for (int r = 0; r < b.rows; ++r) worst = std::max(worst, std::abs(u[r]));
  return b.root * worst;
}

void ScaledFriction::gram(const Block& a, const Block& b, double* out, int stride) const {
  const Support *s = segments_.data() + a.first_segment, *t = segments_.data() + b.first_segment;
  const Support *const s_end = s + a.segments, *const t_end = t + b.segments;
  const double *x = numbers_.data() + a.first_number, *z = numbers_.data() + b.first_number;
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < b.rows; ++j) out[i * stride + j] = 0.0;
  while (s < s_end && t < t_end) {
    const int begin = std::max(s->begin, t->begin), end = std::min(s->end, t->end), size = end - begin;
    const double *x0 = x + (begin - s->begin), *z0 = z + (begin - t->begin);
    if (size > 0 && a.rows == 3 && b.rows == 3) {
      add_products(x0, a.width, z0, b.width, size, out, stride);
    } else if (size > 0) {
      for (int i = 0; i < a.rows; ++i)
        for (int j = 0; j < b.rows; ++j) {
          const double *p = x0 + i * a.width, *q = z0 + j * b.width;
          double sum = 0.0;
          for (int k = 0; k < size; ++k) sum += p[k] * q[k];
          out[i * stride + j] += sum;
        }
    }
    if (s->end <= t->end)
      x += s->size(), ++s;
    else
      z += t->size(), ++t;
  }
}

void ScaledFriction::prepare_sweeps() {
  if (prepared_) return;
  local_.resize(static_cast<std::size_t>(rows()) * 3);
  for (const Block& b : blocks_) {
    double* local = local_.data() + 3 * b.row;
    if (b.kind == FrictionKind::contact) {
      gram(b, b, local, 3);
      for (int r = 0; r < 3; ++r) local[4 * r] += compliance_[b.row + r];
    } else {
      for (int r = 0; r < b.rows; ++r) {
        double sum = compliance_[b.row + r];
        const double* number = numbers_.data() + b.first_number + r * b.width;
        for (int k = 0; k < b.width; ++k) sum += number[k] * number[k];
        local[3 * r] = sum;
      }
    }
  }
  prepared_ = true;
}

void ScaledFriction::sweep(double relaxation) {
  prepare_sweeps();
  for (int i = 0; i < size(); ++i) {
    const Block& b = blocks_[i];
    if (b.kind == FrictionKind::contact)
      relax_contact(i, relaxation);
    else
      for (int r = 0; r < b.rows; ++r) relax_row(b, r, relaxation);
  }
}

void ScaledFriction::relax_contact(int i, double relaxation) {
  const Block& b = blocks_[i];
  const double* G = local_.data() + 3 * b.row;
  double *f = f_.data() + b.row, *u = u_.data() + b.row;
  look(b);
  double q[3], next[3], change[3];
  for (int r = 0; r < 3; ++r) q[r] = u[r] - (G[3 * r] * f[0] + G[3 * r + 1] * f[1] + G[3 * r + 2] * f[2]);
  solve_local_contact(G, q, b.mu, next);
  if (relaxation != 1.0) {  // further, and back into the cone
    for (int r = 0; r < 3; ++r) next[r] = f[r] + relaxation * (next[r] - f[r]);
    next[0] = std::max(next[0], 0.0);
    const double t = length(next[1], next[2]), radius = b.mu * next[0];
    if (t > radius) next[1] *= radius / t, next[2] *= radius / t;
  }
  bool any = false;
  for (int r = 0; r < 3; ++r) {
    change[r] = next[r] - f[r];
    f[r] = next[r];
    any = any || change[r] != 0.0;
  }
  if (any) push(b, change);
}

void ScaledFriction::relax_row(const Block& b, int r, double relaxation) {
  const double g = local_[3 * (b.row + r)];
  double& f = f_[b.row + r];
  const double* number = numbers_.data() + b.first_number + r * b.width;
  const Support* const segment = segments_.data() + b.first_segment;
  double u = b_[b.row + r] + compliance_[b.row + r] * f;
  const double* at = number;
  for (int s = 0; s < b.segments; ++s)
    for (int k = segment[s].begin; k < segment[s].end; ++k) u += *at++ * y_[k];
  if (!(g > 0.0)) return;
  double next = f - relaxation * u / g;
  if (b.kind == FrictionKind::unilateral) next = std::max(0.0, next);
  if (b.kind == FrictionKind::box) next = std::clamp(next, -b.bound, b.bound);
  const double change = next - f;
  f = next;
  at = number;
  for (int s = 0; s < b.segments; ++s)
    for (int k = segment[s].begin; k < segment[s].end; ++k) y_[k] += *at++ * change;
}

void ScaledFriction::soften(double compliance) {
  for (int r = 0; r < rows(); ++r) compliance_[r] = own_compliance_[r] + compliance;
  softness_ = compliance;
  prepared_ = false;
}

void ScaledFriction::set_friction(bool on) {
  for (Block& b : blocks_) b.mu = on ? b.coefficient : 0.0, b.bound = b.mu * b.root;
  friction_ = on;
}

void ScaledFriction::unload(double* forces) const {
  for (const Block& b : blocks_)
    for (int r = b.row; r < b.row + b.rows; ++r) forces[r] = f_[r] / b.root;
}

void reserve_solution(FrictionSolution& solution, int dimension, int rows) {
  solution.forces.reserve(rows), solution.velocities.reserve(rows);
  if (solution.y.size() != dimension) solution.y = OwnedVector(dimension);
}

void conclude(const FrictionProblem& problem, const ScaledFriction& scaled, double tolerance, int iterations,
              FrictionSolution& solution) {
  reserve_solution(solution, problem.dimension(), problem.rows());
  solution.forces.resize(problem.rows()), solution.velocities.resize(problem.rows());
  scaled.unload(solution.forces.data());
  solution.certificate = certify(problem, solution.forces, solution.velocities,
                                 {solution.y.data(), static_cast<std::size_t>(problem.dimension())});
  solution.iterations = iterations;
  // The certificate is computed on its own: rounding may put it a hair above what the solver saw.
  solution.status = solution.certificate.residual <= 1.001 * tolerance ? FrictionStatus::solved
                                                                       : FrictionStatus::not_reached;
}

}  // namespace amble
