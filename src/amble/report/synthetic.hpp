#pragma once

#include "amble/recording/recording.hpp"

namespace amble {

/// A recording of any length, to try viewers with: a machine of two links that a motor moves as sines say,
/// recorded `rate` times a second, its energies and books computed from the motion, an event at each turn of
/// the first link.
Recording synthetic_recording(double seconds, double rate = 1000.0);

}  // namespace amble
