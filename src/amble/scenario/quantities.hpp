#pragma once

#include "amble/recording/recording.hpp"

namespace amble {

/// What a recording does not say by itself.
struct RunFacts {
  double violation = 0.0;   ///< of constraints at the end
  double torque_use = 0.0;  ///< the largest share of an effort limit that controllers asked for, see torque_use()
};

/// A number of a run, by what scenario_quantities() says of it. Throws an Error for a joint, body or event that is not there.
double quantity_of(const std::string& words, const Recording& recording, const RunFacts& facts);

}  // namespace amble
