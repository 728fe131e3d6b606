#pragma once

#include "amble/ports/element.hpp"

namespace amble {

/// Something that takes a constant power (W) from outside and turns it into heat, as electronics do: no force.
ElementPtr consumer(std::string name, double power);

}  // namespace amble
