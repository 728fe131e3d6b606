#include "amble/optimize/qp_dual_method.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amble::detail {

namespace {

/// Rates smaller than this, beside the largest, are rounding.
constexpr double kNoRate = 1e-12;
/// How much larger than the bounds a feasible x would have to be for a proof of infeasibility to be believed.
constexpr double kFar = 1e6;
/// Bounds that contradict each other by less than this part of their size are taken to agree.
constexpr double kAgree = 1e-9;

}  // namespace

DualMethod::DualMethod(ScaledProgram& program, Subspace& subspace, ActiveSet& active)
    : proof(program.constraints()),
      program_(program),
      subspace_(subspace),
      active_(active),
      step_(program.n),
      slope_(program.n),
      values_(program.constraints()),
      equality_values_(program.n),
      y_(program.n),
      rest_(program.n),
      known_(program.n),
      passed_over_(program.constraints()) {}

/// From x onto the equalities and the active set. `slope_` is then the gradient on the equalities.
void DualMethod::start(const double* gradient, double* x) {
  const auto& pivots = subspace_.pivots();
  std::fill_n(static_cast<double*>(equality_values_), dense::padded(subspace_.rank()), 0.0);
  for (int i = 0; i < subspace_.rank(); ++i)
    equality_values_[i] = program_.lower[pivots[i]] - program_.value(pivots[i], x);
  subspace_.particular(equality_values_, step_);
  program_.kernels.multiply(program_.H, step_, program_.width, slope_);
  for (int j = 0; j < program_.n; ++j) slope_[j] += gradient[j], x[j] += step_[j];
  drop_pulling(x);
}

/// Large multipliers of equalities would leave their rounding in all that is found along J, though A J = 0.
void DualMethod::balance_equalities() {
  subspace_.multipliers(slope_, y_);
  for (int i = 0; i < subspace_.rank(); ++i) program_.add_gradient(subspace_.pivots()[i], y_[i], slope_);
}

/// The least on the active set, which loses those whose multipliers have the wrong sign, one at a time.
/// Multipliers are found as changes from those there were: what rounding spoils in one run, the next repairs.
void DualMethod::drop_pulling(double* x) {
  double size = 1.0;
  for (int j = 0; j < program_.n; ++j) size = std::max(size, std::abs(slope_[j]));
  std::copy_n(x, program_.width, static_cast<double*>(rest_));
  for (int i = 0; i < active_.count(); ++i) {
    known_[i] = active_.multipliers[i];
    program_.add_gradient(active_.constraint(i), known_[i], slope_);
  }
  balance_equalities();
  for (int worst = 0; worst >= 0;) {
    for (int i = 0; i < active_.count(); ++i)
      values_[i] = active_.bound(i) - program_.value(active_.constraint(i), rest_);
    std::copy_n(static_cast<double*>(rest_), program_.width, x);
    active_.settle(values_, slope_, x);
    worst = -1;
    double least = -1e-14 * size;
    for (int i = 0; i < active_.count(); ++i) {
      const double pull = active_.side(i) * (active_.multipliers[i] += known_[i]);
      if (pull < least) least = pull, worst = i;
    }
    if (worst < 0) continue;
    program_.add_gradient(active_.constraint(worst), -known_[worst], slope_);
    std::copy(known_ + worst + 1, known_ + active_.count(), known_ + worst);
    active_.drop(worst);
    ++iterations;
  }
  for (int i = 0; i < active_.count(); ++i)
    if (active_.side(i) * active_.multipliers[i] < 0.0) active_.multipliers[i] = 0.0;
}

DualMethod::Violation DualMethod::worst_violation(const double* x, double tolerance) {
  const int first = program_.equalities;
  program_.kernels.multiply(static_cast<dense::Rows>(program_.G).from(first), x, program_.width,
                            values_ + first);
  Violation worst;
  double most = 0.0;
  for (int k = first; k < program_.constraints(); ++k) {
    const double value = k < program_.m ? values_[k] : x[k - program_.m];
    const double below = program_.lower[k] - value, above = value - program_.upper[k];
    const double amount = std::max(below, above);
    if (!(amount > most)) continue;
    if (active_.contains(k) || passed_over_[k] || program_.is_equality(k)) continue;
    const double bound = above > below ? program_.upper[k] : program_.lower[k];
    if (amount <= tolerance * std::max(program_.unit(k), std::abs(bound))) continue;
    if (amount <= rounding(k, x)) continue;
    most = amount;
    worst = {k, above > below ? 1 : -1, above > below ? above : -below};
  }
  return worst;
}

/// What may be wrong with the value of constraint k.
double DualMethod::rounding(int k, const double* x) {
  constexpr double kRounding = 8.0 * std::numeric_limits<double>::epsilon();
  if (k >= program_.m) return kRounding * std::abs(x[k - program_.m]);
  double sum = 0.0;
  for (int j = 0; j < program_.n; ++j) sum += std::abs(program_.G[k][j] * x[j]);
  return kRounding * sum;
}

