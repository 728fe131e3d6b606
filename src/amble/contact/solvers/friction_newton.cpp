#include "amble/contact/solvers/friction_newton.hpp"

#include <algorithm>
#include <cmath>

namespace amble {

namespace {

// The proximal term, against ones on the diagonal: rounding leaves about 1e-16 / kProximal of redundant forces
// undetermined, and what is stiffer than kProximal is solved in one or two passes.
constexpr double kProximal = 1e-9;
constexpr int kPasses = 5;

}  // namespace

FrictionNewton::FrictionNewton(const FrictionOptions& options) : options_(options) { options.validate(); }

void FrictionNewton::reserve(int dimension, int blocks, int rows) {
  scaled_.reserve(dimension, blocks, rows);
  reserve_solution(solution_, dimension, rows);
  linear_.reserve(rows);
  active_.reserve(blocks);
  G_.reserve(static_cast<std::size_t>(rows) * rows);
  known_.reserve(static_cast<std::size_t>(blocks) * blocks);
  for (auto* list : {&right_, &best_, &before_}) list->reserve(rows);
}

const FrictionSolution& FrictionNewton::solve(const FrictionProblem& problem, std::span<const double> guess) {
  scaled_.load(problem, guess);
  const int n = scaled_.rows();
  G_.resize(static_cast<std::size_t>(n) * n);
  known_.assign(static_cast<std::size_t>(scaled_.size()) * scaled_.size(), 0);
  for (auto* list : {&right_, &best_, &before_}) list->resize(n);
  solves_ = 0;
  natural_ = scaled_.refresh();
  best_natural_ = HUGE_VAL;
  settle();
  conclude(problem, scaled_, options_.tolerance, solves_, solution_);
  return solution_;
}

/// Newton from where we are; then from where sweeps lead, more of them each time.
void FrictionNewton::settle() {
  if (iterate(20)) return;
  for (const int sweeps : {10, 50, 250, 1000}) {
    restore_best();
    for (int i = 0; i < sweeps; ++i) scaled_.sweep(1.0);
    natural_ = scaled_.refresh();
    if (iterate(30)) return;
  }
  restore_best();
}

bool FrictionNewton::iterate(int steps) {
  int stalled = 0;
  for (int k = 0; k < steps; ++k) {
    keep_best(natural_);
    if (natural_ <= target()) return true;
    std::copy(scaled_.f(), scaled_.f() + scaled_.rows(), before_.begin());
    const double natural = natural_;
    if (!step()) return false;
    if (natural_ < natural) continue;
    if (++stalled > 6) break;
    keep_best(natural_);
    // Too far: go back some of the way, unless that helps nothing.
    std::copy(scaled_.f(), scaled_.f() + scaled_.rows(), right_.begin());
    double share = 1.0;
    while (natural_ >= natural && share > 0.1) {
      share *= 0.5;
      for (int r = 0; r < scaled_.rows(); ++r) scaled_.f()[r] = before_[r] + share * (right_[r] - before_[r]);
      natural_ = scaled_.refresh();
    }
    if (natural_ >= natural) {
      std::copy(right_.begin(), right_.end(), scaled_.f());
      natural_ = scaled_.refresh();
    }
  }
  keep_best(natural_);
  return natural_ <= target();
}

bool FrictionNewton::step() {
  choose_modes();
  form_matrix();
  return solve_linear();
}

void FrictionNewton::choose_modes() {
  active_.clear();
  bool moved = false;
  int unknown = 0;
  const auto set = [&](double& f, double value) {
    moved = moved || f != value;
    f = value;
  };
  for (int i = 0; i < scaled_.size(); ++i) {
    const ScaledFriction::Block& b = scaled_.block(i);
    double *f = scaled_.f() + b.row, *u = scaled_.u() + b.row;
    Active a{i, unknown, b.rows, Mode::stick, {1.0, 0.0}, 0.0};
    const double z = f[0] - u[0];
    if (b.kind == FrictionKind::box && std::abs(z) > b.bound) {
      set(f[0], std::copysign(b.bound, z));
      continue;
    }
    if ((b.kind == FrictionKind::contact || b.kind == FrictionKind::unilateral) && z <= 0.0) {
      for (int r = 0; r < b.rows; ++r) set(f[r], 0.0);
      continue;
    }
    if (b.kind == FrictionKind::contact) {
      const double z1 = f[1] - u[1], z2 = f[2] - u[2], length = std::sqrt(z1 * z1 + z2 * z2), radius = b.mu * z;
      if (length > radius || b.mu == 0.0) {
        a.mode = Mode::slide;
        a.unknowns = b.mu > 0.0 ? 2 : 1;
        a.d[0] = length > 0.0 ? z1 / length : 1.0, a.d[1] = length > 0.0 ? z2 / length : 0.0;
        const double kappa = std::max(radius / length, 1e-12), along = b.mu * f[0];
        const double across = b.mu > 0.0 ? a.d[0] * f[2] - a.d[1] * f[1] : 0.0;
        a.compliance = (1.0 - kappa) / kappa;
        set(f[1], along * a.d[0] - across * a.d[1]);
        set(f[2], along * a.d[1] + across * a.d[0]);
      }
    }
    unknown += a.unknowns;
    active_.push_back(a);
  }
  linear_.start(unknown);
  if (moved) scaled_.refresh();
}

const double* FrictionNewton::gram(int i, int j) {
  const int n = scaled_.rows();
  const ScaledFriction::Block &a = scaled_.block(i), &b = scaled_.block(j);
  double* const at = G_.data() + static_cast<std::ptrdiff_t>(a.row) * n + b.row;
  char& known = known_[static_cast<std::size_t>(i) * scaled_.size() + j];
  if (known) return at;
  known = 1;
  scaled_.gram(a, b, at, n);
  if (i == j)
    for (int r = 0; r < a.rows; ++r) at[r * n + r] += scaled_.compliance()[a.row + r];
  return at;
}

void FrictionNewton::form_matrix() {
  const int n = scaled_.rows();
  bool symmetric = true;
  for (const Active& a : active_) symmetric = symmetric && (a.mode == Mode::stick || a.unknowns == 1);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const Active& a = active_[i];
    for (std::size_t j = symmetric ? i : 0; j < active_.size(); ++j) {
      const Active& c = active_[j];
      const bool upper = a.block <= c.block;
      const double* G = upper ? gram(a.block, c.block) : gram(c.block, a.block);
      const int down = upper ? n : 1, right = upper ? 1 : n;
      if (a.mode == Mode::stick && c.mode == Mode::stick) {
        for (int r = 0; r < a.unknowns; ++r)
          for (int s = 0; s < c.unknowns; ++s) linear_.row(a.unknown + r)[c.unknown + s] = G[r * down + s * right];
        continue;
      }
      const double mu = scaled_.block(c.block).mu;
      const auto column = [&](int r, int s) {  // row r of G against unknown s of c
        const double* at = G + r * down;
        if (c.mode == Mode::stick) return at[s * right];
        if (s == 0) return at[0] + (c.unknowns > 1 ? mu * (c.d[0] * at[right] + c.d[1] * at[2 * right]) : 0.0);
        return c.d[0] * at[2 * right] - c.d[1] * at[right];
      };
      for (int s = 0; s < c.unknowns; ++s)
        for (int r = 0; r < a.unknowns; ++r)
          linear_.row(a.unknown + r)[c.unknown + s] = a.mode == Mode::slide && r == 1
                                                          ? a.d[0] * column(2, s) - a.d[1] * column(1, s)
                                                          : column(r, s);
    }
    for (int r = 0; r < a.unknowns; ++r) linear_.row(a.unknown + r)[a.unknown + r] += kProximal;
    if (a.mode == Mode::slide && a.unknowns == 2) linear_.row(a.unknown + 1)[a.unknown + 1] += a.compliance;
  }
  symmetric_ = symmetric;
}

