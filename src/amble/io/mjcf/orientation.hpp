#pragma once

#include "amble/geometry/se3.hpp"
#include "amble/io/mjcf/settings.hpp"
#include "amble/io/mjcf/values.hpp"

// Where elements stand: pos, and one of five ways to say how they are turned.
namespace amble {

/// True for axisangle, xyaxes, zaxis and euler, which win over a quaternion wherever that stands.
bool is_orientation(std::string_view attribute);
/// True when the element itself says one of these.
bool has_orientation(const MjcfElement& element);

/// The place an element says. Throws an Error at it for two orientations, and for axes without a direction.
Pose mjcf_place(const MjcfValues& e, const MjcfSettings& settings);
SO3<double> mjcf_orientation(const MjcfValues& e, const MjcfSettings& settings);

/// Angles of a sequence such as "xyz": about turning axes in lower case, about fixed ones in upper case.
SO3<double> mjcf_euler(const Vector3<double>& angles, const std::string& sequence);
/// The smallest turn that takes z to the direction; half a turn about x where that is -z.
SO3<double> mjcf_smallest_turn(const Vector3<double>& direction);
/// Of four numbers, w first; throws an Error at the element when all are zero.
SO3<double> mjcf_rotation(const MjcfElement& e, const double* quat);

/// A unit vector; throws an Error at the element naming `what` when it is shorter than 1e-7.
Vector3<double> mjcf_direction(const MjcfElement& e, const Vector3<double>& v, std::string_view what);

}  // namespace amble
