#pragma once

#include <span>

#include "amble/ports/element.hpp"
#include "amble/recording/recording.hpp"

// How a motion in contact went, from its recording.
namespace amble {

/// How fast what touches slides at most where it bears more than a thousandth of the weight (m/s).
double fastest_slip(const Recording& recording);
/// The largest |tangential| / (friction x normal force) of a point that bears as much.
double cone_use(const Recording& recording);
/// The least distance of a joint from its limits, negative beyond; infinite without any (rad, m).
double least_limit_margin(const Recording& recording);
/// The largest |force| / effort limit that sampled controllers have asked for, from what they remember.
double torque_use(const Recording& recording, std::span<const ElementPtr> elements);

/// What sampled controllers do on joints where torque and velocity go the same way (J): what drives pay that take nothing back. A sum over
/// recorded torques and velocities, right to a few hundredths; what they do in all is in the books.
double positive_joint_work(const Recording& recording, std::span<const ElementPtr> elements);

}  // namespace amble
