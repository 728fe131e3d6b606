#include "amble/verify/walker_control/themes.hpp"

// Control of walkers: what the book says of them, and the books of energy.
namespace amble {

VerificationArea verify_walker_control() {
  VerificationArea area{"walker-control", {}};
  for (const auto theme : {walker_control_tracking, walker_control_step_down, walker_control_searched,
                           walker_control_placement, walker_control_drive})
    for (VerificationEntry& entry : theme()) area.entries.push_back(std::move(entry));
  return area;
}

}  // namespace amble
