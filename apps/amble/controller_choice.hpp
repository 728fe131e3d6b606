#pragma once

#include "amble/gait/walk_controllers.hpp"
#include "walker_choice.hpp"

namespace amble::app {

/// Controllers that keep walkers on their gaits, as the command line names them.
struct ControllerChoice {
  std::vector<std::string> gains;  ///< "port.energy_gain=2"
  ControlLimits limits;

  /// The walker under the controller. Throws an Error for a gain that is none.
  ControlledWalker make(const StepModel& walker, const GaitMotion& motion, const std::string& controller) const;
};

/// --gain, --torque-limit, --friction, --unactuated.
void add_controller_options(CLI::App& command, ControllerChoice& choice);

void add_gait_step_down(CLI::App& gait, Run& run);

}  // namespace amble::app
