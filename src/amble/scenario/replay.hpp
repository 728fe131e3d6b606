#pragma once

#include "amble/scenario/run.hpp"

namespace amble {

struct Replay {
  bool same = false;
  Eigen::Index rows = 0;   ///< states that were compared
  std::string difference;  ///< the first in time, in words; empty when it is the same
};

/// Runs the scenario of a recording once more, with the recorded mechanism, and compares states, energies, events and
/// books to the last bit, as far as the recording goes. `watch` as in ScenarioRun::run(); what came until it ends the
/// run is compared. Throws an Error when the recording comes from no scenario, or from one that is not understood any
/// more.
Replay replay(const Recording& recording, const std::function<bool(double t)>& watch = {});

}  // namespace amble
