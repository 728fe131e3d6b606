#pragma once

#include "amble/walkers/legged/legged_robot.hpp"
#include "amble/walkers/legged/legged_settings.hpp"

namespace amble {

/// The legs of a robot, found from the model alone: never from names. Feet, forward, mirror map and knees by
/// tree, geometry and mass, the nominal posture by inverse kinematics and statics. Throws an Error with one
/// sentence where it cannot walk (no legs, wheels for feet, loops in the legs, a base fixed to the world,
/// limits that are not mirrored).
LeggedRobot legged_robot(const Mechanism& mechanism, const LeggedRobotSettings& settings = {});

/// The same, but what stands in the way is in `refusal`, beside all that was found. Throws an Error only for
/// settings that name what is not there.
LeggedRobot inspect_legs(const Mechanism& mechanism, const LeggedRobotSettings& settings = {});

}  // namespace amble