/// How far the multiplier of the constraint last looked at can grow (to `side`) before another one vanishes.
DualMethod::Block DualMethod::first_block(int side) {
  const double* r = active_.rates();
  double size = 0.0;
  for (int i = 0; i < active_.count(); ++i) size = std::max(size, std::abs(r[i]));
  Block block;
  for (int i = 0; i < active_.count(); ++i) {
    const double fall = side * active_.side(i) * r[i];
    if (fall <= kNoRate * size) continue;
    const double step = std::max(0.0, active_.side(i) * active_.multipliers[i]) / fall;
    if (step < block.step) block = {step, i};
  }
  return block;
}

/// Optimal, now with this constraint too; or no x can meet it together with the active ones.
DualMethod::Outcome DualMethod::take_in(const Violation& violation, int limit, double* x) {
  const auto [k, side, amount] = violation;
  double multiplier = 0.0, left = std::abs(amount);
  active_.look_at(k);
  for (;;) {
    const bool independent = active_.is_independent();
    const Block block = first_block(side);
    const double full = independent ? left / active_.new_part() : kInfinity;
    if (!independent && block.index < 0) {
      if (proves_infeasible(k, side)) return Outcome::infeasible;
      passed_over_[k] = 1, uncertain = true;
      return Outcome::optimal;
    }
    const double t = std::min(full, block.step);
    for (int i = 0; i < active_.count(); ++i) active_.multipliers[i] -= side * t * active_.rates()[i];
    multiplier += side * t;
    if (independent) active_.move(-side * t, x), left -= t * active_.new_part();
    ++iterations;
    if (full <= block.step) break;
    active_.drop(block.index);
    if (iterations >= limit) return Outcome::iteration_limit;
  }
  active_.multipliers[active_.count()] = multiplier;
  active_.add(k, side);
  return Outcome::optimal;
}

/// Farkas: constraint k is a sum of active ones that all push the other way, and of equalities.
bool DualMethod::proves_infeasible(int k, int side) {
  std::fill_n(static_cast<double*>(proof), program_.constraints(), 0.0);
  std::fill_n(static_cast<double*>(rest_), program_.width, 0.0);
  const auto put = [&](int constraint, double y) {
    proof[constraint] = y;
    program_.add_gradient(constraint, y, rest_);
  };
  put(k, side);
  for (int i = 0; i < active_.count(); ++i) {
    const double y = -side * active_.rates()[i];
    if (y * active_.side(i) > 0.0) put(active_.constraint(i), y);
  }
  subspace_.multipliers(rest_, y_);
  for (int i = 0; i < subspace_.rank(); ++i) put(subspace_.pivots()[i], y_[i]);

  double value = 0.0, weight = 0.0, rest = 0.0, size = 1.0;
  for (int c = 0; c < program_.constraints(); ++c) {
    if (proof[c] == 0.0) continue;
    const double bound = proof[c] > 0.0 ? program_.upper[c] : program_.lower[c];
    value += proof[c] * bound, size = std::max(size, std::abs(bound));
    weight += std::abs(proof[c]) * std::max(program_.unit(c), std::abs(bound));
  }
  for (int j = 0; j < program_.n; ++j) rest += std::abs(rest_[j]);
  return -value > kAgree * weight && -value >= kFar * rest * size;
}

/// Equalities that follow from others must have the values that follow.
bool DualMethod::redundant_rows_agree() {
  for (const int k : subspace_.redundant()) {
    subspace_.combination(k, y_);
    double off = -program_.lower[k], size = std::max(program_.unit(k), std::abs(program_.lower[k]));
    for (int i = 0; i < subspace_.rank(); ++i) {
      const double term = y_[i] * program_.lower[subspace_.pivots()[i]];
      off += term, size = std::max(size, std::abs(term));
    }
    if (std::abs(off) <= kAgree * size) continue;
    const double sign = off > 0.0 ? 1.0 : -1.0;
    std::fill_n(static_cast<double*>(proof), program_.constraints(), 0.0);
    proof[k] = sign;
    for (int i = 0; i < subspace_.rank(); ++i) proof[subspace_.pivots()[i]] = -sign * y_[i];
    return false;
  }
  return true;
}

DualMethod::Outcome DualMethod::run(const double* gradient, double tolerance, int limit, double* x) {
  uncertain = false;
  std::fill(passed_over_.begin(), passed_over_.end(), 0);
  start(gradient, x);
  if (!redundant_rows_agree()) return Outcome::infeasible;
  const int patience = 4 * program_.constraints() + 20, begin = iterations;
  for (;;) {
    const double looser = std::pow(10.0, (iterations - begin) / patience);
    const Violation violation = worst_violation(x, tolerance * looser);
    if (violation.constraint < 0) return Outcome::optimal;
    if (iterations >= limit) return Outcome::iteration_limit;
    const Outcome outcome = take_in(violation, limit, x);
    if (outcome != Outcome::optimal) return outcome;
  }
}

}  // namespace amble::detail
