#pragma once

#include "amble/mechanism/description.hpp"

namespace amble {

/// Throws an Error naming the first thing in `description` that URDF has no words for:
/// joints other than revolute, continuous, prismatic, planar, spherical, free and fixed; a joint frame in the
/// child other than the child's own (unless fixed); armature, springs, and limits or damping of joints with
/// several axes; loops, springs, rolling, drives, keyframes, several roots, named frames, scenery, another
/// gravity; ellipsoids and planes; colored collisions; numbers that are not finite.
void check_urdf_can_say(const ModelDescription& description);

}  // namespace amble
