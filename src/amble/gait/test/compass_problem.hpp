#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <type_traits>

#include "amble/gait/dual_function.hpp"
#include "amble/gait/search_problem.hpp"

namespace amble {

/// The compass walker of DS Fig 4.2 written out by hand: unit legs with mass m at their middle, hip mass mH;
/// stance foot at the origin, hip at (-sin q3, cos q3), floor along y, gravity tilted by the slope.
struct Compass {
  double m = 1.0, mH = 5.0, k = 0.0, d = 0.0;  // k, d: spring and damper between the legs
  double gravity = 9.8, slope = 3.0 * std::numbers::pi / 180.0;
};

namespace compass {

template <class T>
struct Design {
  T m, mH, k, d;
};

/// The numbers of the design are those of the compass, or parameters of the search in the order m, mH, k, d.
template <class T, std::size_t P>
Design<T> design(const Compass& c, const std::array<T, P>& p) {
  if constexpr (P == 4)
    return {p[0], p[1], p[2], p[3]};
  else
    return {T(c.m), T(c.mH), T(c.k), T(c.d)};
}

template <class Array>
using Number = typename std::decay_t<Array>::value_type;

/// Lagrange's equations in the angles of the legs, theta1 = q3 and theta2 = q3 + q4.
template <int P>
SearchFunctionPtr torques(const Compass& c) {
  return dual_function<2, 2, P>([c](const auto& q, const auto& v, const auto& a, const auto& p, auto& tau) {
    using T = Number<decltype(q)>;
    using std::sin, std::cos;
    const Design<T> x = design(c, p);
    const T theta1 = q[0], theta2 = q[0] + q[1], w1 = v[0], w2 = v[0] + v[1], a1 = a[0], a2 = a[0] + a[1];
    const T half = 0.5 * x.m, s = sin(theta1 - theta2), co = cos(theta1 - theta2);
    const T first = (x.mH + 1.25 * x.m) * a1 - half * co * a2 - half * s * w2 * w2 -
                    c.gravity * (1.5 * x.m + x.mH) * sin(theta1 - c.slope);
    const T second =
        0.25 * x.m * a2 - half * co * a1 + half * s * w1 * w1 + c.gravity * half * sin(theta2 - c.slope);
    tau[0] = first + second;
    tau[1] = second + x.k * q[1] + x.d * v[1];
  });
}

/// Impact and relabelling: the angular momenta of all about the new stance foot and of the new swing leg
/// about the hip stay.
template <int P>
SearchFunctionPtr reset(const Compass& c) {
  return dual_function<4, 2, P>([c](const auto& q, const auto& v, const auto&, const auto& p, auto& out) {
    using T = Number<decltype(q)>;
    using std::sin, std::cos;
    const Design<T> x = design(c, p);
    struct Plane {
      T y, z;
    };
    const T old_angle = q[0], new_angle = q[0] + q[1];
    const Plane old_leg{-sin(old_angle), cos(old_angle)},
        new_leg{-sin(new_angle), cos(new_angle)};  // foot to hip
    const Plane old_turn{-cos(old_angle), -sin(old_angle)}, new_turn{-cos(new_angle), -sin(new_angle)};
    const auto scaled = [](double f, const Plane& u) { return Plane{f * u.y, f * u.z}; };
    const auto sum = [](const Plane& u, const Plane& w) { return Plane{u.y + w.y, u.z + w.z}; };
    const auto times = [](const T& f, const Plane& u) { return Plane{f * u.y, f * u.z}; };
    const auto moment = [](const Plane& u, const Plane& w) { return u.y * w.z - u.z * w.y; };
    // Places seen from the new stance foot.
    const Plane on_new = scaled(0.5, new_leg), hip = new_leg, on_old = sum(new_leg, scaled(-0.5, old_leg));
    // Momenta for the velocities of the hip and the two rates of the legs.
    const auto momenta = [&](const Plane& v_hip, const T& rate_new, const T& rate_old) {
      const Plane v_on_new = sum(v_hip, times(rate_new * -0.5, new_turn));
      const Plane v_on_old = sum(v_hip, times(rate_old * -0.5, old_turn));
      return std::array<T, 2>{
          x.m * moment(on_new, v_on_new) + x.mH * moment(hip, v_hip) + x.m * moment(on_old, v_on_old),
          x.m * moment(scaled(-0.5, old_leg), v_on_old)};
    };
    const auto before = momenta(times(v[0], old_turn), v[0] + v[1], v[0]);
    const auto one = momenta(new_turn, T(1.0), T(0.0)), two = momenta(Plane{T(0.0), T(0.0)}, T(0.0), T(1.0));
    const T det = one[0] * two[1] - two[0] * one[1];
    const T rate_new = (before[0] * two[1] - two[0] * before[1]) / det;
    const T rate_old = (one[0] * before[1] - before[0] * one[1]) / det;
    out[0] = q[0] + q[1], out[1] = -q[1];
    out[2] = rate_new, out[3] = rate_old - rate_new;
  });
}

/// Both feet on the floor: q4 = -2 q3.
template <int P>
SearchFunctionPtr both_feet() {
  return dual_function<1, 2, P>(
      [](const auto& q, const auto&, const auto&, const auto&, auto& out) { out[0] = q[1] + 2.0 * q[0]; });
}

template <int P>
SearchFunctionPtr step_length() {
  return dual_function<1, 2, P>([](const auto& q, const auto&, const auto&, const auto&, auto& out) {
    using std::sin;
    out[0] = sin(q[0]) - sin(q[0] + q[1]);
  });
}

/// DS (4.23): the speed of the swing foot away from the floor.
template <int P>
SearchFunctionPtr foot_speed() {
  return dual_function<1, 2, P>([](const auto& q, const auto& v, const auto&, const auto&, auto& out) {
    using std::sin;
    out[0] = -sin(q[0]) * v[0] + sin(q[0] + q[1]) * (v[0] + v[1]);
  });
}

/// Height of the swing foot.
template <int P>
SearchFunctionPtr clearance() {
  return dual_function<1, 2, P>([](const auto& q, const auto&, const auto&, const auto&, auto& out) {
    using std::cos;
    out[0] = cos(q[0]) - cos(q[0] + q[1]);
  });
}

/// `foot_speed`: at least this much downwards before impact, none for 0.
template <int P = 0>
SearchProblem problem(const Compass& c = {}, double foot_speed_down = 0.0) {
  SearchPhase step{.name = "step", .coordinates = {"q3", "q4"}};
  step.torques = torques<P>(c);
  step.reset = reset<P>(c);
  step.conditions.push_back({.name = "both feet on the floor",
                             .where = SearchCondition::Where::start,
                             .function = both_feet<P>(),
                             .lower = {0.0},
                             .upper = {0.0}});
  if (foot_speed_down > 0.0)
    step.conditions.push_back({.name = "foot speed",
                               .where = SearchCondition::Where::end,
                               .function = foot_speed<P>(),
                               .lower = {-kInfinity},
                               .upper = {-foot_speed_down}});
  SearchProblem all{
      .phases = {step}, .step_length = step_length<P>(), .leg_length = 1.0, .gravity = c.gravity};
  if (P == 4)
    all.parameters = {
        {"m", c.m, c.m, c.m}, {"mH", c.mH, c.mH, c.mH}, {"k", c.k, c.k, c.k}, {"d", c.d, c.d, c.d}};
  return all;
}

}  // namespace compass
}  // namespace amble
