#pragma once

#include "amble/gait/cycles.hpp"
#include "amble/gait/walk.hpp"

namespace amble {

/// What a page about a walk tells.
struct WalkReport {
  std::string walker, summary, command;                                  ///< the command that makes it again
  std::vector<std::tuple<std::string, double, std::string>> parameters;  ///< name, value, unit
  std::vector<Gait> cycles;                                              ///< all that were found
  Gait gait;                                                             ///< the one that was walked
};

/// One page of HTML that stands alone: gait, stability, stick figures, energy, assumptions, parameters.
std::string walk_page(StepModel& model, const WalkReport& report, const Walk& walk);

}  // namespace amble
