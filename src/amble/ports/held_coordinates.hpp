#pragma once

#include <functional>

#include "amble/constraints/constraint.hpp"
#include "amble/ports/coordinate.hpp"

// Constraints on single coordinates, as elements hold them.
namespace amble {

/// A place of a coordinate with its rates.
struct CoordinateMotion {
  double place = 0.0, rate = 0.0, acceleration = 0.0;
};

/// The coordinate is where `motion` has it at each time. Its multiplier is the force along the coordinate (N, N m).
ConstraintPtr coordinate_follows(std::string name, const Coordinate& coordinate,
                                 std::function<CoordinateMotion(double t)> motion);
/// The coordinate stays at a place.
ConstraintPtr coordinate_held(std::string name, const Coordinate& coordinate, double place);
/// These velocities of the mechanism are zero, wherever they find it.
ConstraintPtr velocities_held(std::string name, Slice v);

}  // namespace amble
