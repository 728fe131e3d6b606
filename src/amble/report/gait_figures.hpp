#pragma once

#include "amble/gait/basin.hpp"
#include "amble/gait/continuation.hpp"
#include "amble/gait/efficient_walk.hpp"
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

/// The first number of the section at the start of each step over what it was a step before, for walks that start a little
/// off the cycle: along its slowest direction they come to it, or leave it, by its largest multiplier.
Plot return_map(StepModel& model, const Gait& gait, int steps = 20);

/// What actuators do: torque and power over a step, and torque against angle, which a spring would make a
/// straight line (DS 6.2), drawn beside it.
Plot torque_over_time(const std::vector<ActuatorCurve>& curves);
Plot power_over_time(const std::vector<ActuatorCurve>& curves);
Plot torque_over_angle(const std::vector<ActuatorCurve>& curves);

/// Where cycles start a step, in their first coordinate, against the parameter; stable and unstable ones told
/// apart.
Plot bifurcation_diagram(const WalkerFamily& family, const std::vector<Branch>& branches);

/// The plane of a basin through a stable cycle, in two numbers of the section.
CellMap basin_map(const StepModel& model, const Basin& basin, const Region& region,
                  const std::vector<Gait>& cycles, int across, int up);

}  // namespace amble
