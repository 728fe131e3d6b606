#pragma once

#include <array>
#include <string>

#include "amble/geometry/se3.hpp"

namespace amble {

/// A free joint's q is its body's pose in the world, whatever the format: x, y, z, then the quaternion x, y, z, w.
/// Where a file places such a body is therefore no part of the mechanism but a q, which this note names.
std::string start_note(const std::array<double, 7>& q, const std::string& joint);
std::string start_note(const Pose& X_WB, const std::string& joint);

}  // namespace amble
