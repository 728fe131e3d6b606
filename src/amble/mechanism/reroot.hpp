#pragma once

#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// The tree of `mechanism` hung up by another body: joints on the way from it to the old root are turned
/// round and keep their coordinates, signs and properties, joints to the world are cut. `root` is left
/// without a joint of its own, for the caller to hold. Frames, springs and loops stay on their bodies.
///
/// Throws an Error for a body that is not there or does not move, for a part of the mechanism that hangs on
/// the world apart from it, and for a joint on the way that has more than one axis and so cannot be turned
/// round.
ModelDescription rooted_at(const Mechanism& mechanism, std::string_view root);

}  // namespace amble
