#pragma once

#include "amble/io/mjcf/compiled.hpp"

namespace amble {

/// A <joint> or <freejoint> in a body of which a frame of the file stands at X_BF.
CompiledJoint read_joint(const MjcfValues& e, const MjcfSource& source, const Pose& X_BF, Problems& findings);

/// Nothing where `limited` says so, or where it leaves it to the range and that is empty. Throws an Error at
/// the element for a limit without a range. `attributes` are for messages: the names of both.
MjcfRange mjcf_range(const MjcfValues& e, const MjcfSettings& settings, const char* limited,
                     const char* range);

/// Throws an Error at the first joint that cannot stand where it does on its body: free beside others or not
/// on a child of the world, hinge or ball after a ball, more than six freedoms.
void check_stack(const CompiledBody& body);

}  // namespace amble
