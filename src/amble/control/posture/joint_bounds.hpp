#pragma once

#include <string>
#include <vector>

#include "amble/mechanism/mechanism.hpp"

// Limits of joints as bounds on what a configuration may change by. Joints with limits have plain coordinates, so that
// integrate() adds velocities to them.
namespace amble {

/// lower <= integrate(q, d) <= upper for every joint that has limits; infinite for the others. nv numbers each.
void step_bounds(const Mechanism& mechanism, const VectorRef& q, double* lower, double* upper);

/// Moves joints that are beyond a limit onto it.
void bring_within_limits(const Mechanism& mechanism, OwnedVector& q);

/// The places in v of these joints.
std::vector<int> held_velocities(const Mechanism& mechanism, const std::vector<std::string>& joints);

/// The least distance of a joint from its limits (rad, m), negative beyond; infinite when none has limits.
double limit_margin(const Mechanism& mechanism, const VectorRef& q);

}  // namespace amble
