#pragma once

#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// What differs between two mechanisms, one line each; empty when they are the same. Compared are the physics
/// and the names, not how a file says them: joint motion between body frames (not joint frames), fixed bodies
/// by where they are, loops by the poses they allow; with drives and named keyframes. `tolerance` is relative
/// to the size of the quantity: for poses at least 1, for inertias at least that of the body's mass at a
/// millimetre or a centimetre.
std::vector<std::string> differences(const Mechanism& a, const Mechanism& b, double tolerance = 1e-9);

}  // namespace amble
