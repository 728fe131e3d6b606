#include "amble/ports/coordinate.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"

namespace amble {

Coordinate coordinate_of(const Mechanism& m, const std::string& user, const std::string& joint, int axis) {
  const Joint& at = m.joints()[m.joint_index(joint)];
  if (at.q.size != at.v.size || at.q.size == 0)
    throw Error(fmt::format(
        "'{}' is on joint '{}', which is {}: expected one with coordinates whose rates are its velocities", user,
        joint, at.type));
  if (axis < 0 || axis >= at.q.size)
    throw Error(fmt::format("'{}' is on axis {} of joint '{}', which has {}", user, axis, joint, at.q.size));
  return {at.q.start + axis, at.v.start + axis, at.ratio, at.offset,
          at.q.size == 1 ? joint : fmt::format("{} axis {}", joint, axis)};
}

}  // namespace amble
