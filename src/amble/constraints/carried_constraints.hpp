#pragma once

#include "amble/constraints/constraint.hpp"

namespace amble {

/// All constraints that a mechanism carries: its loops, its rolling wheels, then its couplings, each by its
/// name. Empty when it has none.
std::vector<ConstraintPtr> constraints_of(const Mechanism& mechanism);

/// Those of its rolling wheels: for each, friction along x and y of the ground and the normal force.
std::vector<ConstraintPtr> rolling_constraints(const Mechanism& mechanism);

}  // namespace amble
