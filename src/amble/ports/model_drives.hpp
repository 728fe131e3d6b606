#pragma once

#include <functional>

#include "amble/ports/drive_forces.hpp"
#include "amble/ports/element.hpp"

namespace amble {

/// Fills the controls of a model's drives, in the order of its description (zero before).
using DriveControl =
    std::function<void(double t, const OwnedVector& q, const OwnedVector& v, std::vector<double>& u)>;

/// The drives that a model's file describes (DriveDescription): on joints, tendons and frames, with their
/// activations as states of the element, within the bounds of drives, of what drives do to a tendon or a
/// joint together. What is delivered is supplied. Activations start at `activation`; unless given, where the
/// first keyframe has them, and else at rest: where the control of the start keeps those that filter it, at
/// its length for a servo that integrates. Throws an Error when the mechanism has no drive that acts, and for
/// a control that is not finite.
ElementPtr model_drives(std::string name, const Mechanism& mechanism, DriveControl control,
                        std::vector<double> activation = {});

/// Controls with which servo drives (gain = -bias of the length) hold a configuration: its lengths; zero for
/// others.
std::vector<double> holding_control(const Mechanism& mechanism, const VectorRef& q);

/// What the first keyframe sets; where it sets nothing, what holds its configuration; without a keyframe, the
/// neutral one.
std::vector<double> default_control(const Mechanism& mechanism);

}  // namespace amble
