#pragma once

#include "amble/mechanism/mechanism.hpp"

// Boxes that are free to move, for contact to hold together.
namespace amble {

/// Mechanisms of loose bodies, and where these stand.
struct BoxScene {
  Mechanism mechanism;
  OwnedVector q;
};

/// Boxes on the ground z = 0, side by side in x and y and on top of each other, `gap` apart to the side; body "box_I_J_K" on
/// its free joint "free_I_J_K".
struct BoxStack {
  int along_x = 1, along_y = 1, high = 5;
  double edge = 0.2, mass = 1.0;  ///< of each (m, kg)
  double gap = 0.002;             ///< m
};
BoxScene box_stack(const BoxStack& stack = {});

/// A row of upright tiles along x; body "domino_I" on its free joint "free_I". The first leans towards the others by `lean`,
/// standing on its edge.
struct Dominoes {
  int count = 10;
  double thickness = 0.01, width = 0.04, height = 0.08, spacing = 0.04;  ///< m
  double mass = 0.02;                                                    ///< of each (kg)
  double lean = 0.15;                                                    ///< rad
};
BoxScene dominoes(const Dominoes& dominoes = {});

}  // namespace amble
