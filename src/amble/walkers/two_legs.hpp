#pragma once

#include "amble/walkers/leg_chain.hpp"

namespace amble {

/// Two straight legs in space that meet in a hip, each with two angles against the floor: it points along
/// (sin a cos b, -sin b, cos a cos b) from the foot to the hip. Joints x, y, z when the stance foot is free, then q4, q5 of
/// the stance leg and q6, q7 of the swing leg. Frames stance_foot, swing_foot, hip.
struct TwoLegs {
  double hip_mass, leg_mass, leg, leg_com, leg_inertia, slope, gravity;
  Mechanism mechanism(const std::string& name, FootPlace foot) const;
};

}  // namespace amble
