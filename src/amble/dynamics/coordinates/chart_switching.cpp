#include "amble/dynamics/coordinates/chart_switching.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"

namespace amble {

namespace {

constexpr int kThree = 3;

/// A chart and the coordinates in it of the rotation at hand.
struct Candidate {
  ChartPtr chart;
  ChartVector theta;
  double measure = 0.0;
};

/// Without a hint, so that the same chart may come back with other numbers (a rotation vector of nearly a full turn).
Candidate candidate(const ChartPtr& chart, const Matrix3<double>& R) {
  const ChartVector theta = chart->from_rotation(R);
  return {chart, theta, chart->singularity_measure(theta)};
}

}  // namespace

ChartSwitcher::ChartSwitcher(ChartCoordinates coordinates, ChartSwitchOptions options)
    : coordinates_(std::move(coordinates)), options_(std::move(options)) {
  if (!(options_.threshold > 0.0 && options_.threshold < 0.5))
    throw Error(fmt::format("a threshold of {} for leaving a chart is asked for: expected between 0 and 0.5",
                            options_.threshold));
  for (const ChartPtr& chart : options_.alternatives)
    if (chart == nullptr || chart->size() != kThree)
      throw Error(fmt::format("charts to switch to have three parameters: '{}' does not",
                              chart == nullptr ? "null" : chart->name()));
  for (const ChartBlock& b : coordinates_.blocks())
    home_[coordinates_.mechanism().joints()[b.joint].name] = b.chart;
  now_ = home_;
}

bool ChartSwitcher::update_joint(double t, const ChartBlock& b, Eigen::Ref<Eigen::VectorXd> theta,
                                 Eigen::Ref<Eigen::VectorXd> thetadot) {
  const double before = b.chart->singularity_measure(theta);
  if (!(before < options_.threshold)) return false;
  const std::string& joint = coordinates_.mechanism().joints()[b.joint].name;
  const Matrix3<double> R = b.chart->rotation(theta).matrix();
  Candidate best = candidate(home_.at(joint), R);
  for (const ChartPtr& chart : options_.alternatives)
    if (Candidate other = candidate(chart, R); other.measure > best.measure) best = std::move(other);
  if (!(best.measure > before)) return false;
  const Vector3<double> omega = b.chart->angular_velocity_jacobian_base(theta) * thetadot;
  thetadot = best.chart->rates(best.theta, omega);
  theta = best.theta;
  now_[joint] = best.chart;
  log_.push_back({t, joint, b.chart->name(), best.chart->name(), before, best.measure});
  return true;
}

bool ChartSwitcher::update(double t, Eigen::Ref<Eigen::VectorXd> q_chart, Eigen::Ref<Eigen::VectorXd> qdot_chart) {
  coordinates_.check(q_chart, "q_chart"), coordinates_.check(qdot_chart, "qdot_chart");
  if (!std::isfinite(t)) throw Error(fmt::format("the time is {}", t));
  bool changed = false;
  coordinates_.for_each_block([&](const ChartBlock& b) {
    if (b.chart->size() == kThree)
      changed |= update_joint(t, b, q_chart.segment(b.theta.start, kThree), qdot_chart.segment(b.theta.start, kThree));
  });
  if (changed) coordinates_ = ChartCoordinates(coordinates_.mechanism(), nullptr, now_);
  return changed;
}

}  // namespace amble
