#pragma once

#include <string>
#include <vector>

#include "amble/mechanism/description.hpp"

namespace amble {

/// The numbers of one axis of an SDFormat joint, as libsdformat gives them.
struct SdfAxis {
  Vector3<double> xyz;      ///< as the file says it, in whatever frame
  double lower, upper;      ///< 1e16 and beyond stands for no limit
  double velocity, effort;  ///< infinite: no limit
  double damping, friction;
  double stiffness, reference;  ///< of its spring
};

/// What is wrong with them, in words; empty when nothing is. SDFormat normalises axes that are not unit
/// vectors.
std::string axis_flaw(const SdfAxis& axis);
/// Lower above upper: some tools mean "no limit" by it.
bool has_reversed_limits(const SdfAxis& axis);
bool is_unit(const SdfAxis& axis);

/// Says that SDFormat has no such joint type, and which it has.
std::string unknown_type(const std::string& type);

/// The properties of a joint with these axes. Only what differs from the default is listed.
JointProperties sdf_properties(std::vector<SdfAxis> axes);

}  // namespace amble
