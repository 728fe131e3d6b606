#pragma once

#include "amble/mechanism/mechanism.hpp"

// For schemes that keep velocities along the axes of the start of a step. The linear velocity of a free joint is in the child's
// axes, which turn within a step; here its origin goes straight on meanwhile. Other joints move as integrate() has it.
namespace amble {

/// Mechanism::integrate_unchecked(), free joints on straight lines.
void integrate_straight(const Mechanism& mechanism, const double* q, const double* d, double* out);
/// Adds to `out` (nv) what the numbers of v lose in a time h because their axes turn: h (angular x linear) of free joints.
void add_turning(const Mechanism& mechanism, double h, const double* v, double* out);
/// Velocities in the axes of the start, to those after the step d.
void turn_along(const Mechanism& mechanism, const double* d, double* v);

}  // namespace amble
