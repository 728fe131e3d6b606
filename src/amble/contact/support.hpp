#pragma once

#include <array>
#include <vector>

#include "amble/contact/collision_shape.hpp"

// The face, edge, corner or smooth piece of a convex shape that is farthest along a direction. What shape_pair() is computed with.
namespace amble::detail {

/// The farthest piece along n, in the axes of the shape: the points at + s edges[0] + t edges[1]. A direction that is met by the
/// whole piece is normal to its edges.
struct SupportPiece {
  Vector3<double> at;
  Matrix3<double> bend;  ///< d at / d n on the unit sphere (m): the radii of curvature; symmetric, zero along n
  int free = 0;          ///< 0: one point; 1: an edge; 2: a flat face
  std::array<Vector3<double>, 2> edges{Vector3<double>::Zero(), Vector3<double>::Zero()};  ///< unit, normal to each other
};

/// Faces and edges that are within `tilt` (rad) of normal to n count as met. n is unit. Not for a ground.
SupportPiece support_piece(const CollisionShape& shape, const Vector3<double>& n, double tilt);

/// max over the shape of n . p. Infinite for a plane along any n but its normal.
double support_height(const CollisionShape& shape, const Vector3<double>& n);

/// How far outside of the shape a point is, at least; zero or negative inside. Exact in sign.
double outside_by(const CollisionShape& shape, const Vector3<double>& p);

/// The outline of the flat face (three corners or more) or edge (two) of a shape that is within `tilt` of normal to n; empty when there is
/// none. Round rims become a polygon of kRimCorners.
inline constexpr int kRimCorners = 12;
void support_outline(const CollisionShape& shape, const Vector3<double>& n, double tilt, std::vector<Vector3<double>>& out);

}  // namespace amble::detail
