#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "amble/geometry/se3.hpp"

namespace amble {

/// What a body looks like or collides as. `size` by kind (metres):
/// box: full edge lengths; sphere: (radius, 0, 0); cylinder, capsule: (radius, length, 0) along z, a capsule's length
/// without its caps; ellipsoid: semi-axes; plane: none, normal +z; mesh: scale factors.
struct Shape {
  enum class Kind { box, sphere, cylinder, capsule, ellipsoid, plane, mesh };
  Kind kind = Kind::box;
  Vector3<double> size = Vector3<double>::Zero();
  std::string file;  ///< mesh only: as the model file names it
  std::string path;  ///< mesh only: where it was found when the model was loaded, absolute; empty when it was not

  bool operator==(const Shape&) const = default;
};

std::string_view shape_name(Shape::Kind kind);
std::optional<Shape::Kind> shape_kind(std::string_view name);

/// How a shape touches others, where its model file says so.
struct ContactSurface {
  /// What two coefficients of friction give where both surfaces have the same rule: the larger one (MJCF), the
  /// smaller one (SDFormat), or their geometric mean, which also holds for surfaces of different rules.
  enum class Combine { mean, larger, smaller };

  std::optional<double> friction;  ///< Coulomb's coefficient; not given: the scene's
  Combine combine = Combine::mean;
  int priority = 0;           ///< where priorities differ, the higher one alone decides about friction
  bool frictionless = false;  ///< between two such surfaces (one, by priority) there is no friction
  /// Two shapes may touch if one's type and the other's affinity have a bit in common; -1 has all.
  int type = 1, affinity = 1;
  double margin = 0.0;  ///< of a layer around the shape that others do not enter (m); layers add up

  bool operator==(const ContactSurface&) const = default;
};

std::string_view combine_name(ContactSurface::Combine rule);
std::optional<ContactSurface::Combine> combine_rule(std::string_view name);

/// A shape on a body.
struct PlacedShape {
  std::string name;
  Shape shape;
  Pose X_BS;
  std::optional<std::array<double, 4>> color;  ///< red, green, blue, opacity in 0..1
  std::optional<ContactSurface> surface = {};  ///< of collision shapes; not given: the scene's material
};

}  // namespace amble
