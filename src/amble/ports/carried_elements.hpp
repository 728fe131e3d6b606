#pragma once

#include <vector>

#include "amble/ports/element.hpp"

namespace amble {

/// What a mechanism carries by its description: springs, damping and friction of its joints, one element for
/// all joints of each kind, its springs between bodies and tendons, each by its name, and gravity
/// compensation. None for what it has not.
std::vector<ElementPtr> carried_elements(const Mechanism& mechanism);

/// Those without damping and friction of joints: for integrators that solve for these.
std::vector<ElementPtr> carried_springs(const Mechanism& mechanism);

/// What all carried_elements() do at the joints (nv). Throws an Error for a state that does not fit.
OwnedVector carried_forces(const Mechanism& mechanism, Workspace& work, const VectorRef& q,
                           const VectorRef& v);

}  // namespace amble
