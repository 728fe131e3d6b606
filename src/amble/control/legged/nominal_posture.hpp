#pragma once

#include "amble/walkers/legged/anatomy.hpp"

namespace amble {

/// The height of the hips over the soles for steps of length L: the hind leg reaches (1/2 + 1/10) L back at
/// double support, so that z <= sqrt(l^2 - (0.6 L)^2). L as a share of the leg length l, by the number of
/// legs.
double hip_height_share(std::size_t legs);

/// Fills `robot.nominal` and `robot.hip_height`, and turns the sole frames of balls and points upright there;
/// or `robot.refusal`. The center of mass is over the middle of the feet, so that equal forces at all of them
/// carry the weight.
void stand(Anatomy& anatomy, const LeggedRobotSettings& settings);

/// As the nominal posture, the center of mass over one foot; nothing: there is no such posture.
std::optional<OwnedVector> posture_over_foot(const Anatomy& anatomy, int leg);

/// Torques that hold `q` (nv), with the vertical force `share[i] * weight` at the sole of each leg.
OwnedVector holding_torques(const LeggedRobot& robot, const VectorRef& q, const std::vector<double>& share);

}  // namespace amble
