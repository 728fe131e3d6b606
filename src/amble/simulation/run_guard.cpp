#include "amble/simulation/run_guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "amble/base/error.hpp"
#include "amble/base/limits.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/coordinate_names.hpp"

namespace amble {

namespace {

constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kNoProgress = 1e-12;  // relative to max(1, |t|): a step this short is none

/// False also for what is not a number.
bool within(const double* x, int n, double most) {
  bool all = true;
  for (int i = 0; i < n; ++i) all &= std::abs(x[i]) <= most;
  return all;
}

/// The first that is not a number, otherwise the largest.
int worst_of(const double* x, int n) {
  const auto worse = [](double a, double b) {
    return std::abs(a) < std::abs(b) || (std::isnan(b) && !std::isnan(a));
  };
  return static_cast<int>(std::max_element(x, x + n, worse) - x);
}

}  // namespace

RunGuard::RunGuard(Flow& flow)
    : flow_(flow),
      mechanism_(flow.mechanism()),
      nq_(mechanism_ == nullptr ? 0 : mechanism_->nq()),
      nv_(mechanism_ == nullptr ? 0 : mechanism_->nv()),
      velocities_(flow.second_order() ? nv_ : 0),
      q_first_(nq_),
      x_first_(flow.size()) {}

bool RunGuard::good(const double* q, const double* x) const {
  return within(q, nq_, limit(Limit::length)) && within(x, velocities_, limit(Limit::state_growth)) &&
         within(x + velocities_, static_cast<int>(x_first_.size()) - velocities_, kLargest);
}

// ---- reports

std::string RunGuard::velocity_name(int i) const {
  const std::string name = v_names(*mechanism_)[i];
  for (const Joint& joint : mechanism_->joints())
    if (joint.leader < 0 && i >= joint.v.start && i < joint.v.start + joint.v.size && joint.child >= 0)
      return fmt::format("the velocity of joint '{}' (body '{}')", name,
                         mechanism_->bodies()[joint.child].name);
  return fmt::format("the velocity of joint '{}'", name);
}

std::string RunGuard::not_finite(const VectorRef& d, const VectorRef& x) const {
  if (!within(d.data(), nv_, kLargest))
    return fmt::format("{} stops being finite", velocity_name(worst_of(d.data(), nv_)));
  const int i = worst_of(x.data(), static_cast<int>(x.size()));
  if (i < velocities_) return fmt::format("{} stops being finite", velocity_name(i));
  return fmt::format("{} stops being finite", flow_.number_name(i));
}

/// What is wrong with a state that is not good().
std::string RunGuard::growth(const char* verb, const double* q, const double* x) const {
  const auto text = [verb](const std::string& what, double value, const std::string& unit, Limit which) {
    if (!std::isfinite(value)) return fmt::format("{} stops being finite", what);
    return fmt::format("{} {} beyond {:g}{}{} (limit '{}')", what, verb, limit(which),
                       unit.empty() ? "" : " ", unit, limit_table()[static_cast<std::size_t>(which)].name);
  };
  if (!within(x, velocities_, limit(Limit::state_growth))) {
    const int i = worst_of(x, velocities_);
    return text(velocity_name(i), x[i], v_units(*mechanism_)[i], Limit::state_growth);
  }
  if (!within(q, nq_, limit(Limit::length))) {
    const int i = worst_of(q, nq_);
    return text(fmt::format("coordinate '{}'", q_names(*mechanism_)[i]), q[i], q_units(*mechanism_)[i],
                Limit::length);
  }
  const int i = velocities_ + worst_of(x + velocities_, static_cast<int>(x_first_.size()) - velocities_);
  return fmt::format("{} stops being finite", flow_.number_name(i));
}

double RunGuard::energy(const double* q, const double* x) const {
  Workspace work(*mechanism_);
  const Eigen::Map<const Eigen::VectorXd> at(q, nq_), v(x, nv_);
  return mechanical_energy(*mechanism_, work, at, v);
}

// ---- checks

void RunGuard::start(double t, const OwnedVector& q, const VectorRef& x) {
  if (!good(q.data(), x.data()))
    throw Error(fmt::format("the motion cannot start at {:g} s: {}", t, growth("is", q.data(), x.data())));
  t_start_ = t, q_first_ = q, x_first_ = x, stalled_ = 0;
}

void RunGuard::check(double t0, const OwnedVector& q0, const OwnedVector& x0, double t, const OwnedVector& q,
                     const OwnedVector& x) const {
  if (good(q.data(), x.data())) return;
  std::string text = fmt::format("{} at {:.9g} s", growth("grew", q.data(), x.data()), t);
  if (velocities_ > 0 && x.allFinite() && q.allFinite()) {
    const double before = energy(q0.data(), x0.data()), start = energy(q_first_.data(), x_first_.data());
    const double now = energy(q.data(), x.data());
    text +=
        fmt::format("; energy {} by {:.3g} J since {:g} s, {} by {:.3g} J in the last step of {:.3g} s{}",
                    now < start ? "fell" : "rose", std::abs(now - start), t_start_, now < before ? "fell" : "rose",
                    std::abs(now - before), t - t0, flow_.energy_source(x0.data(), x.data()));
  }
  throw Error(text);
}

void RunGuard::note_progress(double t0, double t) {
  stalled_ = t - t0 > kNoProgress * std::max(1.0, std::abs(t)) ? 0 : stalled_ + 1;
  if (!(stalled_ > limit(Limit::stalled_steps))) return;
  throw Error(fmt::format(
      "{} steps in a row went from {:.12g} s nowhere (limit 'stalled_steps'): what is planned for "
      "then does not end",
      stalled_ - 1, t));
}

}  // namespace amble
