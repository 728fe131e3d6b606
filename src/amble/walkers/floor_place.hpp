#pragma once

#include <cmath>

namespace amble {

/// Where axes lie on the floor, seen from others: moved along it, turned about its normal, and in a mirror
/// that exchanges left and right when `mirrored`.
struct FloorPlace {
  double x = 0.0, y = 0.0;  ///< m
  double turn = 0.0;        ///< rad
  bool mirrored = false;
  double z = 0.0;  ///< m, along its normal: where the floor has a step

  /// Of axes that lie at `next` in these.
  FloorPlace then(const FloorPlace& next) const {
    const double side = mirrored ? -1.0 : 1.0, c = std::cos(turn), s = std::sin(turn);
    return {x + c * next.x - s * side * next.y, y + s * next.x + c * side * next.y, turn + side * next.turn,
            mirrored != next.mirrored, z + next.z};
  }
  double distance() const { return std::hypot(x, y); }
};

}  // namespace amble
