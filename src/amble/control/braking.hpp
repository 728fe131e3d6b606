#pragma once

#include <algorithm>
#include <cmath>

#include "amble/base/infinity.hpp"

namespace amble {

/// How something that may move by `room` at most comes to rest there: v <= w(room), as fast as `deceleration` can still
/// brake, and within `time` of the limit so that the room falls like exp(-t / time).
struct Braking {
  double time = 0.02;          ///< s
  double deceleration = 50.0;  ///< that may be counted on (rad/s^2, m/s^2)

  /// a <= dw/dt + (w - v) / time, where v is the speed towards the limit and `fastest` its bound.
  double most_acceleration(double room, double v, double fastest = kInfinity) const {
    if (std::min(room / time, fastest) == kInfinity) return kInfinity;
    double w = room / time, slope = 1.0 / time;
    if (room > deceleration * time * time) w = std::sqrt(deceleration * room), slope = 0.5 * deceleration / w;
    if (w > fastest) w = fastest, slope = 0.0;
    return (w - v) / time - slope * v;
  }
};

}  // namespace amble
