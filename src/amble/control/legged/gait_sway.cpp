#include "amble/control/legged/gait_sway.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace amble {

namespace {

constexpr int kSamples = 240;

/// Loads of all legs and their mean place, and by how much of v (s) it is ahead of the body.
struct Support {
  double load = 0.0, lead = 0.0;
  Vector2<double> place = Vector2<double>::Zero();
};

Support support_at(const PhaseTable& table, std::span<const Vector2<double>> places, double period,
                   double phase, double ramp) {
  Support out;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const int leg = static_cast<int>(i);
    const double load = leg_load(table, leg, phase, ramp);
    out.load += load, out.place += load * places[i];
    out.lead += load * period * (0.5 * table.duty - table.since_start(leg, phase));
  }
  if (out.load > 0.0) out.place /= out.load, out.lead /= out.load;
  return out;
}

/// x'' = a x - b with period `period`, by central differences on a ring.
Eigen::MatrixXd periodic_solution(const Eigen::VectorXd& a, const Eigen::MatrixXd& b, double h) {
  const Eigen::Index n = a.size();
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    A(i, i) += -2.0 / (h * h) - a[i];
    A(i, (i + 1) % n) += 1.0 / (h * h), A(i, (i + n - 1) % n) += 1.0 / (h * h);
  }
  return A.partialPivLu().solve(-b);
}

/// x'' = b with the mean of b being zero, and x with the mean zero.
Eigen::VectorXd periodic_integral(const Eigen::VectorXd& b, double h) {
  const Eigen::Index n = b.size();
  Eigen::MatrixXd A = Eigen::MatrixXd::Constant(n, n, 1.0);
  for (Eigen::Index i = 0; i < n; ++i) {
    A(i, i) += -2.0 / (h * h);
    A(i, (i + 1) % n) += 1.0 / (h * h), A(i, (i + n - 1) % n) += 1.0 / (h * h);
  }
  return A.partialPivLu().solve(b);
}

}  // namespace

GaitSway::GaitSway(const PhaseTable& table, std::span<const Vector2<double>> places, double period,
                   double omega, double gravity, double ramp)
    : samples_(kSamples), period_(period) {
  const double h = period / kSamples;
  Eigen::VectorXd load(kSamples);
  std::vector<Support> supports;
  for (int i = 0; i < kSamples; ++i) {
    supports.push_back(support_at(table, places, period, (i + 0.5) / kSamples, ramp));
    load[i] = std::min(supports.back().load, 1.0);
  }
  load /= load.mean();
  const Eigen::VectorXd a = omega * omega * load;
  Eigen::MatrixXd b(kSamples, 3);
  for (int i = 0; i < kSamples; ++i)
    b.row(i) << a[i] * supports[i].place.x(), a[i] * supports[i].place.y(), a[i] * supports[i].lead;
  const Eigen::MatrixXd x = periodic_solution(a, b, h);
  const Eigen::VectorXd rise = (gravity * (load.array() - 1.0)).matrix(), z = periodic_integral(rise, h);
  for (int i = 0; i < kSamples; ++i) {
    Sample& s = samples_[i];
    s.sway = {x(i, 0), x(i, 1), z[i]};
    s.sway_acceleration = {a[i] * x(i, 0) - b(i, 0), a[i] * x(i, 1) - b(i, 1), rise[i]};
    s.lag = x(i, 2), s.lag_acceleration = a[i] * x(i, 2) - b(i, 2);
  }
}

const GaitSway::Sample& GaitSway::sample(int i) const {
  return samples_[(i % kSamples + kSamples) % kSamples];
}

GaitSway::Motion GaitSway::at(double phase, const Vector2<double>& speed) const {
  Motion out;
  if (samples_.empty()) return out;
  const double at = (phase - std::floor(phase)) * kSamples - 0.5;
  const int i = static_cast<int>(std::floor(at));
  const double f = at - i, h = period_ / kSamples;
  const Vector3<double> v(speed.x(), speed.y(), 0.0);
  const auto position = [&](int k) { return Vector3<double>(sample(k).sway + sample(k).lag * v); };
  const auto acceleration = [&](int k) {
    return Vector3<double>(sample(k).sway_acceleration + sample(k).lag_acceleration * v);
  };
  const auto rate = [&](int k) { return Vector3<double>((position(k + 1) - position(k - 1)) / (2.0 * h)); };
  out.position = (1.0 - f) * position(i) + f * position(i + 1);
  out.velocity = (1.0 - f) * rate(i) + f * rate(i + 1);
  out.acceleration = (1.0 - f) * acceleration(i) + f * acceleration(i + 1);
  return out;
}

double GaitSway::size() const {
  double most = 0.0;
  for (const Sample& s : samples_) most = std::max(most, s.sway.head<2>().norm());
  return most;
}

}  // namespace amble
