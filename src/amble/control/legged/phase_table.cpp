#include "amble/control/legged/phase_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"

namespace amble {

double PhaseTable::since_start(int leg, double phase) const {
  const double x = phase - start[leg];
  return x - std::floor(x);
}

void PhaseTable::validate() const {
  if (!(duty > 0.0 && duty <= 1.0))
    throw Error(fmt::format("gait '{}': a duty of {}, expected 0 to 1", name, duty));
  if (start.empty()) throw Error(fmt::format("gait '{}' has no legs", name));
  for (const double s : start)
    if (!(s >= 0.0 && s < 1.0))
      throw Error(fmt::format("gait '{}': a leg starts at {} of the period, expected 0 to 1", name, s));
}

std::span<const PhaseTable> phase_tables() {
  static const std::vector<PhaseTable> tables = {
      {"walk", {0.5, 0.0, 0.25, 0.75}, 0.8},       {"trot", {0.0, 0.5, 0.5, 0.0}, 0.6},
      {"pace", {0.0, 0.5, 0.0, 0.5}, 0.65},        {"bound", {0.0, 0.0, 0.5, 0.5}, 0.55},
      {"flying_trot", {0.0, 0.5, 0.5, 0.0}, 0.45}, {"tripod", {0.0, 0.5, 0.5, 0.0, 0.0, 0.5}, 0.6},
  };
  return tables;
}

const PhaseTable& phase_table(std::string_view name, int legs) {
  std::vector<std::string> names;
  for (const PhaseTable& table : phase_tables()) {
    if (static_cast<int>(table.start.size()) != legs) continue;
    if (table.name == name) return table;
    names.push_back(table.name);
  }
  throw Error(fmt::format("there is no gait '{}' of {} legs, expected one of: {}", name, legs,
                          fmt::join(names, ", ")));
}

double leg_load(const PhaseTable& table, int leg, double phase, double ramp) {
  const double x = table.since_start(leg, phase);
  if (x >= table.duty) return 0.0;
  if (table.duty >= 1.0 || !(ramp > 0.0)) return 1.0;
  return std::min({1.0, x / ramp, (table.duty - x) / ramp});
}

}  // namespace amble
