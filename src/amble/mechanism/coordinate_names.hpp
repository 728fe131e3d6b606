#pragma once

#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// What each number of q and of v is: the joint's name where it has one such number, "base.x", "base.qw", "base.wz" where
/// it has more, "spine.0" for custom joints.
std::vector<std::string> q_names(const Mechanism& mechanism);
std::vector<std::string> v_names(const Mechanism& mechanism);

/// Their units: "m", "rad", "1" for quaternions, "m/s", "rad/s"; empty for custom joints.
std::vector<std::string> q_units(const Mechanism& mechanism);
std::vector<std::string> v_units(const Mechanism& mechanism);

}  // namespace amble
