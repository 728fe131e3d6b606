#pragma once

#include "amble/ports/element.hpp"
#include "amble/ports/limits.hpp"

namespace amble {

/// A stop that gives way. Pressed in by d with the rate d', it pushes back by
///   stiffness d^exponent (1 + damping d'),   never pulling (Hunt and Crossley 1975):
/// continuous where it is touched, which a damper beside a spring is not.
struct EndStopOptions {
  double stiffness = 1e4;  ///< N/m^exponent, N m/rad^exponent
  double damping = 0.1;    ///< s/m, s/rad: about 1.5 (1 - restitution) / speed for small losses
  double exponent = 1.0;   ///< 1 for a flat pad, 1.5 for a round one (Hertz)
};

/// Stops at these limits. Stored is the energy of the pressed pad; where the joint leaves faster than the pad
/// follows, that is lost. Each touch, parting and return of a pad is an event.
ElementPtr end_stops(std::string name, std::vector<JointLimit> limits, const EndStopOptions& options = {});

}  // namespace amble
