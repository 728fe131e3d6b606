#pragma once

#include <optional>
#include <vector>

#include "amble/walkers/legged/knee.hpp"
#include "amble/walkers/legged/legged_robot.hpp"
#include "amble/walkers/legged/legged_settings.hpp"
#include "amble/walkers/legged/posed_links.hpp"

namespace amble {

/// What the tree, the shapes and the masses of a model say about its legs; the posture comes later.
struct Anatomy {
  LeggedRobot robot;                    ///< without nominal posture and limits of drives
  OwnedVector drawn;                    ///< q of the posture in which all was found
  std::optional<OwnedVector> stands;    ///< q of the first keyframe of the file in which it stands
  std::vector<Knee> knees;              ///< of each leg
  std::vector<std::vector<int>> links;  ///< of each leg, from the hip to the foot
};

/// Throws an Error for settings that name what is not there. What the model lacks is in `robot.refusal`.
Anatomy leg_anatomy(const Mechanism& mechanism, const LeggedRobotSettings& settings = {});

/// Limits of one side against the mirrored ones of the other: warnings, or a refusal where they differ much
/// in the legs.
void compare_limits(const MirrorMap& mirror, const LeggedRobotSettings& settings, LeggedRobot& robot);

}  // namespace amble
