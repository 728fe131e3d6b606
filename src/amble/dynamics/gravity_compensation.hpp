#pragma once

#include "amble/dynamics/workspace.hpp"

namespace amble {

/// Whether forces from outside carry a share of the weight of some body.
bool has_gravity_compensation(const Mechanism& mechanism);

/// Adds what these forces, -share m g at each center of mass, do at the joints to `tau` (nv numbers).
void add_gravity_compensation(const Mechanism& mechanism, Workspace& work, const VectorRef& q, double* tau);

}  // namespace amble
