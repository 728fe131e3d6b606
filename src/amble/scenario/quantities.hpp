#pragma once

#include "amble/recording/recording.hpp"

namespace amble {

/// A number of a run, by what scenario_quantities() says of it; `violation` is that of its constraints at the end. Throws an
/// Error for a joint, body or event that is not there.
double quantity_of(const std::string& words, const Recording& recording, double violation);

}  // namespace amble
