#include <algorithm>
#include <cmath>
#include <limits>

#include "amble/optimize/row_factor.hpp"

namespace amble {

namespace {

/// Violations below this part of the tolerance are not worth a step.
constexpr double kCare = 0.05;
/// Rates smaller than this, beside the largest, are rounding.
constexpr double kNoRate = 1e-11;
/// A proof of infeasibility must speak of all x up to this many times the size of the present one, or of one where that
/// is smaller, number by number.
constexpr double kFar = 1e1;
/// Bounds that contradict each other by less than this part of their size are taken to agree.
constexpr double kAgree = 1e-8;
constexpr int kRefinements = 6;

}  // namespace

class RowSolver::Memory {
 public:
  Memory(int variables, int capacity, const RowSettings& s)
      : settings(s),
        factor_(variables, capacity),
        x_(variables),
        values_(capacity),
        rest_(variables),
        sum_(variables),
        row_of_name_(capacity) {
    result.x = OwnedVector(variables), result.multipliers = OwnedVector(capacity + variables);
    known_.reserve(variables + capacity);
  }

  const RowResult& solve(RowProgram& program, bool warm);

  RowSettings settings;
  RowResult result;

 private:
  enum class Outcome { optimal, infeasible, iteration_limit, unsure };
  struct Violation {
    int constraint = -1, side = 0;
    double amount = 0.0;
  };
  struct Kept {
    int name;  // rows by name, bounds by -1 - variable
    int side;
    double multiplier;
  };

  bool is_valid(const RowProgram& p) const;
  void keep();
  void begin(bool warm);
  void settle();
  int worst_pull() const;
  bool drop_pulling();
  Outcome run();
  Violation worst_violation();
  Outcome take_in(const Violation& violation);
  int first_block(int side, double& step) const;
  bool proves_infeasible(int k, int side);
  double value(int k) { return k < program_->rows() ? values_[k] : result.x[k - program_->rows()]; }
  void find_values();
  void certify();
  QpStatus finish(Outcome outcome);

