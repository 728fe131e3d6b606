#include "amble/io/urdf/quirks.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <cmath>
#include <limits>

namespace amble {

namespace {

constexpr UrdfQuirkInfo kQuirks[] = {
    {UrdfQuirk::axis_not_unit, Severity::warning, "urdf-axis-not-unit",
     "the axis is not of length one; normalised"},
    {UrdfQuirk::capsule, Severity::warning, "urdf-capsule",
     "<capsule> is an extension of URDF; many other programs leave it out"},
    {UrdfQuirk::color_out_of_range, Severity::warning, "urdf-color-out-of-range",
     "a component of rgba is not between 0 and 1; clamped"},
    {UrdfQuirk::color_without_opacity, Severity::warning, "urdf-color-without-opacity",
     "rgba has three numbers; taken as opaque"},
    {UrdfQuirk::continuous_with_range, Severity::warning, "urdf-continuous-with-range",
     "a continuous joint has no range; lower and upper of <limit> are not used"},
    {UrdfQuirk::fixed_with_motion, Severity::note, "urdf-fixed-with-motion",
     "a fixed joint does not move; its axis, limit, dynamics or mimic is not used"},
    {UrdfQuirk::inertial_incomplete, Severity::warning, "urdf-inertial-incomplete",
     "<inertial> leaves out a mass or moments of inertia; taken as 0"},
    {UrdfQuirk::limit_without_effort, Severity::warning, "urdf-limit-without-effort",
     "<limit> has no effort; taken as unlimited"},
    {UrdfQuirk::limit_without_velocity, Severity::warning, "urdf-limit-without-velocity",
     "<limit> has no velocity; taken as unlimited"},
    {UrdfQuirk::lower_above_upper, Severity::warning, "urdf-lower-above-upper",
     "the lower limit is above the upper limit; taken as unlimited"},
    {UrdfQuirk::material_undefined, Severity::warning, "urdf-material-undefined",
     "refers to a material that is defined nowhere; left without a color"},
    {UrdfQuirk::no_limit, Severity::warning, "urdf-no-limit",
     "a joint that needs a <limit> has none; taken as unlimited"},
    {UrdfQuirk::no_range, Severity::warning, "urdf-no-range",
     "lower and upper limit are equal; kept, so this joint cannot move"},
    {UrdfQuirk::robot_without_name, Severity::warning, "urdf-robot-without-name",
     "the robot has no name; named after its file"},
    {UrdfQuirk::scale_of_one_number, Severity::warning, "urdf-scale-of-one-number",
     "scale has one number; taken for all three axes"},
    {UrdfQuirk::several_axes_limit, Severity::note, "urdf-several-axes-limit",
     "one axis, limit, dynamics or mimic cannot speak for a joint of several axes; not used"},
    {UrdfQuirk::several_roots, Severity::warning, "urdf-several-roots",
     "no joint connects this link to the first root; read as a tree of its own, on the same base"},
    {UrdfQuirk::shape_without_geometry, Severity::warning, "urdf-shape-without-geometry",
     "a visual or collision without a geometry that Amble knows; left out"},
    {UrdfQuirk::spherical, Severity::warning, "urdf-spherical",
     "the joint type spherical is an extension of URDF; many other programs refuse it"},
    {UrdfQuirk::too_many_numbers, Severity::warning, "urdf-too-many-numbers",
     "has more numbers than belong there; the first are used"},
    {UrdfQuirk::xacro_definition, Severity::warning, "urdf-xacro-definition",
     "a xacro definition that nothing in the file uses; left out"},
    {UrdfQuirk::zero_effort, Severity::warning, "urdf-zero-effort",
     "the effort limit is 0; kept, so a drive that obeys it does nothing"},
    {UrdfQuirk::zero_velocity, Severity::warning, "urdf-zero-velocity",
     "the velocity limit is 0; kept, so a drive that obeys it stands still"},
};

double unlimited_if_largest(double value) {
  return std::abs(value) >= std::numeric_limits<double>::max() ? std::copysign(kUnlimited, value) : value;
}

void read_range(XmlReader& xml, const tinyxml2::XMLElement& limit, JointProperties& properties) {
  const double lower = unlimited_if_largest(xml.limit(limit, "lower").value_or(0.0));
  const double upper = unlimited_if_largest(xml.limit(limit, "upper").value_or(0.0));
  if (lower > upper)
    return report_quirk(xml, limit, UrdfQuirk::lower_above_upper, fmt::format("{} and {}", lower, upper));
  if (lower == upper) report_quirk(xml, limit, UrdfQuirk::no_range);
  properties.lower = {lower};
  properties.upper = {upper};
}

/// Effort and velocity: a magnitude that has to be there, but is not always.
std::vector<double> read_magnitude(XmlReader& xml, const tinyxml2::XMLElement& limit, const char* attribute,
                                   UrdfQuirk if_missing, UrdfQuirk if_zero) {
  if (limit.Attribute(attribute) == nullptr)
    return report_quirk(xml, limit, if_missing), std::vector<double>{};
  const double value = unlimited_if_largest(xml.limit(limit, attribute).value_or(0.0));
  if (value < 0.0)
    xml.error(limit, fmt::format("{} limit {} is negative; it is a magnitude", attribute, value));
  if (value == 0.0) report_quirk(xml, limit, if_zero);
  return {value};
}

}  // namespace

std::span<const UrdfQuirkInfo> urdf_quirks() { return kQuirks; }

void report_quirk(XmlReader& xml, const tinyxml2::XMLElement& at, UrdfQuirk quirk,
                  const std::string& detail) {
  report_quirk(xml, at.GetLineNum(), xml.element(), quirk, detail);
}

void report_quirk(XmlReader& xml, int line, const std::string& element, UrdfQuirk quirk,
                  const std::string& detail) {
  for (const UrdfQuirkInfo& q : kQuirks)
    if (q.quirk == quirk)
      xml.finding(q.severity, line, element,
                  fmt::format("{}{}{} [{}]", q.reason, detail.empty() ? "" : ": ", detail, q.id));
}

Vector3<double> unit_axis(XmlReader& xml, const tinyxml2::XMLElement& at, const Vector3<double>& axis) {
  // Five-digit axes are common and mean the unit axis; a few ulp are left alone so that written axes keep
  // their bits.
  constexpr double kRoundedAxis = 2e-5, kExactAxis = 4.0 * std::numeric_limits<double>::epsilon();
  const double length = axis.stableNorm();
  if (!(length > 0.0)) {
    xml.error(at, "the axis is zero; expected a direction");
    return Vector3<double>::UnitX();
  }
  const double off = std::abs(length - 1.0);
  if (off > kRoundedAxis) report_quirk(xml, at, UrdfQuirk::axis_not_unit);
  return off > kExactAxis ? Vector3<double>(axis / length) : axis;
}

void read_limits(XmlReader& xml, const tinyxml2::XMLElement& limit, bool has_range,
                 JointProperties& properties) {
  if (has_range) {
    read_range(xml, limit, properties);
  } else if (limit.Attribute("lower") != nullptr || limit.Attribute("upper") != nullptr) {
    report_quirk(xml, limit, UrdfQuirk::continuous_with_range);
  }
  properties.effort =
      read_magnitude(xml, limit, "effort", UrdfQuirk::limit_without_effort, UrdfQuirk::zero_effort);
  properties.velocity =
      read_magnitude(xml, limit, "velocity", UrdfQuirk::limit_without_velocity, UrdfQuirk::zero_velocity);
}

}  // namespace amble
