#include "amble/gait/phase_flow.hpp"

namespace amble {

namespace {

using RowMap = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using ConstRowMap = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

constexpr double kRounding = 1e-9;  // of feet that start on the floor (m)

}  // namespace

PhaseFlow::PhaseFlow(StepPhase& phase, const Extras& extras)
    : phase_(phase),
      extras_(extras),
      n_(2 * phase.freedoms()),
      books_(n_ * (1 + extras.columns)),
      failures_(phase.failures()),
      laws_(static_cast<int>(phase.laws().size())),
      da_(static_cast<std::size_t>(n_ / 2 * n_)),
      values_(static_cast<std::size_t>(failures_)) {}

void PhaseFlow::rates(double t, const double*, const double* x, double*, double* xdot) {
  const int m = n_ / 2;
  phase_.set_clock(t);
  std::copy(x + m, x + n_, xdot);
  phase_.acceleration(x, xdot + m, extras_.columns > 0 ? da_.data() : nullptr);
  if (extras_.columns > 0) {
    const ConstRowMap X(x + n_, n_, extras_.columns), da(da_.data(), m, n_);
    RowMap rates(xdot + n_, n_, extras_.columns);
    rates.topRows(m) = X.bottomRows(m);
    rates.bottomRows(m).noalias() = da * X;
  }
  if (extras_.books) {
    const StepPhase::Powers powers = phase_.powers(x);
    xdot[books_] = powers.gravity, xdot[books_ + 1] = powers.springs, xdot[books_ + 2] = powers.dampers;
    phase_.law_powers(x, xdot + books_ + 3);
  }
}

void PhaseFlow::guard_values(double t, const double*, const double* x, double* values) {
  phase_.set_clock(t);
  values[0] = phase_.guard(x, nullptr);
  phase_.failure_values(x, values + 1);
}

std::string PhaseFlow::guard_name(int guard) const {
  return guard == 0 ? "end of " + phase_.name() : phase_.failure_name(guard - 1);
}

bool PhaseFlow::happen(double, std::span<const signed char> crossed, double*, double* x) {
  if (crossed[0] < 0 && phase_.counts(x)) ended_ = true;
  for (int i = 0; i < failures_; ++i)
    if (!ended_ && failure_ < 0 && crossed[1 + i] < 0) failure_ = i;
  return false;
}

void PhaseFlow::look_for_failure(const double* x) {
  phase_.failure_values(x, values_.data());
  for (int i = 0; i < failures_ && failure_ < 0; ++i)
    if (values_[i] < -kRounding) failure_ = i;
}

}  // namespace amble
