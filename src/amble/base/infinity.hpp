#pragma once

#include <limits>

namespace amble {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace amble
