#pragma once

#include <functional>

#include "amble/ports/element.hpp"
#include "amble/ports/held_coordinates.hpp"

namespace amble {

/// A coordinate of a joint goes where it is told, whatever it takes: the power for that is supplied and delivered.
/// The motion starts there with that rate; `motion` gives the place with its true rate and acceleration.
ElementPtr prescribed_motion(std::string name, const Mechanism& mechanism, const std::string& joint,
                             std::function<CoordinateMotion(double t)> motion, int axis = 0);

}  // namespace amble
