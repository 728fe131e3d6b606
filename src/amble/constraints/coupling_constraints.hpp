#pragma once

#include "amble/constraints/constraint.hpp"

namespace amble {

/// The couplings of joints and of tendons that a mechanism carries, y - y0 = p(x - x0), each by its name.
/// Holonomic; the multiplier is the force along y.
std::vector<ConstraintPtr> coupling_constraints(const Mechanism& mechanism);

}  // namespace amble
