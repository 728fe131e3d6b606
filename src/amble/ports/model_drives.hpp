#pragma once

#include <functional>

#include "amble/ports/element.hpp"

namespace amble {

/// Fills the controls of a model's drives, in the order of its description (zero before).
using DriveControl =
    std::function<void(double t, const OwnedVector& q, const OwnedVector& v, std::vector<double>& u)>;

/// The drives that a model's file describes (DriveDescription), each of which moves one joint: with l = gear
/// q and its rate l', the joint gets gear clamp((gain . (1, l, l')) u + bias . (1, l, l')), u within the
/// drive's own range; what drives do to a joint together stays within its effort limit. What is delivered is
/// supplied. Drives of something else than a joint do nothing. Throws an Error when the mechanism has no
/// drive, or for a control that is not finite.
ElementPtr model_drives(std::string name, const Mechanism& mechanism, DriveControl control);

/// Controls with which servo drives (gain = -bias of the length) hold a configuration: its lengths; zero for
/// others.
std::vector<double> holding_control(const Mechanism& mechanism, const VectorRef& q);

/// What the first keyframe sets; where it sets nothing, what holds its configuration; without a keyframe, the
/// neutral one.
std::vector<double> default_control(const Mechanism& mechanism);

}  // namespace amble
