#pragma once

#include "amble/gait/cycles.hpp"
#include "amble/gait/efficient_walk.hpp"
#include "amble/gait/walk.hpp"

namespace amble {

/// What a page about a walk tells.
struct WalkReport {
  std::string walker, summary, command;                                  ///< the command that makes it again
  std::vector<std::tuple<std::string, double, std::string>> parameters;  ///< name, value, unit
  std::vector<Gait> cycles;                                              ///< all that were found
  Gait gait;                                                             ///< the one that was walked
  std::string recording = {};  ///< file that the walk was recorded in; empty: none
  std::string scene = {};      ///< scene_page() of it, which becomes part of this one
  std::string further = {};  ///< a part of the page (HTML) that comes before the motion, as driven_section()
};

/// What a page about a walk with actuators tells.
struct EfficientWalkReport {
  std::string walker, summary, command;
  std::vector<std::tuple<std::string, double, std::string>> parameters;
  std::vector<FoundGait> gaits;  ///< all that were found, best first; the first was walked
  SearchFigures figures;         ///< of that
  std::vector<ActuatorCurve> curves;
  std::string stability;  ///< in a sentence or two
  std::string recording = {}, scene = {};  ///< as those of WalkReport
};

/// One page of HTML that stands alone: gaits found, torque and power, stick figures, energy, assumptions.
std::string walk_page(StepModel& model, const EfficientWalkReport& report, const Walk& walk);

/// One page of HTML that stands alone: gait, stability, stick figures, energy, assumptions, parameters.
std::string walk_page(StepModel& model, const WalkReport& report, const Walk& walk);

}  // namespace amble
