#pragma once

#include "amble/contact/collision_shape.hpp"

namespace amble {

namespace detail {

/// Which piece of a shape: by kind of shape, a corner, an edge, a face, an end, a rim.
struct PieceId {
  int i = 0, j = -1;  ///< what they say is known to support.cpp
  double tilt = 0.0;  ///< sine of how far n is from meeting it first
  int free = 0;       ///< as in SupportPiece
};

}  // namespace detail

/// What two convex shapes that moved little since need not look for again.
struct PairMemory {
  bool known = false;  ///< otherwise the rest means nothing
  bool met = false;    ///< the pieces are those that were nearest along the normal, which then is to rounding
  Vector3<double> normal_A =
      Vector3<double>::UnitZ();  ///< out of a, in its axes: the shapes are, or were, farthest apart along it
  detail::PieceId piece_a, piece_b;
  int corner_a = 0, corner_b = 0;  ///< of meshes: those farthest along the normal
  double distance = 0.0;  ///< they are at least this far apart (m), exactly where they are within the margin
};

}  // namespace amble
