#pragma once

#include "amble/dynamics/coordinates/chart_coordinates.hpp"

namespace amble {

/// When a joint leaves its chart for another, and for which.
struct ChartSwitchOptions {
  /// A three-parameter chart is left when its singularity measure (rad per unit of theta, at most about 1) falls below
  /// this.
  double threshold = 0.3;
  /// What is turned to, beside the chart that the joint started in: the one with the largest measure. Three parameters
  /// each, so that the state keeps its size. Of these two, one is always above 0.5.
  std::vector<ChartPtr> alternatives = {chart("rpy"), chart("zxz")};
};

/// One change of chart in the middle of a run.
struct ChartSwitch {
  double t = 0.0;
  std::string joint, from, to;
  double measure_before = 0.0, measure_after = 0.0;
};

/// Charts that change when they near their singularity. Charts with constraints (quaternion, matrix) have none and stay.
/// The log is kept.
class ChartSwitcher {
 public:
  explicit ChartSwitcher(ChartCoordinates coordinates, ChartSwitchOptions options = {});

  const ChartCoordinates& coordinates() const { return coordinates_; }
  std::span<const ChartSwitch> log() const { return log_; }

  /// Looks at every joint's chart; where one is near its singularity, the joint's numbers in `q_chart` and `qdot_chart`
  /// are rewritten in a better chart (the same rotation, the same angular velocity). True when any was.
  bool update(double t, Eigen::Ref<Eigen::VectorXd> q_chart, Eigen::Ref<Eigen::VectorXd> qdot_chart);

 private:
  bool update_joint(double t, const ChartBlock& block, Eigen::Ref<Eigen::VectorXd> theta,
                    Eigen::Ref<Eigen::VectorXd> thetadot);

  ChartCoordinates coordinates_;
  ChartSwitchOptions options_;
  std::map<std::string, ChartPtr> home_, now_;
  std::vector<ChartSwitch> log_;
};

}  // namespace amble
