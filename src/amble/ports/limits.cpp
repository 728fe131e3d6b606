#include "amble/ports/limits.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"

namespace amble {

namespace {

std::vector<JointLimit> finite_limits(const Coordinate& coordinate, double lower, double upper) {
  std::vector<JointLimit> out;
  if (std::isfinite(lower)) out.push_back({coordinate, lower, false});
  if (std::isfinite(upper)) out.push_back({coordinate, upper, true});
  return out;
}

}  // namespace

std::string JointLimit::name() const { return fmt::format("{} {}", coordinate.name, upper ? "above" : "below"); }

std::vector<JointLimit> limits_of(const Mechanism& m) {
  std::vector<JointLimit> out;
  for (const std::string& joint : m.joint_names()) {
    const Slice q = m.q_slice(joint);
    if (q.size != m.v_slice(joint).size) continue;  // turns freely in space: no limits
    for (int axis = 0; axis < q.size; ++axis)
      for (JointLimit& limit : finite_limits(coordinate_of(m, "limits", joint, axis), m.lower()[q.start + axis],
                                             m.upper()[q.start + axis]))
        out.push_back(std::move(limit));
  }
  return out;
}

std::vector<JointLimit> limits_of_joint(const Mechanism& m, const std::string& user, const std::string& joint,
                                        double lower, double upper, int axis) {
  if (!(lower < upper))
    throw Error(fmt::format("'{}' has a lower limit of {} and an upper one of {}", user, lower, upper));
  return finite_limits(coordinate_of(m, user, joint, axis), lower, upper);
}

std::vector<JointLimit> limits_of_joint(const Mechanism& m, const std::string& user, const std::string& joint,
                                        int axis) {
  const Coordinate c = coordinate_of(m, user, joint, axis);
  // A follower's limits are its leader's, through the gear.
  const double a = c.ratio * m.lower()[c.q] + c.offset, b = c.ratio * m.upper()[c.q] + c.offset;
  std::vector<JointLimit> out = finite_limits(c, std::min(a, b), std::max(a, b));
  if (out.empty()) throw Error(fmt::format("'{}' stops joint '{}' at its limits, but it has none", user, joint));
  return out;
}

}  // namespace amble
