#include "amble/io/sdf/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/names.hpp"

namespace amble {

namespace {

double limit(double value) { return std::abs(value) >= 1e16 ? std::copysign(kUnlimited, value) : value; }

/// One number of every axis; nothing when all are the default.
std::vector<double> column(const std::vector<SdfAxis>& axes, double SdfAxis::*member, double usual) {
  std::vector<double> out;
  for (const SdfAxis& a : axes) out.push_back(a.*member);
  const bool all_usual = std::all_of(out.begin(), out.end(), [&](double x) { return x == usual; });
  return all_usual ? std::vector<double>{} : out;
}

}  // namespace

std::string axis_flaw(const SdfAxis& axis) {
  constexpr double kShortest = 1e-6;  // libsdformat takes anything shorter for zero
  const Vector3<double>& a = axis.xyz;
  if (!(a.norm() > kShortest) || !a.allFinite())
    return fmt::format("({}, {}, {}) has no direction", a[0], a[1], a[2]);
  const std::pair<const char*, double> numbers[] = {{"lower limit", axis.lower},
                                                    {"upper limit", axis.upper},
                                                    {"velocity limit", axis.velocity},
                                                    {"effort limit", axis.effort},
                                                    {"damping", axis.damping},
                                                    {"friction", axis.friction},
                                                    {"spring stiffness", axis.stiffness},
                                                    {"spring reference", axis.reference}};
  for (const auto& [name, value] : numbers)
    if (std::isnan(value)) return fmt::format("{} is not a number (nan)", name);
  return {};
}

bool has_reversed_limits(const SdfAxis& axis) { return axis.lower > axis.upper; }

bool is_unit(const SdfAxis& axis) { return std::abs(axis.xyz.norm() - 1.0) < 1e-6; }

std::string unknown_type(const std::string& type) {
  static const std::vector<std::string> known{"ball",     "continuous", "fixed", "gearbox",  "prismatic",
                                              "revolute", "revolute2",  "screw", "universal"};
  return fmt::format("unknown joint type '{}'{}; known are {}", type, suggestion(type, known),
                     fmt::join(known, ", "));
}

JointProperties sdf_properties(std::vector<SdfAxis> axes) {
  for (SdfAxis& a : axes) {
    for (double* x : {&a.lower, &a.upper, &a.velocity, &a.effort}) *x = limit(*x);
    if (has_reversed_limits(a)) a.lower = -kUnlimited, a.upper = kUnlimited;
    if (a.stiffness == 0.0) a.reference = 0.0;  // without a spring it means nothing
  }
  JointProperties p;
  p.lower = column(axes, &SdfAxis::lower, -kUnlimited);
  p.upper = column(axes, &SdfAxis::upper, kUnlimited);
  p.velocity = column(axes, &SdfAxis::velocity, kUnlimited);
  p.effort = column(axes, &SdfAxis::effort, kUnlimited);
  p.damping = column(axes, &SdfAxis::damping, 0.0);
  p.friction = column(axes, &SdfAxis::friction, 0.0);
  p.stiffness = column(axes, &SdfAxis::stiffness, 0.0);
  p.reference = column(axes, &SdfAxis::reference, 0.0);
  return p;
}

}  // namespace amble
