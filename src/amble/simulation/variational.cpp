#include "amble/simulation/variational.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"

namespace amble {

namespace {

double checked_step(double step) {
  if (step > 0.0 && std::isfinite(step)) return step;
  throw Error(fmt::format("a step of {} s is asked for: expected more than 0", step));
}

const Mechanism& moving_under_forces(const Flow& flow) {
  flow.check_forces();
  return *flow.mechanism();
}

}  // namespace

VariationalIntegrator::VariationalIntegrator(const Mechanism& m, double step, Drive drive)
    : step_(m, std::move(drive)), h_(checked_step(step)) {}

void VariationalIntegrator::set_state(double t, const VectorRef& q, const VectorRef& v) {
  step_.set_state(t, q, v);
  set_ = true;
}

void VariationalIntegrator::step() {
  if (!set_) throw Error("the integrator has no state yet: set_state() comes first");
  step_.take(h_);
}

void VariationalIntegrator::run(long steps) {
  for (long i = 0; i < steps; ++i) step();
}

// ---- along a flow

VariationalFlowIntegrator::VariationalFlowIntegrator(Flow& flow, const IntegratorOptions& options)
    : Integrator(flow, options),
      x_middle_(flow.size()),
      x_end_(flow.size()),
      rates_(flow.size()),
      v_start_(nv_),
      d_(nv_),
      tau_(nv_),
      end_slope_(nv_),
      interpolated_(nv_),
      step_(moving_under_forces(flow),
            [this](double t, const OwnedVector& q, const OwnedVector& v, OwnedVector& tau) {
              x_middle_.head(nv_) = v;
              find_forces(t, q, x_middle_, tau);
            }) {}

/// With the time of what elements refuse.
void VariationalFlowIntegrator::find_forces(double t, const OwnedVector& q, const OwnedVector& x, OwnedVector& tau) {
  try {
    flow_.forces(t, q.data(), x.data(), tau.data(), rates_.data());
  } catch (const Error& refused) {
    throw Error(fmt::format("a step at {} s fails: {}", t_, refused.what()));
  }
}

/// The flow's own numbers at the midpoint, by their rates here; v there comes with the solution.
void VariationalFlowIntegrator::predict_middle(double h) {
  x_middle_ = x_;
  const int own = flow_.active() - nv_;
  if (own == 0) return;
  ++report_.evaluations;
  find_forces(t_, q_, x_, tau_);
  x_middle_.segment(nv_, own) += 0.5 * h * rates_.segment(nv_, own);
}

void VariationalFlowIntegrator::take(double end, bool exactly) {
  const double h = exactly ? end - t_ : fixed_step(end), t = h == end - t_ ? end : t_ + h;
  const long before = step_.evaluations();
  v_start_ = x_.head(nv_);
  if (step_.t() != t_ || step_.q() != q_ || step_.v() != v_start_) step_.set_state(t_, q_, v_start_);
  predict_middle(h);
  step_.take(h);
  report_.evaluations += step_.evaluations() - before;
  x_end_ = x_ + h * rates_;
  x_end_.head(nv_) = step_.v(), d_ = step_.d();
  if (!x_end_.allFinite()) give_up(h, not_finite(d_, x_end_));
  accept(t, step_.q(), x_end_);
}

void VariationalFlowIntegrator::interpolate_inside(double t, OwnedVector& q, OwnedVector& x) const {
  const double h = t_ - t_start_, s = (t - t_start_) / h, r = 1.0 - s;
  x = x_start_ + s * (x_end_ - x_start_), q = q_start_;
  if (nv_ == 0) return;
  mechanism_->local_rates_unchecked(q_start_.data(), d_.data(), x_end_.data(), end_slope_.data());
  interpolated_ = s * s * (3.0 - 2.0 * s) * d_ + h * s * r * (r * v_start_ - s * end_slope_);
  mechanism_->integrate_unchecked(q_start_.data(), interpolated_.data(), q.data());
}

}  // namespace amble
