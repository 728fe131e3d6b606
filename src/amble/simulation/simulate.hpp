#pragma once

#include "amble/recording/recording.hpp"
#include "amble/simulation/simulator.hpp"

namespace amble {

/// Adds where a simulator is, and its books; nothing when the recording already ends there.
void record_state(Simulator& simulator, Recording& recording);

/// Runs to `end` and records the state where it is, then every `interval` seconds (after every step when that is 0)
/// and at the end; what happens; the ledger after each step that gave a state, and at the end. `watch`, if any, sees
/// the time after each step and ends the run by false. Throws as Simulator::step_towards() does; what was recorded
/// until then is in `recording`, the ledger included. False when the watch ended it.
bool simulate(Simulator& simulator, double end, double interval, Recording& recording,
              const std::function<bool(double t)>& watch = {});

}  // namespace amble
