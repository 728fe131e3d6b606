#pragma once

#include "amble/gait/cycles.hpp"
#include "amble/gait/fate.hpp"

namespace amble {

struct BasinOptions {
  std::vector<int> cells;  ///< along each number of the section; empty: about `total` in all
  int total = 10'000;
  int most_steps = 100;     ///< that a walker is given to come to a cycle
  double tolerance = 1e-7;  ///< of the integrator
  /// How near a state has to come to a stable cycle to count as caught: |x - x*|, relative to 1 + |x*|.
  double capture = 1e-3;
  int threads = 0;  ///< 0: one per core
  /// Several starts at once in the lanes of a core, or one after another by the ReturnMap: the fates are the
  /// same but for starts within the integrator's tolerance of the border of a basin.
  bool lanes = true;
  std::function<bool(double)> watch = {};
};

/// Which starts in a region lead to which stable cycle.
struct Basin {
  static constexpr int kFell = Fate::kFell, kWandered = Fate::kWandered, kUnknown = Fate::kUnknown;
  std::vector<int> cells;  ///< along each number of the section
  /// For each cell, the last number changing fastest: the cycle its middle comes to, or one of the above.
  std::vector<int> fate;
  std::vector<int> steps;  ///< how many it took to come there, or to fall
  std::size_t followed = 0;  ///< cells whose fate is known; all of them unless `watch` stopped the work
  int converged = 0;
  double fraction = 0.0;  ///< of the cells that were followed
  /// Of the states that converge, measured by the kinetic metric, which knows no coordinates: configurations
  /// by sqrt(det M) in (kg m^2)^(1/2) each, velocities by the same in J^(1/2) each. Not a number where there
  /// is no metric.
  double volume = 0.0;

  bool complete() const { return followed == fate.size(); }
  OwnedVector middle(const Region& region, std::size_t cell) const;
};

/// Follows the middle of every cell until it comes to one of the stable `cycles`, or falls.
Basin find_basin(const StepModel& model, const std::vector<Gait>& cycles, const Region& region,
                 const BasinOptions& options = {});

}  // namespace amble
