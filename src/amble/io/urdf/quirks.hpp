#pragma once

#include <span>
#include <string_view>

#include "amble/base/error.hpp"
#include "amble/geometry/vector.hpp"
#include "amble/io/xml/reader.hpp"
#include "amble/mechanism/description.hpp"

// Habits of real URDF files that are wrong or doubtful but can be read with one sensible meaning. Each has an
// id, which stands at the end of the finding, and a test.
namespace amble {

enum class UrdfQuirk {
  axis_not_unit,
  capsule,
  color_out_of_range,
  color_without_opacity,
  continuous_with_range,
  fixed_with_motion,
  inertial_incomplete,
  limit_without_effort,
  limit_without_velocity,
  lower_above_upper,
  material_undefined,
  no_limit,
  no_range,
  robot_without_name,
  scale_of_one_number,
  several_axes_limit,
  several_roots,
  shape_without_geometry,
  spherical,
  too_many_numbers,
  xacro_definition,
  zero_effort,
  zero_velocity,
};

struct UrdfQuirkInfo {
  UrdfQuirk quirk;
  Severity severity;
  std::string_view id;
  std::string_view reason;
};

std::span<const UrdfQuirkInfo> urdf_quirks();

/// Adds a finding about the element being read: the table's reason, `detail`, and the id.
void report_quirk(XmlReader& xml, const tinyxml2::XMLElement& at, UrdfQuirk quirk,
                  const std::string& detail = "");
void report_quirk(XmlReader& xml, int line, const std::string& element, UrdfQuirk quirk,
                  const std::string& detail = "");

/// The axis with length one. A zero axis is an error.
Vector3<double> unit_axis(XmlReader& xml, const tinyxml2::XMLElement& at, const Vector3<double>& axis);

/// The limits that <limit> of a one-axis joint gives; `has_range` for revolute and prismatic, not for
/// continuous joints. The largest double stands for "unlimited": files have to say something, and urdfdom
/// does not read "inf".
void read_limits(XmlReader& xml, const tinyxml2::XMLElement& limit, bool has_range,
                 JointProperties& properties);

}  // namespace amble
