#pragma once

#include <array>

#include "amble/geometry/vector.hpp"

namespace amble {

/// A convex polygon in the ground plane, counterclockwise; a point or a line with one or two corners. Memory
/// is its own.
class SupportPolygon {
 public:
  static constexpr int kMost = 32;  ///< corners given

  /// The convex hull of these points.
  void add(const Vector2<double>& point);
  void clear() { given_ = count_ = 0; }
  int corners() const { return build(), count_; }
  const Vector2<double>& corner(int i) const { return build(), hull_[i]; }

  /// The nearest point of the polygon.
  Vector2<double> clip(const Vector2<double>& point) const;

 private:
  void build() const;
  mutable std::array<Vector2<double>, kMost> points_, hull_;
  mutable int given_ = 0, count_ = 0;
};

}  // namespace amble
