#pragma once

#include <array>
#include <vector>

#include "amble/contact/collision_shape.hpp"

// The face, edge, corner or smooth piece of a convex shape that is farthest along a direction. What
// shape_pair() is computed with.
namespace amble::detail {

/// Which piece of a shape: by kind of shape, a corner, an edge, a face, an end, a rim.
struct PieceId {
  int i = 0, j = -1;  ///< what they say is known to support.cpp
  double tilt = 0.0;  ///< sine of how far n is from meeting it first
  int free = 0;       ///< as in SupportPiece
};

/// The pieces that a direction near n may meet first, n's own first. n is unit. Not for a ground.
struct PieceList {
  static constexpr int kMost = 128;
  std::array<PieceId, kMost> ids;
  int count = 0;
  void add(const PieceId& id) {
    if (count < kMost) ids[count++] = id;
  }
};
void pieces_near(const CollisionShape& shape, const Vector3<double>& n, PieceList& out);

/// A piece at n, in the axes of the shape: the points at + s edges[0] + t edges[1]. A direction that is met
/// by all of it is normal to its edges.
struct SupportPiece {
  Vector3<double> at = Vector3<double>::Zero();
  Matrix3<double> bend = Matrix3<double>::Zero();  ///< d at / d n on the unit sphere (m): the radii of
                                                   ///< curvature; symmetric, zero along n
  int free = 0;                                    ///< 0: one point; 1: an edge; 2: a flat face
  std::array<Vector3<double>, 2> edges{Vector3<double>::Zero(),
                                       Vector3<double>::Zero()};  ///< unit, normal to each other
};
SupportPiece support_piece(const CollisionShape& shape, const PieceId& id, const Vector3<double>& n);

/// max over the shape of n . p. Infinite for a plane along any n but its normal.
double support_height(const CollisionShape& shape, const Vector3<double>& n);

/// How far outside of the shape a point is, at least; zero or negative inside. Exact in sign.
double outside_by(const CollisionShape& shape, const Vector3<double>& p);

/// The outline of the flat face (three corners or more) or edge (two) of a shape that is within `tilt` of
/// normal to n; empty when there is none. Round rims become a polygon of kRimCorners.
inline constexpr int kRimCorners = 12;
void support_outline(const CollisionShape& shape, const Vector3<double>& n, double tilt,
                     std::vector<Vector3<double>>& out);

}  // namespace amble::detail
