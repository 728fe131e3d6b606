#pragma once

#include "amble/dynamics/coordinates/chart_dynamics.hpp"
#include "amble/verify/evidence.hpp"

// What the entries of the area `coordinates` are made of.
namespace amble {

/// rpy, xyz, zyz, quaternion, matrix, exponential, and as a user's own "mrp": modified Rodrigues parameters by rho
/// alone.
const std::vector<ChartPtr>& verified_charts();

/// As random_motion(), and every fifth with a user's own joint between free and spherical ones.
Motion any_motion(std::uint64_t seed, int most_bodies = 20);

/// Drives, and forces at points: as the chart form takes them, and as the core does.
struct Load {
  Eigen::VectorXd tau;
  std::vector<PointForce> forces;
  std::vector<ExternalWrench> wrenches;
};
Load random_load(const Motion& s, std::uint64_t seed);

/// A loaded mechanism in motion, also in chart coordinates.
struct ChartCase {
  Motion s;
  Load load;
  Eigen::VectorXd q, qdot;
  ChartDynamics dynamics;  ///< at that state
};

/// Of 1 to 12 bodies with every joint type, two in three on a free or a spherical root; the configuration is drawn
/// again while the chart of a joint is near its singularity.
ChartCase chart_case(std::uint64_t seed, const ChartPtr& chart);
/// A different chart on each joint.
ChartCase mixed_chart_case(std::uint64_t seed);
/// On a free root.
ChartCase floating_chart_case(std::uint64_t seed, const ChartPtr& chart);

}  // namespace amble
