#include <cmath>

#include "amble/contact/collide_parts.hpp"
#include "amble/contact/ground_nearest.hpp"

namespace amble::detail {

namespace {

using Kind = CollisionShape::Kind;

/// Takes balls (points: of radius 0) of b and keeps those below the margin.
struct GroundSieve {
  const Placed& ground;
  double margin;
  ContactManifold& out;

  Vector3<double> in_ground(const Vector3<double>& p) const { return ground.R.transpose() * (p - ground.p); }
  void take(const Vector3<double>& centre, double radius, std::uint32_t key) const {
    const GroundNearest nearest = nearest_on_ground(*ground.shape.ground, in_ground(centre));
    const Vector3<double> n = ground.R * nearest.normal;
    if (nearest.distance - radius < margin)
      put_on_b(centre - radius * n, n, nearest.distance - radius, key, out);
  }
};

/// The plane that touches the ground where it is nearest to the middle of b.
struct TangentPlane {
  Matrix3<double> R;
  Vector3<double> p;
};
TangentPlane plane_below(const Placed& a, const Vector3<double>& middle) {
  const GroundNearest below = nearest_on_ground(*a.shape.ground, a.R.transpose() * (middle - a.p));
  const Vector3<double> n = a.R * below.normal, x = (a.R.col(0) - n * n.dot(a.R.col(0))).normalized();
  TangentPlane out;
  out.R << x, cross<double>(n, x), n;
  out.p = a.p + a.R * below.point;
  return out;
}

/// Where a convex body would rest on the plane below it, each point then against the ground itself.
void put_rest_points(const GroundSieve& sieve, const Placed& b, const Vector3<double>& middle) {
  const TangentPlane below = plane_below(sieve.ground, middle);
  static const CollisionShape plane = plane_shape();
  ContactManifold rest;
  plane_and_convex({plane, below.R, below.p}, b, std::numeric_limits<double>::infinity(), nullptr, rest);
  for (int i = 0; i < rest.count; ++i) sieve.take(rest.points[i].p_b, 0.0, rest.keys[i]);
}

/// The lowest point moves with the ground's slope below it: a few rounds find where both normals agree.
void put_ellipsoid(const GroundSieve& sieve, const Placed& b) {
  Vector3<double> n =
      sieve.ground.R * nearest_on_ground(*sieve.ground.shape.ground, sieve.in_ground(b.p)).normal;
  Vector3<double> lowest = b.p;
  GroundNearest below;
  for (int i = 0; i < 30; ++i) {
    const Vector3<double> scaled = b.shape.size.cwiseProduct(b.R.transpose() * n);
    lowest = b.p - b.R * b.shape.size.cwiseProduct(scaled) / scaled.norm();
    below = nearest_on_ground(*sieve.ground.shape.ground, sieve.in_ground(lowest));
    const Vector3<double> next = sieve.ground.R * below.normal;
    const bool settled = (next - n).norm() < 1e-12;
    n = next;
    if (settled) break;
  }
  if (below.distance < sieve.margin) put_on_b(lowest, n, below.distance, 0, sieve.out);
}

}  // namespace

void ground_and_convex(const Placed& a, const Placed& b, double margin, ContactManifold& out) {
  const GroundSieve sieve{a, margin, out};
  const double r = b.shape.size[0];
  switch (b.shape.kind) {
    case Kind::sphere:
      return sieve.take(b.p, r, 0);
    case Kind::capsule: {
      const Vector3<double> half = b.shape.size[1] * b.R.col(2);
      sieve.take(b.p - half, r, 0);
      return sieve.take(b.p + half, r, 1);
    }
    case Kind::ellipsoid:
      return put_ellipsoid(sieve, b);
    case Kind::box:
    case Kind::cylinder:
      return put_rest_points(sieve, b, b.p);
    case Kind::mesh:
      return put_rest_points(sieve, b, b.R * b.shape.mesh->middle() + b.p);
    case Kind::plane:
    case Kind::ground:
      break;
  }
}

}  // namespace amble::detail
