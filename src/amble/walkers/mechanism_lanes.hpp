#pragma once

#include "amble/walkers/lane_phase.hpp"
#include "amble/walkers/mechanism_phase.hpp"

namespace amble {

/// A phase made from a mechanism, in lanes: what MechanismPhase computes, by the functions of stacks. The
/// floor that the swing foot comes down to lies lower by `drop` (m).
std::unique_ptr<LanePhase> mechanism_lanes(const Mechanism& full, const MechanismPhaseSpec& spec, bool planar,
                                           double drop);

}  // namespace amble
