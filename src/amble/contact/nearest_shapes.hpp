#pragma once

#include "amble/contact/collision_shape.hpp"
#include "amble/contact/contact_pair.hpp"
#include "amble/contact/pair_memory.hpp"

// Nearest points of two convex shapes to rounding. The signed distance is the largest, over all directions n,
// of the gap between the shapes along n:
//
//   distance = max over unit n of  gap(n) = min over b of n . p  -  max over a of n . p.
//
// Each shape meets n with a piece (support.hpp): a smooth point, a corner, an edge or a face, and n is normal
// to edges and faces. With the pieces known this is Newton's method in n, and whether the pieces were right
// can be told from the answer: the points lie in the shapes and no point of a shape is farther along n. Where
// the shapes are apart that proves the points nearest; where they penetrate, that n is a direction of least
// depth among those near it.
namespace amble::detail {

struct NearestShapes {
  Vector3<double> p_a, p_b, normal;  ///< world axes; from a to b
  double distance = 0.0;
  bool one_pair = true;  ///< false where flat lies on flat: the points are then the middle of what they share
  bool proven = false;   ///< by the pieces; false: as far as could be found
};

/// Convex shapes, or a plane as a.
NearestShapes nearest_shapes(const CollisionShape& a, const Pose& X_WA, const CollisionShape& b,
                             const Pose& X_WB);

/// The same from a direction near the answer, without a search. `proven` is false when it leads nowhere.
NearestShapes nearest_shapes_from(const CollisionShape& a, const Pose& X_WA, const CollisionShape& b,
                                  const Pose& X_WB, const Vector3<double>& normal);

/// Nearest points for steps, by what `memory` holds of the step before, which it leaves for the next; the points mean something
/// where the distance is below the margin, otherwise it is at least that. `moved`: how far points of the two can have come towards each other since
/// then (m). Sunk in, they are along the normal that the shapes met with, as long as that is the least depth among directions
/// near it.
NearestShapes nearest_shapes_again(const CollisionShape& a, const Pose& X_WA, const CollisionShape& b, const Pose& X_WB,
                                   double margin, double moved, PairMemory& memory);
/// Whether two convex shapes have a point in common, to rounding.
bool shapes_overlap(const CollisionShape& a, const Pose& X_WA, const CollisionShape& b, const Pose& X_WB);

/// How proven nearest points move. Throws an Error naming `name` where they are not one pair.
ContactMotion motion_of_nearest(const std::string& name, const CollisionShape& a, const FrameMotion& frame_a,
                                const CollisionShape& b, const FrameMotion& frame_b,
                                const Vector3<double>& normal);

/// What two flat faces or edges that look at each other along n have in common, each corner as a point on b's
/// side; p_a is straight across. Both outlines in world axes; a face is three corners or more, an edge two.
void overlap(const std::vector<Vector3<double>>& a, const std::vector<Vector3<double>>& b,
             const Vector3<double>& n, std::vector<std::pair<Vector3<double>, Vector3<double>>>& out);

}  // namespace amble::detail
