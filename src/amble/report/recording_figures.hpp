#pragma once

#include "amble/recording/recording.hpp"
#include "amble/report/plot.hpp"

// Pictures of recordings.
namespace amble {

/// The motion seen from the side, x to the right and z up: lines from joint to joint and to the frames of bodies, at even
/// times; the floor where it is flat.
std::string stick_figures(const Recording& recording, int figures = 40);

/// Where the energy is: height above the lowest, kinetic, and what elements store, one on top of the other.
std::string energy_over_time(const Recording& recording);

/// What each port gives to the motion (W), from the ledger's differences.
Plot power_over_time(const Recording& recording);

/// Of joints with one coordinate, rate over position; those that move most, up to `most` of them.
Plot phase_portraits(const Recording& recording, std::size_t most = 6);

/// What presses on each body, in all (N).
Plot contact_forces(const Recording& recording);

/// All of them by name, those that have something to show.
std::vector<std::pair<std::string, std::string>> recording_pictures(const Recording& recording);

}  // namespace amble
