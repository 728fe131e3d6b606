#include "amble/control/stance/limb_arc.hpp"

#include <algorithm>

namespace amble {

namespace {

/// Shares of the duration: when the lift is complete, and when the way across begins; mirrored at the end.
constexpr double kLifted = 0.45, kAcross = 0.15;

}  // namespace

Blend blend(double t, double duration) {
  if (t <= 0.0) return {};
  if (t >= duration) return {1.0, 0.0, 0.0};
  const double s = t / duration, r = 1.0 - s;
  return {std::min(1.0, s * s * s * (10.0 + s * (6.0 * s - 15.0))), 30.0 * s * s * r * r / duration,
          60.0 * s * r * (1.0 - 2.0 * s) / (duration * duration)};
}

LimbArc::Motion LimbArc::at(double t) const {
  using V = Vector3<double>;
  const Blend u = blend(t - kAcross * duration, (1.0 - 2.0 * kAcross) * duration);
  const Blend up = blend(t, kLifted * duration), down = blend(t - (1.0 - kLifted) * duration, kLifted * duration);
  const double w = up.value - down.value, w1 = up.rate - down.rate, w2 = up.acceleration - down.acceleration;
  const V way = to.translation() - from.translation(), n0 = from.rotation().matrix().col(2),
          turned = to.rotation().matrix().col(2) - n0, n = n0 + u.value * turned;
  const V p = from.translation() + u.value * way + lift * w * n;
  const V p1 = u.rate * way + lift * (w1 * n + w * u.rate * turned);
  const V p2 = u.acceleration * way + lift * (w2 * n + 2.0 * w1 * u.rate * turned + w * u.acceleration * turned);
  const V turn = (from.rotation().inverse() * to.rotation()).log();
  const SO3<double> R = from.rotation() * SO3<double>::exp(V(u.value * turn)), back = R.inverse();
  const V omega = u.rate * turn, along = back * p1;
  return {Pose(R, p), {along, omega}, {V(back * p2) - cross<double>(omega, along), V(u.acceleration * turn)}};
}

}  // namespace amble
