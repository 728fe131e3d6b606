#pragma once

#include "amble/geometry/ground.hpp"
#include "amble/ports/element.hpp"
#include "amble/scenario/element_kinds.hpp"

namespace amble {

/// A controller of stances as a file has it. `q` is what postures are near to and becomes the posture of the first stance. Throws an
/// Error for what does not fit, and where a stance has no posture: bodies that are not in contact keep clear of each other and of the ground.
ElementPtr make_whole_body(const Mechanism& mechanism, const GroundPtr& ground, const std::string& name, const scenario_elements::WholeBody& given,
                           OwnedVector& q);

/// A force on a point of a body for some time.
ElementPtr make_push(const Mechanism& mechanism, const std::string& name, const scenario_elements::Push& given);

}  // namespace amble
