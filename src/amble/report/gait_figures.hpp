#pragma once

#include "amble/gait/basin.hpp"
#include "amble/gait/continuation.hpp"
#include "amble/gait/walk.hpp"
#include "amble/report/plot.hpp"

// Pictures of gaits.
namespace amble {

/// A step or more as a row of stick figures, as in DS Fig 4.7.
std::string stick_figures(StepModel& model, const Walk& walk, int figures = 33, int steps = 4);

/// What each step gained and lost (J).
std::string energy_per_step(const Walk& walk);

/// Every coordinate against its rate over the walk.
Plot phase_portrait(const StepModel& model, const Walk& walk);

/// Where cycles start a step, in their first coordinate, against the parameter; stable and unstable ones told
/// apart.
Plot bifurcation_diagram(const WalkerFamily& family, const std::vector<Branch>& branches);

/// The plane of a basin through a stable cycle, in two numbers of the section.
CellMap basin_map(const StepModel& model, const Basin& basin, const Region& region,
                  const std::vector<Gait>& cycles, int across, int up);

}  // namespace amble
