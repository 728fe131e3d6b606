#include "amble/control/legged/swing_trajectory.hpp"

#include <algorithm>

namespace amble {

namespace {

constexpr double kShort = 2e-3;  // s: with less left the foot is taken to be there
constexpr double kLeast = 1e-3;  // s

}  // namespace

SwingValue quintic_towards(const SwingValue& now, double target, double left, double ahead) {
  if (!(left > 0.0)) return {target, 0.0, 0.0};
  const double T = left, c2 = 0.5 * now.acceleration;
  const double d = target - (now.value + now.rate * T + c2 * T * T), dv = -(now.rate + 2.0 * c2 * T),
               da = -2.0 * c2;
  const double c3 = (10.0 * d - 4.0 * dv * T + 0.5 * da * T * T) / (T * T * T);
  const double c4 = (-15.0 * d + 7.0 * dv * T - da * T * T) / (T * T * T * T);
  const double c5 = (6.0 * d - 3.0 * dv * T + 0.5 * da * T * T) / (T * T * T * T * T);
  const double t = ahead;
  return {now.value + t * (now.rate + t * (c2 + t * (c3 + t * (c4 + t * c5)))),
          now.rate + t * (2.0 * c2 + t * (3.0 * c3 + t * (4.0 * c4 + t * 5.0 * c5))),
          2.0 * c2 + t * (6.0 * c3 + t * (12.0 * c4 + t * 20.0 * c5))};
}

SwingValue swing_arch(double s) {
  const double u = s * (1.0 - s), r = 1.0 - 2.0 * s;
  return {64.0 * u * u * u, 192.0 * u * u * r, 384.0 * u * r * r - 384.0 * u * u};
}

SwingValue smooth_step(double s) {
  return {s * s * s * (10.0 + s * (-15.0 + 6.0 * s)), 30.0 * s * s * (1.0 - s) * (1.0 - s),
          60.0 * s * (1.0 - s) * (1.0 - 2.0 * s)};
}

void SwingMotion::advance(const Vector2<double>& target, double elapsed, double dt, double duration,
                          double settle, double speed) {
  const double left = std::max(duration - settle - (elapsed - dt), kLeast);
  if (left > kShort) {
    x = quintic_towards(x, target.x(), left, dt), y = quintic_towards(y, target.y(), left, dt);
  } else {
    x = {target.x(), 0.0, 0.0}, y = {target.y(), 0.0, 0.0};
  }
  const double phase_left = duration - (elapsed - dt);
  phase = phase_left > kLeast ? std::min(phase + dt * (1.0 - phase) / std::max(phase_left, dt), 1.0) : 1.0;
  phase_rate = phase < 1.0 ? (1.0 - phase) / std::max(duration - elapsed, kLeast) : 0.0;
  if (phase >= 1.0) lowered += speed * dt;
}

SwingValue SwingMotion::height(double height, double speed) const {
  if (phase >= 1.0) return {-lowered, -speed, 0.0};
  const SwingValue arch = swing_arch(phase);
  return {height * arch.value, height * arch.rate * phase_rate,
          height * arch.acceleration * phase_rate * phase_rate};
}

}  // namespace amble