  RowProgram* program_ = nullptr;
  int variables_ = 0;
  detail::RowFactor factor_;
  dense::Line x_, values_, rest_, sum_;
  std::vector<int> row_of_name_;
  std::vector<Kept> known_;
};

bool RowSolver::Memory::is_valid(const RowProgram& p) const {
  double check = 0.0;
  for (int j = 0; j < p.variables(); ++j) {
    if (!(p.d[j] > 0.0) || !(p.x_lower[j] <= p.x_upper[j])) return false;
    check += 0.0 * p.g[j] + 0.0 * p.d[j];
  }
  for (int k = 0; k < p.rows(); ++k)
    if (!(p.lower[k] <= p.upper[k]) || !(p.softness[k] >= 0.0)) return false;
  return check == 0.0;
}

const RowResult& RowSolver::Memory::solve(RowProgram& program, bool warm) {
  program_ = &program;
  result.iterations = 0, result.active = 0;
  if (!warm) known_.clear();
  if (program.variables() != variables_) {  // bounds of variables lose their names, x its meaning
    std::erase_if(known_, [](const Kept& known) { return known.name < 0; });
    result.x.setZero();
    variables_ = program.variables();
  }
  if (!is_valid(program)) {
    known_.clear(), result.x.setZero(), result.multipliers.setZero();
    result.status = QpStatus::invalid;
    return result;
  }
  begin(warm);
  result.status = finish(run());
  keep();
  return result;
}

/// The rows that push are remembered by their names.
void RowSolver::Memory::keep() {
  known_.clear();
  if (result.status == QpStatus::invalid) return;
  for (int i = 0; i < factor_.count(); ++i) {
    const int k = factor_.constraint(i), r = program_->rows();
    known_.push_back({k < r ? program_->name(k) : r - 1 - k, factor_.side(i), factor_.multiplier(i)});
  }
}

/// Wishes and equations take part always; then those that pushed the last time.
void RowSolver::Memory::begin(bool warm) {
  RowProgram& p = *program_;
  factor_.start(p);
  if (!warm || !result.x.allFinite()) result.x.setZero();
  factor_.set_x(result.x.data());
  std::fill(row_of_name_.begin(), row_of_name_.end(), -1);
  for (int k = 0; k < p.rows(); ++k) row_of_name_[p.name(k)] = k;
  for (int k = 0; k < p.constraints(); ++k)
    if (p.lower_of(k) == p.upper_of(k)) factor_.list(k, 0);
  for (const Kept& known : known_) {
    const int k = known.name < 0 ? p.rows() - 1 - known.name : row_of_name_[known.name];
    if (k < 0) continue;
    if (p.lower_of(k) == p.upper_of(k)) {
      factor_.set_multiplier(k, known.multiplier);
      continue;
    }
    if (known.side == 0 || !std::isfinite(known.side > 0 ? p.upper_of(k) : p.lower_of(k))) continue;
    factor_.list(k, known.side);
    factor_.set_multiplier(k, known.multiplier);
  }
  factor_.factor();
}

void RowSolver::Memory::find_values() {
  RowProgram& p = *program_;
  factor_.put_x(x_);
  std::copy_n(static_cast<double*>(x_), p.variables(), result.x.data());
  std::fill(x_ + p.variables(), x_ + p.width(), 0.0);
  factor_.kernels().multiply(p.matrix(), x_, p.width(), values_);
}

void RowSolver::Memory::settle() {
  constexpr double kEnough = 1e-11;  // what is left of that after a step is rounding
  double last = kInfinity;
  for (int i = 0; i < kRefinements; ++i) {
    const double off = factor_.refine();
    if (off < kEnough || off > 0.5 * last) return;
    last = off;
  }
}

/// The one that pulls most, or -1.
int RowSolver::Memory::worst_pull() const {
  double size = 0.0;
  for (int i = 0; i < factor_.count(); ++i) size = std::max(size, std::abs(factor_.multiplier(i)));
  int worst = -1;
  double least = -1e-13 * size;
  for (int i = 0; i < factor_.count(); ++i) {
    const double push = factor_.side(i) * factor_.multiplier(i);
    if (factor_.side(i) != 0 && push < least) least = push, worst = i;
  }
  return worst;
}

/// Those that would pull leave, the worst first. False when the limit is reached.
bool RowSolver::Memory::drop_pulling() {
  for (;;) {
    factor_.refine();  // near enough to see who pulls
    const int worst = worst_pull();
    if (worst < 0) return true;
    if (++result.iterations > settings.iterations) return false;
    factor_.drop(worst);
  }
}

/// All that pulls leaves and all that is violated joins, one after another; what rounding has spoilt on the way is mended
/// at the end, and where that shows that someone pulls or is violated after all, it begins again.
RowSolver::Memory::Outcome RowSolver::Memory::run() {
  for (int rounds = 0; rounds < 2 + settings.iterations; ++rounds) {
    const int before = result.iterations;
    if (!drop_pulling()) return Outcome::iteration_limit;
    for (Violation v = worst_violation(); v.constraint >= 0; v = worst_violation()) {
      if (result.iterations >= settings.iterations) return Outcome::iteration_limit;
      const Outcome outcome = take_in(v);
      if (outcome != Outcome::optimal) return outcome;
    }
    settle();
    if (worst_pull() >= 0) continue;
    certify();
    if (result.certificate.residual() <= settings.tolerance || result.iterations == before) return Outcome::optimal;
  }
  return Outcome::iteration_limit;
}

RowSolver::Memory::Violation RowSolver::Memory::worst_violation() {
  RowProgram& p = *program_;
  find_values();
  Violation worst;
  double most = 0.0;
  for (int k = 0; k < p.constraints(); ++k) {
    const double v = value(k), low = p.lower_of(k), high = p.upper_of(k);
    const double amount = std::max(low - v, v - high);
    if (!(amount > most) || factor_.takes_part(k) || low == high) continue;
    const double bound = v > high ? high : low;
    if (amount <= kCare * settings.tolerance * std::max(1.0, std::abs(bound))) continue;
    most = amount;
    worst = {k, v > high ? 1 : -1, amount};
  }
  return worst;
}

/// How far the multiplier of the row looked at can grow before that of another vanishes.
int RowSolver::Memory::first_block(int side, double& step) const {
  double size = 0.0;
  for (int i = 0; i < factor_.count(); ++i) size = std::max(size, std::abs(factor_.rate(i)));
  int block = -1;
  step = kInfinity;
  for (int i = 0; i < factor_.count(); ++i) {
    const double fall = side * factor_.side(i) * factor_.rate(i);
    if (factor_.side(i) == 0 || fall <= kNoRate * size) continue;
    const double t = std::max(0.0, factor_.side(i) * factor_.multiplier(i)) / fall;
    if (t < step) step = t, block = i;
  }
  return block;
}

RowSolver::Memory::Outcome RowSolver::Memory::take_in(const Violation& violation) {
  const auto [k, side, amount] = violation;
  double multiplier = 0.0, left = amount;
  for (;;) {
    factor_.look_at(k);
    double step;
    const int block = first_block(side, step);
    const bool independent = factor_.is_independent();
    if (!independent && block < 0) return proves_infeasible(k, side) ? Outcome::infeasible : Outcome::unsure;
    const double full = independent ? left / factor_.new_part() : kInfinity, t = std::min(full, step);
    factor_.move(side * t);
    multiplier += side * t;
    left -= t * factor_.new_part();
    ++result.iterations;
    if (full <= step) break;
    factor_.drop(block);
    if (result.iterations >= settings.iterations) return Outcome::iteration_limit;
  }
  factor_.add(k, side, multiplier);
  return Outcome::optimal;
}

/// Farkas: row k is a sum of rows that all push the other way, so that sum x <= value < 0 for every feasible x, where `sum`
/// is what rounding leaves of zero: none is as small as |value| / |sum|. Soft rows have no part in it.
bool RowSolver::Memory::proves_infeasible(int k, int side) {
  RowProgram& p = *program_;
  result.multipliers.setZero();
  std::fill_n(static_cast<double*>(sum_), p.width(), 0.0);
  double value = 0.0, weight = 0.0, rest = 0.0;
  const auto put = [&](int c, double y) {
    const double bound = y > 0.0 ? p.upper_of(c) : p.lower_of(c);
    result.multipliers[c] = y;
    value += y * bound, weight += std::abs(y) * std::max(1.0, std::abs(bound));
    if (c < p.rows())
      factor_.kernels().add_rows({p.row(c), 0, 1}, &y, p.width(), sum_);
    else
      sum_[c - p.rows()] += y;
  };
  put(k, side);
  for (int i = 0; i < factor_.count(); ++i) {
    const int c = factor_.constraint(i);
    const double y = -side * factor_.rate(i);
    if (y == 0.0 || (factor_.side(i) != 0 && y * factor_.side(i) <= 0.0)) continue;
    if (p.softness_of(c) == 0.0) put(c, y);
  }
  for (int j = 0; j < p.variables(); ++j) rest += std::abs(sum_[j]) * std::max(1.0, std::abs(result.x[j]));
  return -value > kAgree * weight && -value > kFar * rest && p.softness_of(k) == 0.0;
}

/// From the program's numbers alone, as ::certify() does for a dense one.
void RowSolver::Memory::certify() {
  RowProgram& p = *program_;
  QpCertificate c;
  find_values();
  result.active = 0;
  result.multipliers.setZero();
  std::fill_n(static_cast<double*>(rest_), p.width(), 0.0);
  double curvature = 0.0, gx = 0.0, support = 0.0, scale = 1.0;
  for (int j = 0; j < p.variables(); ++j) {
    const double Hx = p.d[j] * result.x[j];
    rest_[j] = Hx;
    curvature += Hx * result.x[j], gx += p.g[j] * result.x[j];
  }
  const auto add = [&](int k, double y) {
    if (k < p.rows())
      factor_.kernels().add_rows({p.row(k), 0, 1}, &y, p.width(), rest_);
    else
      rest_[k - p.rows()] += y;
  };
  for (int i = 0; i < factor_.count(); ++i) {  // wishes are curvature
    const int k = factor_.constraint(i);
    if (p.softness_of(k) == 0.0) continue;
    const double bound = factor_.side(i) < 0 ? p.lower_of(k) : p.upper_of(k);
    const double y = (value(k) - bound) / p.softness_of(k);
    result.multipliers[k] = y, add(k, y), curvature += y * value(k);
  }
  for (int j = 0; j < p.variables(); ++j) {
    scale = std::max({scale, std::abs(p.g[j]), std::abs(rest_[j])});
    rest_[j] += p.g[j];
  }
  for (int i = 0; i < factor_.count(); ++i) {
    const int k = factor_.constraint(i);
    const double y = factor_.multiplier(i);
    if (p.softness_of(k) > 0.0) continue;
    const double bound = y > 0.0 ? p.upper_of(k) : p.lower_of(k);
    result.multipliers[k] = y, add(k, y), result.active += factor_.side(i) != 0;
    if (y != 0.0) c.gap += std::abs(y * (value(k) - bound)), support += y * bound;
  }
  for (int j = 0; j < p.variables(); ++j) c.dual = std::max(c.dual, std::abs(rest_[j]));
  for (int k = 0; k < p.constraints(); ++k) {
    const double off = std::max(p.lower_of(k) - value(k), value(k) - p.upper_of(k));
    if (!std::isfinite(value(k))) c.scaled_primal = kInfinity;
    if (!(off > 0.0) || p.softness_of(k) > 0.0) continue;
    c.primal = std::max(c.primal, off);
    const double bound = value(k) > p.upper_of(k) ? p.upper_of(k) : p.lower_of(k);
    c.scaled_primal = std::max(c.scaled_primal, off / std::max(1.0, std::abs(bound)));
  }
  c.scaled_dual = c.dual / scale;
  c.scaled_gap = c.gap / std::max({1.0, std::abs(gx), std::abs(curvature), std::abs(support)});
  if (!result.x.allFinite()) c.scaled_primal = kInfinity;
  result.certificate = c;
}

QpStatus RowSolver::Memory::finish(Outcome outcome) {
  if (outcome == Outcome::infeasible) {
    result.certificate = {}, result.certificate.scaled_primal = kInfinity;
    return QpStatus::infeasible;
  }
  if (outcome != Outcome::optimal) certify();
  if (outcome == Outcome::iteration_limit) return QpStatus::iteration_limit;
  if (outcome == Outcome::unsure) return QpStatus::inaccurate;
  return result.certificate.residual() <= settings.tolerance ? QpStatus::solved : QpStatus::inaccurate;
}

RowSolver::RowSolver(int variables, int capacity, const RowSettings& settings) {
  settings.validate();
  memory_ = std::make_unique<Memory>(variables, capacity, settings);
}
RowSolver::~RowSolver() = default;
RowSolver::RowSolver(RowSolver&&) noexcept = default;
RowSolver& RowSolver::operator=(RowSolver&&) noexcept = default;

const RowResult& RowSolver::solve(RowProgram& program, bool warm) { return memory_->solve(program, warm); }
const RowResult& RowSolver::result() const { return memory_->result; }

}  // namespace amble
