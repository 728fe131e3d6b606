#pragma once

#include "amble/gait/step_down.hpp"
#include "amble/report/plot.hpp"
#include "amble/scenario/walk_run.hpp"

// Pictures of walkers under control.
namespace amble {

/// Potential energy from each stance foot, and kinetic energy along the gait and across it: DS Fig 5.8, 5.10.
Plot energies_over_time(const WalkResult& result);
/// What each law does at a coordinate: DS Fig 5.11.
Plot laws_over_time(const WalkResult& result, int coordinate);
/// Seen from above: where the hip goes, the feet, and the path: DS Fig 5.19 to 5.22.
Plot path_from_above(const PlacingWalker& walker, const Walk& walk, const std::optional<FloorPath>& path);

/// The pictures that suit a scenario, by what they show: "energies", "torques_q3", "path".
std::vector<std::pair<std::string, std::string>> pictures_of(const WalkScenario& scenario, const WalkResult& result);

}  // namespace amble
