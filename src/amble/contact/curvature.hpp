#pragma once

#include "amble/geometry/vector.hpp"

namespace amble {

/// How a surface bends at a point, seen from outside: positive curvature is round, negative hollow, infinite
/// a corner or an edge.
struct SurfaceCurvature {
  Vector2<double> principal = Vector2<double>::Zero();  ///< 1/m, the smaller first
  Matrix<double, 3, 2> directions =
      Matrix<double, 3, 2>::Zero();  ///< unit, along the surface, in the same order
};

/// From the shape operator, d normal / d point along the surface (the tangent map of the Gauss map,
/// DS 3.1.2): 3 x 3, symmetric, zero along the normal.
SurfaceCurvature curvature_from_bending(const Matrix3<double>& bending, const Vector3<double>& normal);

/// From its inverse along the surface, d point / d normal: the radii of curvature, zero at corners and across
/// edges.
SurfaceCurvature curvature_from_radii(const Matrix3<double>& radii, const Vector3<double>& normal);

}  // namespace amble
