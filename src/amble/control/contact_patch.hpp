#pragma once

#include <optional>
#include <string>
#include <vector>

#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// Where a body may touch the world, or another body of the mechanism (a hand on a box), as whole-body control sees it:
/// points with a cone of friction each, BK (36). While it is held, the body does not move there against what supports it:
/// one point leaves it free to turn, two leave the turn about their line, three or more none. The normal of three or more
/// is the contact frame's z; a body that may turn about one point or a line has no face, so that there the normal is that
/// of the support, whichever way the body leans.
struct ContactPatch {
  std::string name;
  std::string place;                ///< a body or frame that is supported
  Pose X_PC = {};                   ///< the contact frame on it; z of a face is the way the support pushes
  std::vector<Vector3<double>> points = {Vector3<double>::Zero()};  ///< in the contact frame (m)
  /// Of a ball about its one point (m): it touches at its lowest point, where the force acts, and rolls.
  double radius = 0.0;
  std::string support = "world";    ///< "world", or a body or frame of the mechanism
  /// Of one point or a line, in the support's axes: which way it pushes. Not given: up in the world; on a body, the
  /// contact frame's z when the contact is held.
  std::optional<Vector3<double>> normal = {};
  double friction = 0.7;            ///< Coulomb's coefficient; the cone is replaced by a pyramid inside it
  int facets = 4;                   ///< of the pyramid, 3 or more
  double least_force = 0.0;         ///< normal force of all points together (N)
  double largest_force = 1e5;

  /// Throws an Error naming what does not fit.
  void validate(const Mechanism& mechanism) const;
  /// How much of the motion it takes away while it is held.
  int rows() const;
};

/// Four points at (+-length/2, +-width/2) in the contact frame.
std::vector<Vector3<double>> rectangle(double length, double width);

}  // namespace amble
