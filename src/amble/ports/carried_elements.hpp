#pragma once

#include <vector>

#include "amble/ports/element.hpp"

namespace amble {

/// What a mechanism carries by its description: springs, damping and friction of its joints, one element for all joints of
/// each kind, then its springs between bodies, each by its name. None for what it has not.
std::vector<ElementPtr> carried_elements(const Mechanism& mechanism);

/// The springs among them alone, of joints and between bodies: for integrators that solve for damping and friction.
std::vector<ElementPtr> carried_springs(const Mechanism& mechanism);

}  // namespace amble
