#include "amble/control/tasks/task.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"

namespace amble {

void TaskGains::validate(const std::string& task) const {
  for (const auto& [what, value] : {std::pair{"stiffness", stiffness}, {"damping", damping}})
    if (!(value >= 0.0) || !std::isfinite(value))
      throw Error(fmt::format("task '{}' has a {} of {}: expected 0 or more", task, what, value));
}

LinkFrame task_frame(const Mechanism& m, const std::string& place) {
  if (place == "world") return {};
  const Place at = m.place(place);
  return {at.link, at.X_LP};
}

}  // namespace amble
