#pragma once

#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// A jumper on an elastic rope, straight up and down, DS Example 1.1. The defaults are the book's; that the rope has no
/// length of its own follows from its figures.
struct BungeeParameters {
  double person_mass = 91.0, rope_mass = 9.0;  ///< kg
  double stiffness = 30.0;                     ///< of the whole rope (N/m)
  double damping = 1.0;                        ///< of the whole rope (N s/m)
  double height = 60.0;                        ///< where the rope is tied (m)
  int segments = 10;                           ///< of equal mass, each on a spring and a damper in series with the others
};

/// Its joints are the stretches of the segments, from the top; the last body is "person". With `rope_mass` 0 and one
/// segment it is the lumped model of the example.
Mechanism bungee(const BungeeParameters& parameters = {});

}  // namespace amble
