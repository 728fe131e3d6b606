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

/// A shape on a body.
struct PlacedShape {
  std::string name;
  Shape shape;
  Pose X_BS;
  std::optional<std::array<double, 4>> color;  ///< red, green, blue, opacity in 0..1
};

}  // namespace amble
