#include "amble/simulation/rkmk4.hpp"

#include "amble/base/error.hpp"

namespace amble {

FixedMuntheKaasIntegrator::FixedMuntheKaasIntegrator(Flow& flow, const IntegratorOptions& options)
    : Integrator(flow, options),
      q_stage_(q_.size()),
      x_stage_(flow.size()),
      d_(nv_),
      v_(nv_),
      d_rates_(nv_, kStages),
      x_rates_(flow.size(), kStages),
      interpolated_(nv_) {
  flow.check_rates();
}

/// At d_ and x_stage_.
void FixedMuntheKaasIntegrator::evaluate(int stage, double t) {
  ++report_.evaluations;
  if (mechanism_ != nullptr) mechanism_->integrate_unchecked(q_.data(), d_.data(), q_stage_.data());
  flow_.rates(t, q_stage_.data(), x_stage_.data(), v_.data(), x_rates_.col(stage).data());
  if (mechanism_ != nullptr)
    mechanism_->local_rates_unchecked(q_.data(), d_.data(), v_.data(), d_rates_.col(stage).data());
}

void FixedMuntheKaasIntegrator::take(double end, bool exactly) {
  constexpr double kNode[kStages] = {0.0, 0.5, 0.5, 1.0};
  const double h = exactly ? end - t_ : fixed_step(end);
  try {
    for (int s = 0; s < kStages; ++s) {
      const int before = s > 0 ? s - 1 : 0;
      d_ = h * kNode[s] * d_rates_.col(before), x_stage_ = x_ + h * kNode[s] * x_rates_.col(before);
      if (s == 0) d_.setZero(), x_stage_ = x_;
      evaluate(s, t_ + kNode[s] * h);
    }
  } catch (const Error& refused) {
    give_up(h, refused.what());
  }
  const auto sum = [&](const OwnedMatrix& k) {
    return h / 6.0 * (k.col(0) + 2.0 * k.col(1) + 2.0 * k.col(2) + k.col(3));
  };
  d_ = sum(d_rates_), x_stage_ = x_ + sum(x_rates_);
  if (!d_.allFinite() || !x_stage_.allFinite()) give_up(h, not_finite(d_, x_stage_));
  if (mechanism_ != nullptr) mechanism_->integrate_unchecked(q_.data(), d_.data(), q_stage_.data());
  accept(h == end - t_ ? end : t_ + h, q_stage_, x_stage_);
}

/// Weights that fulfil the conditions of order 3 at every fraction of the step.
void FixedMuntheKaasIntegrator::interpolate_inside(double t, OwnedVector& q, OwnedVector& x) const {
  const double h = t_ - t_start_, s = (t - t_start_) / h, cubic = 2.0 / 3.0 * s * s * s;
  const double weight[kStages] = {s - 1.5 * s * s + cubic, s * s - cubic, s * s - cubic, -0.5 * s * s + cubic};
  OwnedVector& d = interpolated_;
  d.setZero(), x = x_start_;
  for (int k = 0; k < kStages; ++k) d += h * weight[k] * d_rates_.col(k), x += h * weight[k] * x_rates_.col(k);
  q = q_start_;
  if (mechanism_ != nullptr) mechanism_->integrate_unchecked(q_start_.data(), d.data(), q.data());
}

}  // namespace amble
