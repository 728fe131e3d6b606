#pragma once

#include <functional>
#include <map>

#include "amble/constraints/constraint.hpp"

// Constraints on a mechanism's own coordinates and velocities, and those of the user's own.
namespace amble {

/// sum of coefficient * q(joint) = offset over one-axis joints: a gear pair, a belt, a rack and pinion (rad and m may mix),
/// a differential. Holonomic. Throws an Error for a joint with more than one coordinate.
ConstraintPtr coupling_constraint(const Mechanism& mechanism, std::string name, const std::map<std::string, double>& coefficients,
                                  double offset = 0.0);

/// phi(q) = 0 with `rows` values; its derivatives along integrate(q, v) are taken by differences of order eight.
using ConfigurationFunction = std::function<OwnedVector(const VectorRef& q)>;
ConstraintPtr configuration_constraint(const Mechanism& mechanism, std::string name, int rows, ConfigurationFunction phi);

/// A(q) v = b with a matrix of `rows` x nv and, unless empty, b(q): nonholonomic. The rates of A and b along the motion are
/// taken by differences of order eight.
using VelocityMatrix = std::function<OwnedMatrix(const VectorRef& q)>;
ConstraintPtr velocity_constraint(const Mechanism& mechanism, std::string name, int rows, VelocityMatrix A,
                                  ConfigurationFunction b = {});

}  // namespace amble
