#pragma once

#include "amble/ports/drive.hpp"

namespace amble {

/// What actuators can give, for each velocity of the mechanism (nv numbers, or empty for no limit).
struct ActuatorLimits {
  OwnedVector effort = {};  ///< N, N m: the largest magnitude
  /// m/s, rad/s: above `corner` the force in the direction of motion falls along a line, to zero at this speed;
  /// braking keeps its whole size.
  OwnedVector speed = {};
  double corner = 0.0;  ///< as a share of `speed`, 0 to 1
};

/// As the mechanism has them: effort_limit(), and velocity_limit() when `speed_line` is true.
ActuatorLimits actuator_limits(const Mechanism& mechanism, bool speed_line = false);

/// Forces of the joints as commanded, within limits. What is delivered is supplied.
ElementPtr actuators(std::string name, const Mechanism& mechanism, Drive command, const ActuatorLimits& limits);

}  // namespace amble
