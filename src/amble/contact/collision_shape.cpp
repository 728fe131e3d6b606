#include "amble/contact/collision_shape.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "amble/base/error.hpp"

namespace amble {

namespace {

double positive(double value, const char* shape, const char* what) {
  if (!(value > 0.0) || !std::isfinite(value))
    throw Error(fmt::format("a {} with {} {}: expected more than 0", shape, what, value));
  return value;
}

CollisionShape sized(CollisionShape::Kind kind, double x, double y = 0.0, double z = 0.0) {
  return {.kind = kind, .size = {x, y, z}};
}

using Kind = CollisionShape::Kind;

}  // namespace

double CollisionShape::reach() const {
  switch (kind) {
    case Kind::sphere:
      return size[0];
    case Kind::capsule:
      return size[0] + size[1];
    case Kind::box:
      return size.norm();
    case Kind::cylinder:
      return std::sqrt(size[0] * size[0] + size[1] * size[1]);
    case Kind::ellipsoid:
      return size.maxCoeff();
    case Kind::mesh:
      return mesh->middle().norm() + mesh->radius();
    case Kind::plane:
    case Kind::ground:
      break;
  }
  return std::numeric_limits<double>::infinity();
}

CollisionShape sphere_shape(double radius) {
  return sized(Kind::sphere, positive(radius, "sphere", "radius"));
}

CollisionShape capsule_shape(double radius, double length) {
  if (!(length >= 0.0) || !std::isfinite(length))
    throw Error(fmt::format("a capsule with length {}: expected 0 or more", length));
  return sized(Kind::capsule, positive(radius, "capsule", "radius"), 0.5 * length);
}

CollisionShape box_shape(const Vector3<double>& edges) {
  for (int i = 0; i < 3; ++i) positive(edges[i], "box", "edge");
  return sized(Kind::box, 0.5 * edges[0], 0.5 * edges[1], 0.5 * edges[2]);
}

CollisionShape cylinder_shape(double radius, double length) {
  return sized(Kind::cylinder, positive(radius, "cylinder", "radius"),
               0.5 * positive(length, "cylinder", "length"));
}

CollisionShape ellipsoid_shape(const Vector3<double>& semi_axes) {
  for (int i = 0; i < 3; ++i) positive(semi_axes[i], "ellipsoid", "semi-axis");
  return sized(Kind::ellipsoid, semi_axes[0], semi_axes[1], semi_axes[2]);
}

CollisionShape mesh_shape(std::shared_ptr<const ConvexMesh> mesh) {
  if (!mesh) throw Error("a mesh shape without a mesh: expected one");
  CollisionShape out{.kind = Kind::mesh};
  out.mesh = std::move(mesh);
  return out;
}

CollisionShape plane_shape() { return {.kind = Kind::plane}; }

CollisionShape ground_shape(GroundPtr ground) {
  if (!ground) throw Error("a ground shape without a ground: expected one");
  CollisionShape out{.kind = Kind::ground};
  out.ground = std::move(ground);
  return out;
}

CollisionShape collision_shape(const Shape& shape) {
  switch (shape.kind) {
    case Shape::Kind::box:
      return box_shape(shape.size);
    case Shape::Kind::sphere:
      return sphere_shape(shape.size[0]);
    case Shape::Kind::cylinder:
      return cylinder_shape(shape.size[0], shape.size[1]);
    case Shape::Kind::capsule:
      return capsule_shape(shape.size[0], shape.size[1]);
    case Shape::Kind::ellipsoid:
      return ellipsoid_shape(shape.size);
    case Shape::Kind::plane:
      return plane_shape();
    case Shape::Kind::mesh:
      return mesh_shape(load_convex_mesh(shape));
  }
  throw Error("a shape of no known kind");
}

}  // namespace amble
