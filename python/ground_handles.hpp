#pragma once

#include "amble/geometry/ground.hpp"

namespace amble::python {

/// Python has no constant objects; a ground has no method that changes it.
using GroundHandle = std::shared_ptr<Ground>;
inline GroundHandle writable(const GroundPtr& g) { return std::const_pointer_cast<Ground>(g); }

}  // namespace amble::python
