#pragma once

#include <array>
#include <vector>

#include "amble/contact/pair_memory.hpp"

// The face, edge, corner or smooth piece of a convex shape that is farthest along a direction. What
// shape_pair() is computed with.
namespace amble::detail {

/// The pieces that a direction near n may meet first: those that are within kMostTilt of it. n is unit. Not
/// for a ground.
struct PieceList {
  static constexpr int kMost = 128;
  static constexpr double kMostTilt = 0.1;
  std::array<PieceId, kMost> ids;
  int count = 0;
  void add(const PieceId& id) {
    if (id.tilt <= kMostTilt && count < kMost) ids[count++] = id;
  }
};
/// `corner`: of a mesh, where to climb from, and then the corner that is farthest along n; of other shapes
/// unused.
void pieces_near(const CollisionShape& shape, const Vector3<double>& n, int& corner, PieceList& out);

/// A piece at n, in the axes of the shape: the points at + s edges[0] + t edges[1]. A direction that is met
/// by all of it is normal to its edges.
struct SupportPiece {
  Vector3<double> at = Vector3<double>::Zero();
  Matrix3<double> bend = Matrix3<double>::Zero();  ///< d at / d n on the unit sphere (m): the radii of
                                                   ///< curvature; symmetric, zero along n
  bool curved = false;                             ///< whether `bend` is not zero
  int free = 0;                                    ///< 0: one point; 1: an edge; 2: a flat face
  std::array<Vector3<double>, 2> edges{Vector3<double>::Zero(),
                                       Vector3<double>::Zero()};  ///< unit, normal to each other
};
SupportPiece support_piece(const CollisionShape& shape, const PieceId& id, const Vector3<double>& n);

/// max over the shape of n . p. Infinite for a plane along any n but its normal. `corner` as above.
double support_height(const CollisionShape& shape, const Vector3<double>& n, int& corner);
/// A point of a convex shape that is farthest along n.
Vector3<double> support_point(const CollisionShape& shape, const Vector3<double>& n, int& corner);

/// How far outside of the shape a point near one of its pieces is, at least; zero or negative inside. Of a
/// mesh: outside of the piece.
double outside_by(const CollisionShape& shape, const PieceId& id, const Vector3<double>& p);

/// The outline of the flat face (three corners or more) or edge (two) of a shape that is within `tilt` of
/// normal to n; empty when there is none. Round rims become a polygon of kRimCorners.
inline constexpr int kRimCorners = 12;
void support_outline(const CollisionShape& shape, const Vector3<double>& n, double tilt, int& corner,
                     std::vector<Vector3<double>>& out);

/// Corners of a mesh that are at most `below` lower along n than the highest one, that one first. They hang
/// together: only these and their neighbours are looked at.
void corners_near_top(const ConvexMesh& mesh, const Vector3<double>& n, double below, int& corner,
                      std::vector<int>& out);

}  // namespace amble::detail
