#pragma once

#include <optional>

#include "amble/base/error.hpp"
#include "amble/gait/gait.hpp"
#include "amble/recording/recording.hpp"
#include "amble/scenario/run.hpp"
#include "amble/scenario/walk_scenario.hpp"

namespace amble {

/// Energies of a walk at an instant, as DS Fig 5.8 and 5.10 draw them (J).
struct WalkEnergies {
  double t = 0.0;
  double potential = 0.0;            ///< with height zero at the stance foot
  double along = 0.0, across = 0.0;  ///< kinetic, of the motion along the gait's field and across it
};

/// What came of a walker's scenario.
struct WalkResult {
  std::optional<Gait> gait;  ///< of its own that it started with; none where the scenario gives the state
  Walk walk;
  Recording recording;  ///< see walk_recording()
  std::optional<ControlFigures> control;
  std::vector<CheckResult> checks;
  std::vector<WalkEnergies> energies = {};  ///< of a walker under a controller, one for each sample of the walk
  std::vector<ControlSample> trace = {};    ///< likewise
  std::optional<FoundGait> searched = {};   ///< that it started with, where a speed is asked for
};

/// The scenario is as it should be, but its walker has no gait there.
class NoGaitFound : public Error {
  using Error::Error;
};

/// Throws an Error for a scenario that cannot be set up, NoGaitFound for a walker without a gait there. A fall is a result. `watch` sees
/// the share of the search for a gait and stops by false, which is an Error.
WalkResult run_walk_scenario(const WalkScenario& scenario, const std::function<bool(double)>& watch = {});

}  // namespace amble
