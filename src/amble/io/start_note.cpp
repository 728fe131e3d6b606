#include "amble/io/start_note.hpp"

#include <fmt/format.h>

namespace amble {

std::string start_note(const std::array<double, 7>& q, const std::string& joint) {
  return fmt::format("its place in the file is where it starts, not part of the mechanism: q = ({}) of joint '{}'",
                     fmt::join(q, ", "), joint);
}

std::string start_note(const Pose& X_WB, const std::string& joint) {
  const Vector3<double>& p = X_WB.translation();
  const Quaternion<double> r = X_WB.rotation().quaternion();
  return start_note({p[0], p[1], p[2], r.v[0], r.v[1], r.v[2], r.w}, joint);
}

}  // namespace amble
