#pragma once

#include <functional>

#include "amble/ports/element.hpp"

namespace amble {

/// A configuration that moves: fills q (nq numbers, neutral before) and its velocity v (nv, zero before).
using SetPoint = std::function<void(double t, OwnedVector& q, OwnedVector& v)>;

/// A controller that makes joints of any type follow a set point as springs and dampers would: with d the way from
/// the set point (integrate(set point, d) = q, for one-axis joints q - set point), the force paired with d is
/// -stiffness d - damping d'. Numbers for every velocity (N/m or N m/rad, N s/m or N m s/rad). Stored is stiffness
/// d^2 / 2; what moving the set point takes is supplied, so v must be the velocity of q. At half turns from the set
/// point of joints that turn in space d jumps, as that of joint_springs().
ElementPtr joint_impedance(std::string name, const Mechanism& mechanism, const VectorRef& stiffness,
                           const VectorRef& damping, SetPoint set_point);

}  // namespace amble
