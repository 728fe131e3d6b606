#pragma once

#include "amble/geometry/ground.hpp"

namespace amble {

/// What of a ground is nearest to a point, in the axes of the ground.
struct GroundNearest {
  Vector3<double> point, normal;  ///< the normal is unit, upwards
  double distance = 0.0;          ///< of the point above it (m); negative below
  Matrix3<double> turning;        ///< d normal / d (the point it is nearest to)
  /// The shape operator: d normal / d point along the surface.
  Matrix3<double> bending;
  bool settled = true;  ///< false: Newton's method found no place where the line to the point is normal
};

/// By Newton's method from straight below, with steps that never lengthen the way. Where the ground has a
/// kink (a stair's edge) the nearest place is sought on the piece below the point.
GroundNearest nearest_on_ground(const Ground& ground, const Vector3<double>& p);

/// d normal / d point along the surface z = height(x, y), 3 x 3 and symmetric; its eigenvalues along the
/// surface are minus the principal curvatures seen from above.
Matrix3<double> ground_bending(const GroundPoint& at);

}  // namespace amble
