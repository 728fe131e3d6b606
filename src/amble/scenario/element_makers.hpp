#pragma once

#include "amble/geometry/ground.hpp"
#include "amble/ports/element.hpp"
#include "amble/scenario/element_kinds.hpp"

namespace amble {

/// What an element of a file is on a mechanism over some ground: one element, or several. Throws an Error for what
/// does not fit. `q` is where the motion starts; an element that knows better says so there.
std::vector<ElementPtr> make_elements(const Mechanism& mechanism, const GroundPtr& ground,
                                      const ScenarioElement& element, OwnedVector& q);

}  // namespace amble
