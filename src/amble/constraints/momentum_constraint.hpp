#pragma once

#include "amble/constraints/constraint.hpp"

namespace amble {

/// Six rows: the momentum of the whole mechanism about its centre of mass, in world axes, linear part first, stays `value`.
/// What a robot adrift in space keeps by itself, stated as a nonholonomic constraint A(q) v = value: then the motion of its
/// base follows from that of its joints, and project_velocity() finds it. The multipliers are the force and moment that
/// would be needed to hold it: zero where nothing acts from outside.
ConstraintPtr momentum_constraint(const Mechanism& mechanism, std::string name,
                                  const Vector6<double>& value = Vector6<double>::Zero());

}  // namespace amble
