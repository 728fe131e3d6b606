#pragma once

#include "walker_choice.hpp"

namespace amble::app {

/// `amble walk humanoid`: the 30-joint robot under whole-body control, weight shifted onto one foot before the other steps.
struct HumanoidWalk {
  WalkerChoice walker;
  int steps = 20;
  std::string report, recording;  ///< files; no recording when empty
  bool json = false;
};
int walk_humanoid(const HumanoidWalk& walk);

}  // namespace amble::app
