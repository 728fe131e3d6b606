#pragma once

#include "amble/contact/collide.hpp"

// The pieces of collide(), by what meets what. Each adds points below the margin to a manifold; a is what
// comes first.
namespace amble::detail {

struct Placed {
  const CollisionShape& shape;
  const Matrix3<double>& R;  ///< of the shape's frame, in world axes
  const Vector3<double>& p;
};

/// A point on the surface of b, which is `distance` from a along the normal.
inline void put_on_b(const Vector3<double>& p_b, const Vector3<double>& normal, double distance,
                     std::uint32_t key, ContactManifold& out) {
  if (out.count == ContactManifold::kMost) return;
  ContactPoint& point = out.points[out.count];
  point.p_b = p_b;
  point.p_a = p_b - distance * normal;
  point.normal = normal;
  point.distance = distance;
  out.keys[out.count++] = key;
}

/// The same with a for b and b for a.
void turn_over(ContactManifold& out);

/// The point between the ends -half u, +half u of a stick about `middle` that is nearest to `p`, as its
/// coordinate along u.
double nearest_on_stick(const Vector3<double>& middle, const Vector3<double>& u, double half,
                        const Vector3<double>& p);

/// Two balls.
void put_balls(const Vector3<double>& a, double radius_a, const Vector3<double>& b, double radius_b,
               double margin, std::uint32_t key, ContactManifold& out);

void plane_and_convex(const Placed& a, const Placed& b, double margin, const Vector3<double>* near, ContactManifold& out);
void ground_and_convex(const Placed& a, const Placed& b, double margin, ContactManifold& out);
void capsule_and_capsule(const Placed& a, const Placed& b, double margin,
                         ContactManifold& out);                                               ///< or spheres
void box_and_capsule(const Placed& a, const Placed& b, double margin, ContactManifold& out);  ///< or a sphere
void box_and_box(const Placed& a, const Placed& b, double margin, ContactManifold& out);
/// Any two convex shapes. `near`: as in collide().
void convex_and_convex(const Placed& a, const Placed& b, double margin, const Vector3<double>* near,
                       ContactManifold& out);
/// The same: as collide_again().
void convex_and_convex_again(const Placed& a, const Placed& b, double margin, double moved, PairMemory& memory,
                             ContactManifold& out);

}  // namespace amble::detail
