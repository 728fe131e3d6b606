#pragma once

#include <array>
#include <cstdint>

#include "amble/contact/collision_shape.hpp"
#include "amble/contact/contact_point.hpp"
#include "amble/contact/pair_memory.hpp"

namespace amble {

/// Where two bodies touch: up to eight points with one normal, or nearly one.
struct ContactManifold {
  static constexpr int kMost = 8;
  int count = 0;
  std::array<ContactPoint, kMost> points;
  /// Which corner, edge or end of the bodies a point belongs to: a point with the same key a step later is
  /// the same one, moved.
  std::array<std::uint32_t, kMost> keys{};
};

/// The points of contact of two bodies whose distance is below `margin` (m, zero or more), for time stepping;
/// `out` is overwritten but for link_a and link_b of its points. No more than what a rigid body rests on: the
/// corners of a face, the ends of a line.
///
/// Exact and without allocating: spheres, capsules, boxes, cylinders, ellipsoids and meshes on a plane;
/// spheres, capsules and boxes among each other. Other convex pairs: the nearest points of shape_pair(), and
/// the corners of the faces that meet there. On a ground: corners, spheres and end spheres, each at its
/// nearest point of the ground; edges and faces are not seen between corners.
///
/// Normals are out of a towards b. Two boxes that are apart are told apart along the best of fifteen axes, so
/// that a distance between two corners is a little too small. Planes and grounds among each other are an
/// Error.
///
/// `near`: a normal that was right a moment ago, or null. Other convex pairs then need no search: quicker, and without
/// allocating unless they have come to touch elsewhere. For a cylinder b on a plane: a direction to where its rim touched,
/// or will: of a can that stands level as far as rounding can tell, that point stays the same.
void collide(const CollisionShape& a, const Pose& X_WA, const CollisionShape& b, const Pose& X_WB,
             double margin, ContactManifold& out, const Vector3<double>* near = nullptr);

/// The same of two convex shapes that collide() would search for, neither a plane nor a ground, again and again as they move:
/// `memory` is what this left there the last time, `moved` how far points of the two can have come towards each other since
/// (m). Needs no search while they are where that leads, and does not allocate then. Bodies that are apart are looked at along
/// the direction remembered alone; bodies that are sunk in come out the way they went in, also where another one is shorter.
void collide_again(const CollisionShape& a, const Pose& X_WA, const CollisionShape& b, const Pose& X_WB,
                   double margin, double moved, PairMemory& memory, ContactManifold& out);

}  // namespace amble
