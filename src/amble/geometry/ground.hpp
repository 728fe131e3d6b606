#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "amble/geometry/se3.hpp"

namespace amble {

/// The ground at a place: z = height(x, y), its slope and how that changes.
struct GroundPoint {
  double height = 0.0;                                    ///< m
  Vector2<double> gradient = Vector2<double>::Zero();    ///< dz/dx, dz/dy
  Matrix2<double> curvature = Matrix2<double>::Zero();  ///< second derivatives (1/m)

  /// Unit, upwards.
  Vector3<double> normal() const;
};

/// What a mechanism stands on: a height over the plane x, y of the world. Immutable.
class Ground {
 public:
  virtual ~Ground() = default;
  virtual GroundPoint at(double x, double y) const = 0;
  /// Where it is flat throughout: a frame whose x-y plane it is, z upwards.
  virtual std::optional<Pose> plane() const { return {}; }
  /// How far above the ground a point is, straight down (m); negative below it.
  double clearance(const Vector3<double>& point) const { return point.z() - at(point.x(), point.y()).height; }
};
using GroundPtr = std::shared_ptr<const Ground>;

/// Level, or falling by `slope_deg` along +x, through (0, 0, height).
GroundPtr plane_ground(double slope_deg = 0.0, double height = 0.0);

/// Stairs along x: level until `start`, then `count` steps of `length`, each `rise` higher (negative: lower) than the one
/// before.
struct Stairs {
  double start = 0.0, length = 0.3, rise = 0.1;  ///< m
  int count = 1;
};
GroundPtr stairs_ground(const Stairs& stairs);

/// Waves, amplitude sin(2 pi frequency u), where u is the way along the horizontal direction at `direction_deg` from x. DS
/// Example 3.5 has 90.
struct Waves {
  double amplitude = 0.1, frequency = 1.0;  ///< m, 1/m
  double direction_deg = 0.0;
};
GroundPtr sine_ground(const Waves& waves);

/// Heights on a grid: `heights[i][j]` at x = x0 + i spacing, y = y0 + j spacing. Between them by cubics that go through the
/// grid with a continuous slope; beyond its edges level with them.
struct HeightField {
  double x0 = 0.0, y0 = 0.0, spacing = 0.1;  ///< m
  std::vector<std::vector<double>> heights;  ///< m
};
GroundPtr height_field_ground(const HeightField& field);

}  // namespace amble