bool FrictionNewton::solve_linear() {
  if (!linear_.factor(symmetric_)) return false;
  ++solves_;
  for (int pass = 0; pass < kPasses; ++pass) {
    double worst = 0.0;
    for (const Active& a : active_) {
      const ScaledFriction::Block& b = scaled_.block(a.block);
      const double *f = scaled_.f() + b.row, *u = scaled_.u() + b.row;
      double* right = right_.data() + a.unknown;
      if (a.mode == Mode::slide) {
        right[0] = -u[0];
        if (a.unknowns == 2)
          right[1] = -(a.d[0] * u[2] - a.d[1] * u[1]) - a.compliance * (a.d[0] * f[2] - a.d[1] * f[1]);
      } else {
        for (int r = 0; r < a.unknowns; ++r) right[r] = -u[r];
      }
      for (int r = 0; r < a.unknowns; ++r) worst = std::max(worst, b.root * std::abs(right[r]));
    }
    if (!(worst > 0.1 * target())) break;
    linear_.solve(right_.data());
    for (const Active& a : active_) {
      const ScaledFriction::Block& b = scaled_.block(a.block);
      double* f = scaled_.f() + b.row;
      const double* x = right_.data() + a.unknown;
      if (a.mode == Mode::slide) {
        f[0] += x[0];
        if (a.unknowns == 2) {
          const double along = b.mu * x[0];
          f[1] += along * a.d[0] - x[1] * a.d[1];
          f[2] += along * a.d[1] + x[1] * a.d[0];
        }
      } else {
        for (int r = 0; r < a.unknowns; ++r) f[r] += x[r];
      }
    }
    natural_ = scaled_.refresh();
    if (!std::isfinite(natural_)) return false;
    if (natural_ <= target()) break;
  }
  return true;
}

void FrictionNewton::keep_best(double natural) {
  if (!(natural < best_natural_)) return;
  best_natural_ = natural;
  std::copy(scaled_.f(), scaled_.f() + scaled_.rows(), best_.begin());
}

void FrictionNewton::restore_best() {
  std::copy(best_.begin(), best_.end(), scaled_.f());
  natural_ = scaled_.refresh();
}

}  // namespace amble
