#pragma once

#include "amble/walkers/legged/anatomy.hpp"

namespace amble {

/// Fills `robot.effort` and `robot.speed`: the file's limits where they are limits, else defaults; and says
/// which drives come near their limits standing on one leg. A limit is a placeholder when all leg joints have
/// the same one and it is more than 10 times the largest static torque of all or less than 0.3 times
/// (effort), or 100 rad/s or more (speed).
void limit_drives(Anatomy& anatomy);

}  // namespace amble
