#include "amble/io/mjcf/orientation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace amble {

namespace {

constexpr std::string_view kOrientations[] = {"axisangle", "xyaxes", "zaxis", "euler"};
constexpr double kShortest = 1e-7;  // MuJoCo takes shorter directions for none

double in_radians(double angle, const MjcfSettings& settings) {
  return settings.degrees ? angle * (std::numbers::pi / 180.0) : angle;
}

SO3<double> from_axes(const MjcfElement& e, const std::array<double, 6>& v) {
  const Vector3<double> x = mjcf_direction(e, {v[0], v[1], v[2]}, "the x axis of xyaxes");
  const Vector3<double> given(v[3], v[4], v[5]);
  const Vector3<double> y =
      mjcf_direction(e, given - x.dot(given) * x, "the y axis of xyaxes, at right angles to x");
  Matrix3<double> R;
  R << x, y, cross<double>(x, y);
  return SO3<double>(R);
}

void check_only_one(const MjcfElement& e) {
  const auto says = [&](std::string_view name) { return e.find(name) != nullptr; };
  const auto count = std::count_if(std::begin(kOrientations), std::end(kOrientations), says) + says("quat");
  if (count > 1) refuse(e, "has several orientations; expected one of quat, axisangle, xyaxes, zaxis, euler");
}

}  // namespace

bool is_orientation(std::string_view attribute) {
  return std::find(std::begin(kOrientations), std::end(kOrientations), attribute) != std::end(kOrientations);
}

bool has_orientation(const MjcfElement& element) {
  return std::any_of(std::begin(kOrientations), std::end(kOrientations),
                     [&](std::string_view name) { return element.find(name) != nullptr; });
}

Vector3<double> mjcf_direction(const MjcfElement& e, const Vector3<double>& v, std::string_view what) {
  const double length = v.norm();
  if (!(length >= kShortest) || !std::isfinite(length))
    refuse(e, fmt::format("{} is ({}, {}, {}), too short for a direction; expected {} or more", what, v[0],
                          v[1], v[2], kShortest));
  return v / length;
}

SO3<double> mjcf_rotation(const MjcfElement& e, const double* quat) {
  const Quaternion<double> q{{quat[1], quat[2], quat[3]}, quat[0]};
  const double square = q.squared_norm();
  if (!(square > 1e-30) || !std::isfinite(square))
    refuse(e, fmt::format("the quaternion ({}, {}, {}, {}) is no rotation; expected one that is not zero",
                          quat[0], quat[1], quat[2], quat[3]));
  return SO3<double>(q.normalized());
}

SO3<double> mjcf_euler(const Vector3<double>& angles, const std::string& sequence) {
  SO3<double> R;
  for (std::size_t i = 0; i < 3; ++i) {
    const bool fixed = sequence[i] >= 'X' && sequence[i] <= 'Z';
    const auto turn = SO3<double>::about(sequence[i] - (fixed ? 'X' : 'x'), angles[static_cast<int>(i)]);
    R = fixed ? turn * R : R * turn;
  }
  return R;
}

SO3<double> mjcf_smallest_turn(const Vector3<double>& direction) {
  const Vector3<double> d = direction.normalized();
  const Vector3<double> axis(-d[1], d[0], 0.0);  // z x d
  const double sine = axis.norm(), angle = std::atan2(sine, d[2]);
  const Vector3<double> about =
      sine < kShortest ? Vector3<double>(1.0, 0.0, 0.0) : Vector3<double>(axis / sine);
  return SO3<double>(Quaternion<double>{about * std::sin(0.5 * angle), std::cos(0.5 * angle)});
}

SO3<double> mjcf_orientation(const MjcfValues& e, const MjcfSettings& settings) {
  check_only_one(e.element());
  // The element's own replaces the class's, also where that is of another kind; see is_orientation().
  const bool own = has_orientation(e.element());
  const auto says = [&](const char* name) { return own ? e.own(name) != nullptr : e.has(name); };
  if (says("axisangle")) {
    const auto x = e.numbers<4>("axisangle");
    const Vector3<double> axis = mjcf_direction(e.element(), {x[0], x[1], x[2]}, "the axis of axisangle");
    return SO3<double>::exp(in_radians(x[3], settings) * axis);
  }
  if (says("xyaxes")) return from_axes(e.element(), e.numbers<6>("xyaxes"));
  if (says("zaxis")) return mjcf_smallest_turn(mjcf_direction(e.element(), e.vector("zaxis"), "zaxis"));
  if (says("euler")) {
    const Vector3<double> angles = e.vector("euler");
    return mjcf_euler(
        {in_radians(angles[0], settings), in_radians(angles[1], settings), in_radians(angles[2], settings)},
        settings.euler_sequence);
  }
  return mjcf_rotation(e.element(), e.numbers<4>("quat", {1.0, 0.0, 0.0, 0.0}).data());
}

Pose mjcf_place(const MjcfValues& e, const MjcfSettings& settings) {
  return Pose(mjcf_orientation(e, settings), e.vector("pos"));
}

}  // namespace amble
