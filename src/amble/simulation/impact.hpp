#pragma once

#include <vector>

#include "amble/constraints/constrained_dynamics.hpp"
#include "amble/ports/element.hpp"

namespace amble {

/// Velocities right after an instant of impulses along the rows of `held` (null for none) and of the strikes: v becomes
/// the nearest in the metric M with A v = b and row . v = after for each strike. Returns the energy that the impulses took
/// (J). Throws an Error when no velocity does all that.
double solve_impact(const Eigen::MatrixXd& inverse_mass, const ConstrainedDynamics* held, const std::vector<Strike>& strikes,
                    OwnedVector& v);

}  // namespace amble
