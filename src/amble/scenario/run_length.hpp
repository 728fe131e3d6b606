#pragma once

#include <optional>
#include <string>

#include "amble/scenario/scenario.hpp"

namespace amble {

/// How long a run is, s. An interval of 0 is none.
struct RunLength {
  double duration = 0.0, interval = 0.0, step = 0.0;
  std::string integrator = {};
};

/// Why a run would need more steps or rows than there may be, and the key of the number that is to blame.
struct RunLengthFlaw {
  const char* key;
  std::string reason;
};

/// Nothing where the number of steps is not known before the run: by integrators that choose their steps.
std::optional<RunLengthFlaw> run_length_flaw(const RunLength& run);

/// Throws an Error of a run that has a flaw, and of controllers that would be asked more often than there may
/// be steps.
void check_run_length(const Scenario& scenario);

}  // namespace amble
