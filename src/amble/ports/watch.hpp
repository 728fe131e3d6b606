#pragma once

#include <functional>

#include "amble/geometry/ground.hpp"
#include "amble/ports/element.hpp"

namespace amble {

/// A number of the motion.
using Quantity = std::function<double(const PortState& at)>;

/// Looks on: an event of this name where the quantity passes through `level`, upwards (+1), downwards (-1) or either way
/// (0).
ElementPtr watch(std::string name, Quantity quantity, double level = 0.0, int direction = 0);

/// The height of a point of a body above z = 0 (m), how fast it rises (m/s), and how far it is above the ground (m).
Quantity height_of(const Mechanism& mechanism, const std::string& body, const Vector3<double>& point = Vector3<double>::Zero());
Quantity rise_of(const Mechanism& mechanism, const std::string& body, const Vector3<double>& point = Vector3<double>::Zero());
Quantity clearance_of(const Mechanism& mechanism, const std::string& body, GroundPtr ground,
                      const Vector3<double>& point = Vector3<double>::Zero());

}  // namespace amble
