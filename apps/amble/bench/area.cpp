#include "bench/area.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"

namespace amble::bench {

namespace {

// Every area, one line each.
constexpr Area kAreas[] = {
    {"dynamics", dynamics_tasks},
    {"constraints", constraint_tasks},
    {"simulation", simulation_tasks},
    {"contact", contact_tasks},
    {"gaits", gait_tasks},
    {"control", control_tasks},
    {"geometry", geometry_tasks},
};

}  // namespace

std::vector<Area> areas(const std::string& wanted) {
  if (wanted.empty()) return {std::begin(kAreas), std::end(kAreas)};
  std::vector<std::string> names;
  for (const Area& area : kAreas) {
    if (wanted == area.name) return {area};
    names.emplace_back(area.name);
  }
  throw Error(fmt::format("there is no area '{}'{}; areas: {}", wanted, suggestion(wanted, names),
                          fmt::join(names, ", ")));
}

}  // namespace amble::bench
