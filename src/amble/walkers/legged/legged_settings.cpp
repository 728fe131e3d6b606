#include "amble/walkers/legged/legged_settings.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"

namespace amble {

namespace {

void check_direction(const std::optional<Vector3<double>>& d, const char* what) {
  if (d && !(d->allFinite() && d->norm() > 1e-6))
    throw Error(fmt::format("{} is ({}, {}, {}): expected a direction", what, (*d)[0], (*d)[1], (*d)[2]));
}

void check_size(double value, const FootSettings& foot, const char* what) {
  if (!(value >= 0.0) || !std::isfinite(value))
    throw Error(fmt::format("foot '{}': {} is {}: expected a length of 0 or more", foot.body, what, value));
}

void check_foot(const FootSettings& foot) {
  if (foot.body.empty())
    throw Error("a foot without body: expected the name of the body or frame that carries it");
  check_size(foot.length, foot, "length"), check_size(foot.width, foot, "width"),
      check_size(foot.radius, foot, "radius");
  const int ways = !foot.corners.empty() + (foot.length > 0.0 || foot.width > 0.0) + (foot.radius > 0.0);
  if (ways > 1)
    throw Error(fmt::format("foot '{}': expected corners, or length and width, or a radius", foot.body));
  if ((foot.length > 0.0) != (foot.width > 0.0))
    throw Error(fmt::format("foot '{}' has length {} and width {}: expected both", foot.body, foot.length,
                            foot.width));
  for (const Vector3<double>& c : foot.corners)
    if (!c.allFinite()) throw Error(fmt::format("foot '{}': a corner is not finite", foot.body));
  if (foot.center && !foot.center->allFinite())
    throw Error(fmt::format("foot '{}': center is not finite", foot.body));
}

void check_positive(const std::optional<double>& value, const char* what) {
  if (value && !(*value > 0.0 && std::isfinite(*value)))
    throw Error(fmt::format("{} is {}: expected a length above 0", what, *value));
}

}  // namespace

void LeggedRobotSettings::validate() const {
  if (feet.size() == 1) throw Error("one foot is stated: expected all feet, two or more, or none");
  for (const FootSettings& foot : feet) check_foot(foot);
  check_direction(forward, "forward"), check_direction(up, "up");
  check_positive(hip_height, "hip_height"), check_positive(stance_width, "stance_width");
  for (const auto& [joint, angle] : posture)
    if (!std::isfinite(angle))
      throw Error(fmt::format("posture of joint '{}' is {}: expected a number", joint, angle));
}

}  // namespace amble
