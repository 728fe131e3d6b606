#pragma once

#include <cmath>
#include <functional>

#include "amble/base/random.hpp"
#include "amble/contact/contact_pair.hpp"

// Frames that move with a constant velocity, and derivatives by differences of order 8: what velocities of
// contact points are checked with.
namespace amble::testing {

using V = Vector3<double>;

inline V random_vector(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

inline Pose random_pose(Random& random, double away) {
  return Pose(SO3<double>::exp(random_vector(random, 3.0)), random_vector(random, away));
}

struct MovingFrame {
  Pose start;
  V omega = V::Zero(), v = V::Zero();

  FrameMotion at(double t) const {
    FrameMotion out;
    out.R = (SO3<double>::exp(t * omega) * start.rotation()).matrix();
    out.p = start.translation() + t * v;
    out.omega = omega;
    out.p_dot = v;
    return out;
  }
};

inline MovingFrame moving(Random& random, const Pose& start) {
  return {start, random_vector(random, 1.0), random_vector(random, 1.0)};
}

template <class F>
auto slope_of(F f, double h) {
  const double w[] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
  std::decay_t<decltype(f(h))> out = w[0] / h * (f(h) - f(-h));
  for (int k = 2; k <= 4; ++k) out += w[k - 1] / h * (f(k * h) - f(-k * h));
  return out;
}

/// The motion by differences of nearest() over 8 steps of h.
inline ContactMotion motion_by_differences(const ContactPair& pair, const MovingFrame& a,
                                           const MovingFrame& b, double h) {
  const auto at = [&](double t) { return pair.nearest(a.at(t), b.at(t)); };
  ContactMotion out;
  out.p_a_dot = slope_of([&](double t) -> V { return at(t).p_a; }, h);
  out.p_b_dot = slope_of([&](double t) -> V { return at(t).p_b; }, h);
  out.normal_dot = slope_of([&](double t) -> V { return at(t).normal; }, h);
  out.distance_rate = slope_of([&](double t) { return at(t).distance; }, h);
  return out;
}

inline double difference(const ContactMotion& x, const ContactMotion& y) {
  return (x.p_a_dot - y.p_a_dot).norm() + (x.p_b_dot - y.p_b_dot).norm() +
         (x.normal_dot - y.normal_dot).norm() + std::abs(x.distance_rate - y.distance_rate);
}

inline double size_of(const ContactMotion& x) {
  return x.p_a_dot.norm() + x.p_b_dot.norm() + x.normal_dot.norm();
}

}  // namespace amble::testing
