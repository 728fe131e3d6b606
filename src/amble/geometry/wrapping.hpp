#pragma once

#include <optional>

#include "amble/geometry/vector.hpp"

// The shortest way of a cord round a sphere or a cylinder.
namespace amble {

/// Where a cord touches: it runs straight to `first`, over the surface to `second` for `length`, and straight
/// on. Pressed against the inside it touches at one point, and the length is zero.
struct Wrap {
  Vector3<double> first, second;
  double length = 0.0;
};

/// A sphere at the origin, or a cylinder of any length along z.
struct WrapShape {
  bool cylinder = false;
  double radius = 0.0;
};

/// The way from `p0` to `p1`, in the axes of the shape; nothing where it is straight. With a side point, the
/// cord passes on its side even if the straight line passes clear on the other, and touches the inside when
/// that point is inside. Without one it takes the shorter way round. An end inside means a straight way.
std::optional<Wrap> wrap(const WrapShape& shape, const Vector3<double>& p0, const Vector3<double>& p1,
                         const std::optional<Vector3<double>>& side = {});

}  // namespace amble
