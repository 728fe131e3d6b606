#pragma once

#include "amble/mechanism/description.hpp"

namespace amble {

/// Everything wrong with a description taken piece by piece (names, numbers, axes, limits, references); what is wrong
/// with its graph is found by compile().
Problems find_problems(const ModelDescription& description);

/// The kind of a joint type by its name ("continuous" is revolute), or -1.
int joint_kind(std::string_view type);

/// How many velocities (coordinates when `configuration`) a joint of this description has.
int joint_size(int kind, const CustomJoint* custom, bool configuration);

}  // namespace amble
