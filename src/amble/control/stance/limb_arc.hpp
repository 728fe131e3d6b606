#pragma once

#include "amble/geometry/se3.hpp"

namespace amble {

/// A number that goes from 0 to 1 with its rates: still at both ends (least jerk), x and its rate by time.
struct Blend {
  double value = 0.0, rate = 0.0, acceleration = 0.0;
};
/// Of time over `duration` (s), 0 before and 1 after.
Blend blend(double t, double duration);

/// How a part leaves one support and comes to another: lifted along the first one's normal, then across, then down along the
/// second one's normal. At rest at both ends.
struct LimbArc {
  Pose from, to;          ///< of the contact frame in the world; z are the normals
  double lift = 0.05;     ///< m
  double duration = 1.0;  ///< s

  struct Motion {
    Pose pose;
    Twist<double> velocity, acceleration;  ///< in axes of the pose: its twist and the rate of its components
  };
  Motion at(double t) const;
};

}  // namespace amble
