#pragma once

#include <cmath>
#include <limits>

#include "amble/base/random.hpp"
#include "amble/contact/collision_shape.hpp"

// Random convex shapes, and what collide() is tested against, written here once more.
namespace amble {

using Kind = CollisionShape::Kind;
using V = Vector3<double>;

inline V random_vector(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

inline Pose random_pose(Random& random, double away) {
  return Pose(SO3<double>::exp(random_vector(random, 3.0)), random_vector(random, away));
}

inline std::shared_ptr<const ConvexMesh> random_mesh(Random& random, int count) {
  std::vector<V> points;
  for (int i = 0; i < count; ++i) points.push_back(random_vector(random, 0.6));
  return std::make_shared<ConvexMesh>(points);
}

inline CollisionShape random_shape(Random& random, Kind kind) {
  const auto size = [&] { return random.uniform(0.3, 1.2); };
  switch (kind) {
    case Kind::sphere:
      return sphere_shape(size());
    case Kind::capsule:
      return capsule_shape(0.5 * size(), 2.0 * size());
    case Kind::box:
      return box_shape({size(), size(), size()});
    case Kind::cylinder:
      return cylinder_shape(0.5 * size(), size());
    case Kind::ellipsoid:
      return ellipsoid_shape({0.5 * size(), 0.5 * size(), 0.5 * size()});
    case Kind::mesh:
      return mesh_shape(random_mesh(random, 12));
    case Kind::plane:
    case Kind::ground:
      break;
  }
  return plane_shape();
}

/// The farthest point along n, written here once more.
inline V farthest(const CollisionShape& s, const V& n) {
  const double across = std::hypot(n[0], n[1]);
  const auto sign = [](double x) { return x < 0.0 ? -1.0 : 1.0; };
  switch (s.kind) {
    case Kind::sphere:
      return s.size[0] * n.normalized();
    case Kind::capsule:
      return s.size[0] * n.normalized() + V(0.0, 0.0, sign(n[2]) * s.size[1]);
    case Kind::box:
      return {sign(n[0]) * s.size[0], sign(n[1]) * s.size[1], sign(n[2]) * s.size[2]};
    case Kind::cylinder: {
      const double r = across > 0.0 ? s.size[0] / across : 0.0;
      return {r * n[0], r * n[1], sign(n[2]) * s.size[1]};
    }
    case Kind::ellipsoid:
      return s.size.cwiseProduct(s.size.cwiseProduct(n).normalized());
    case Kind::mesh: {
      V best = s.mesh->vertices()[0];
      for (const V& v : s.mesh->vertices())
        if (v.dot(n) > best.dot(n)) best = v;
      return best;
    }
    case Kind::plane:
    case Kind::ground:
      break;
  }
  return V::Zero();
}

inline double gap(const CollisionShape& a, const Pose& X_WA, const CollisionShape& b, const Pose& X_WB,
                  const V& n) {
  const V on_a = X_WA * farthest(a, X_WA.rotation().inverse() * n),
          on_b = X_WB * farthest(b, X_WB.rotation().inverse() * V(-n));
  return n.dot(on_b - on_a);
}

/// How far outside of the shape, at least.
inline double outside(const CollisionShape& s, const V& p) {
  double most = -std::numeric_limits<double>::infinity();
  switch (s.kind) {
    case Kind::sphere:
      return p.norm() - s.size[0];
    case Kind::capsule:
      return std::hypot(p[0], p[1], std::max(0.0, std::abs(p[2]) - s.size[1])) - s.size[0];
    case Kind::box:
      return (p.cwiseAbs() - s.size).maxCoeff();
    case Kind::cylinder:
      return std::max(std::hypot(p[0], p[1]) - s.size[0], std::abs(p[2]) - s.size[1]);
    case Kind::ellipsoid:
      return p.cwiseQuotient(s.size).norm() - 1.0;
    case Kind::mesh:
      for (const ConvexMesh::Face& face : s.mesh->faces())
        most = std::max(most, face.normal.dot(p - s.mesh->vertices()[face.corners[0]]));
      return most;
    case Kind::plane:
    case Kind::ground:
      break;
  }
  return p[2];
}

}  // namespace amble
