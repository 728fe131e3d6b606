#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "amble/geometry/vector.hpp"

namespace amble {

/// When the legs of a gait bear, as shares of its period: leg i while frac(phase - start[i]) < duty.
struct PhaseTable {
  std::string name;
  std::vector<double> start;  ///< left front, right front, left middle ..., right hind
  double duty = 0.5;

  /// Of leg i: since it came down, 0 to 1; it bears below `duty`.
  double since_start(int leg, double phase) const;
  bool bears(int leg, double phase) const { return since_start(leg, phase) < duty; }
  void validate() const;
};

/// walk, trot, pace, bound, flying_trot of four legs, tripod of six.
std::span<const PhaseTable> phase_tables();
/// Throws an Error with the names there are.
const PhaseTable& phase_table(std::string_view name, int legs);

/// Loading and unloading of a leg in a gait: its share of what it bears, which comes and goes in `ramp` of
/// the period.
double leg_load(const PhaseTable& table, int leg, double phase, double ramp);

}  // namespace amble
