#include "amble/simulation/semi_implicit.hpp"

#include "amble/base/error.hpp"

namespace amble {

SemiImplicitIntegrator::SemiImplicitIntegrator(Flow& flow, const IntegratorOptions& options)
    : Integrator(flow, options),
      active_(flow.active()),
      q_end_(q_.size()),
      x_end_(flow.size()),
      rates_(flow.size()),
      end_rates_(flow.size()),
      v_end_(nv_),
      v_(nv_),
      d_(nv_),
      other_rates_(flow.size()) {
  flow.check_rates();
}

void SemiImplicitIntegrator::evaluate(double t, const double* q, const double* x, OwnedVector& rates) {
  ++report_.evaluations;
  flow_.rates(t, q, x, v_end_.data(), rates.data());
}

void SemiImplicitIntegrator::find_start_rates() {
  if (end_rates_known_)
    rates_ = end_rates_;
  else if (!start_rates_known_)
    evaluate(t_, q_.data(), x_.data(), rates_);
  start_rates_known_ = true, end_rates_known_ = false;
}

void SemiImplicitIntegrator::move(double t, double h, const OwnedVector& q, const OwnedVector& x, OwnedVector& q1,
                                  OwnedVector& x1) const {
  x1 = x + h * rates_, q1 = q;
  if (mechanism_ == nullptr) return;
  if (flow_.second_order())
    v_ = x1.head(nv_);
  else
    flow_.rates(t, q.data(), x1.data(), v_.data(), other_rates_.data());
  d_ = h * v_;
  if (d_.allFinite()) mechanism_->integrate_unchecked(q.data(), d_.data(), q1.data());
}

void SemiImplicitIntegrator::take(double end, bool exactly) {
  const double h = exactly ? end - t_ : fixed_step(end), t = h == end - t_ ? end : t_ + h;
  const auto integrals = [&](const auto& numbers) { return numbers.tail(numbers.size() - active_); };
  try {
    find_start_rates();
    move(t_, h, q_, x_, q_end_, x_end_);
    if (!d_.allFinite() || !x_end_.allFinite()) throw Error(not_finite(d_, x_end_));
    evaluate(t, q_end_.data(), x_end_.data(), end_rates_);
  } catch (const Error& refused) {
    give_up(h, refused.what());
  }
  x_end_.tail(x_end_.size() - active_) += 0.5 * h * (integrals(end_rates_) - integrals(rates_));
  accept(t, q_end_, x_end_);
  end_rates_known_ = true;
}

void SemiImplicitIntegrator::interpolate_inside(double t, OwnedVector& q, OwnedVector& x) const {
  const double h = t_ - t_start_, s = (t - t_start_) / h;
  move(t_start_, s * h, q_start_, x_start_, q, x);
  const Eigen::Index integrals = x.size() - active_;
  x.tail(integrals) += 0.5 * s * s * h * (end_rates_ - rates_).tail(integrals);
}

}  // namespace amble
