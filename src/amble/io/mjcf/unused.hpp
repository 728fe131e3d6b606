#pragma once

#include "amble/io/mjcf/source.hpp"

namespace amble {

/// Names of custom fields by which the MJCF writer says what MJCF has no element for; the rest of each name
/// is that of a joint, or of a body for the last.
inline constexpr const char* kMjcfVelocityLimit = "velocity_limit:";
inline constexpr const char* kMjcfEffortLimit = "effort_limit:";
inline constexpr const char* kMjcfFixedJoint = "fixed_joint:";

/// Notes on what the file says and the reader does not use: one per kind of element, at the first line it
/// occurs. Actuators and equality constraints are judged by the reader itself.
Problems mjcf_unused(const MjcfElement& root);
/// The same for a model that is attached: what of it does not come along.
Problems mjcf_unused_of_attached(const MjcfElement& root);

}  // namespace amble
