#include "amble/simulation/rkmk.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/simulation/dormand_prince.hpp"

namespace amble {

namespace {

using namespace dormand_prince;

// Where in a step a singularity does least harm: in the middle of the widest gap between nodes.
constexpr double kBetween = 0.55;

}  // namespace

MuntheKaasIntegrator::MuntheKaasIntegrator(Flow& flow, const IntegratorOptions& options)
    : Integrator(flow, options),
      q_stage_(q_.size()),
      x_stage_(flow.size()),
      d_(nv_),
      v_(nv_),
      d_before_(nv_),
      x_before_(flow.size()),
      d_rates_(nv_, kStages),
      x_rates_(flow.size(), kStages),
      interpolated_(nv_),
      d_error_(nv_),
      x_error_(flow.size()) {
  flow.check_rates();
}

void MuntheKaasIntegrator::evaluate(int stage, double t, const double* q, const double* x, const double* d) {
  ++report_.evaluations;
  flow_.rates(t, q, x, v_.data(), x_rates_.col(stage).data());
  if (mechanism_ != nullptr) mechanism_->local_rates_unchecked(q_.data(), d, v_.data(), d_rates_.col(stage).data());
}

/// The first rates, and a first step.
void MuntheKaasIntegrator::start() {
  d_.setZero();
  evaluate(0, t_, q_.data(), x_.data(), d_.data());
  first_rates_known_ = true;
  if (h_ > 0.0) return;
  double rate = x_.size() > 0 ? x_rates_.col(0).cwiseAbs().maxCoeff() : 0.0;
  if (nv_ > 0) rate = std::max(rate, d_rates_.col(0).cwiseAbs().maxCoeff());
  h_ = first_step(rate);
}

/// Fills the stages for a step h; false when the state stops being finite, or the flow refuses one.
bool MuntheKaasIntegrator::attempt(double h) {
  for (int s = 1; s < kStages; ++s) {
    d_.setZero(), x_stage_ = x_;
    for (int i = 0; i < s; ++i) {
      if (kWeight[s][i] == 0.0) continue;
      d_ += h * kWeight[s][i] * d_rates_.col(i);
      x_stage_ += h * kWeight[s][i] * x_rates_.col(i);
    }
    if (!d_.allFinite() || !x_stage_.allFinite()) return false;
    if (s == kStages - 2) d_before_ = d_, x_before_ = x_stage_;
    if (mechanism_ != nullptr) mechanism_->integrate_unchecked(q_.data(), d_.data(), q_stage_.data());
    try {
      evaluate(s, t_ + kNode[s] * h, q_stage_.data(), x_stage_.data(), d_.data());
    } catch (const Error& refused) {
      refusal_ = refused.what();
      return false;
    }
  }
  return true;
}

double MuntheKaasIntegrator::error_of(double h) {
  d_error_.setZero(), x_error_.setZero();
  for (int s = 0; s < kStages; ++s) {
    if (nv_ > 0) d_error_ += h * kError[s] * d_rates_.col(s);
    x_error_ += h * kError[s] * x_rates_.col(s);
  }
  flow_.forgive(t_ + h, q_stage_.data(), x_stage_.data(), d_error_.data(), x_error_.data());
  double worst = 0.0;
  const auto add = [&](double error, double size) {
    error = std::abs(error) / (options_.tolerance * (1.0 + size));
    if (!(error <= worst)) worst = error;  // also when it is not a number
  };
  for (const double error : d_error_) add(error, 0.0);
  for (Eigen::Index i = 0; i < x_.size(); ++i) add(x_error_[i], std::max(std::abs(x_[i]), std::abs(x_stage_[i])));
  return worst;
}

/// The length of the next step after one of length h.
void MuntheKaasIntegrator::adapt(double h) {
  const double error = std::max(error_, 1e-8);
  const double grow = kSafety * std::pow(error, -kProportional) * std::pow(last_error_, kIntegral);
  if (h >= h_ || grow < 1.0) h_ = h * std::clamp(grow, kShrink, kGrow);
  last_error_ = error;
}

/// How fast the rates change between the two stages at the end tells where the step stands to the scheme's border of
/// stability (Hairer and Wanner, IV.2).
void MuntheKaasIntegrator::look_for_stiffness(double h) {
  constexpr double kBorder = 3.25;
  constexpr int kCalm = 6, kStiff = 15;
  const int n = flow_.active(), last = kStages - 1;
  const double rates = (x_rates_.col(last) - x_rates_.col(last - 1)).head(n).squaredNorm() +
                       (d_rates_.col(last) - d_rates_.col(last - 1)).squaredNorm();
  const double states = (x_stage_ - x_before_).head(n).squaredNorm() + (d_ - d_before_).squaredNorm();
  if (h * h * rates > kBorder * kBorder * states)
    calm_steps_ = 0, ++stiff_in_a_row_;
  else if (++calm_steps_ == kCalm)
    stiff_in_a_row_ = 0;
  if (stiff_in_a_row_ >= kStiff) ++report_.stiff_steps;
}

void MuntheKaasIntegrator::take(double end, bool exactly) {
  take_over_rates();
  if (!first_rates_known_) start();
  double h = 0.0;
  for (bool tried = false;; tried = true) {
    h = exactly ? end - t_ : adaptive_step(end, kBetween, tried);
    if (!exactly && !(h > 1e-14 * std::max(1.0, std::abs(t_)))) give_up(refusal_);
    error_ = attempt(h) ? error_of(h) : std::numeric_limits<double>::infinity();
    if (error_ <= 1.0 || (exactly && std::isfinite(error_))) {
      adapt(h);
      break;
    }
    if (exactly) give_up(refusal_);
    ++report_.rejected;
    h_ = h * (std::isfinite(error_) ? std::clamp(kSafety * std::pow(error_, -0.2), kShrink, 1.0) : kShrink);
  }
  look_for_stiffness(h);
  accept(h == end - t_ ? end : t_ + h, q_stage_, x_stage_);
  refusal_.clear();
  end_rates_known_ = first_rates_known_ = true;
}

/// The rates at the end of the last step begin the next: at d = 0 they are v itself, not d_rates_ of the last stage.
void MuntheKaasIntegrator::take_over_rates() {
  if (!end_rates_known_) return;
  x_rates_.col(0) = x_rates_.col(kStages - 1);
  if (mechanism_ != nullptr) d_rates_.col(0) = v_;
  end_rates_known_ = false;
}

void MuntheKaasIntegrator::interpolate_inside(double t, OwnedVector& q, OwnedVector& x) const {
  const double h = t_ - t_start_;
  const std::array<double, kStages> weight = weights_at((t - t_start_) / h);
  OwnedVector& d = interpolated_;
  d.setZero(), x = x_start_;
  for (int s = 0; s < kStages; ++s) {
    if (nv_ > 0) d += h * weight[s] * d_rates_.col(s);
    x += h * weight[s] * x_rates_.col(s);
  }
  q = q_start_;
  if (mechanism_ != nullptr) mechanism_->integrate_unchecked(q_start_.data(), d.data(), q.data());
}

}  // namespace amble
