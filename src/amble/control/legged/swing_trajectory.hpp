#pragma once

#include "amble/geometry/vector.hpp"

namespace amble {

/// A number along a path, with its rates.
struct SwingValue {
  double value = 0.0, rate = 0.0, acceleration = 0.0;
};

/// `ahead` later on the polynomial of order 5 that leads from `now` to rest at `target` in `left` (s); at the
/// target once there is no time left.
SwingValue quintic_towards(const SwingValue& now, double target, double left, double ahead);

/// 64 s^3 (1 - s)^3: 0 at both ends with zero first and second derivatives, 1 in the middle; derivatives by
/// s.
SwingValue swing_arch(double s);
/// 10 s^3 - 15 s^4 + 6 s^5: from 0 to 1 at rest; derivatives by s.
SwingValue smooth_step(double s);

/// The swing of a foot as it is commanded: horizontally towards a target that may move, its phase s from 0 to
/// 1 at a rate that follows the time left, so that both stay smooth when target and duration change.
struct SwingMotion {
  SwingValue x, y;
  double phase = 0.0, phase_rate = 0.0;  ///< 1/s
  double lowered = 0.0;                  ///< below the expected ground once the phase is over (m)

  /// From `elapsed` - `dt` to `elapsed` (s) of a swing of `duration`, horizontally at its target `settle`
  /// before the end; beyond the end down at `speed` (m/s).
  void advance(const Vector2<double>& target, double elapsed, double dt, double duration, double settle,
               double speed);
  /// Above the ground, with an arch of `height` (m).
  SwingValue height(double height, double speed) const;
};

}  // namespace amble
