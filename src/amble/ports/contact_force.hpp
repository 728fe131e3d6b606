#pragma once

#include "amble/geometry/vector.hpp"

namespace amble {

/// A force between two links that touch, at an instant; all in world coordinates. Link 0 is the world.
struct ContactForce {
  int link_a = 0, link_b = 0;
  Vector3<double> point = Vector3<double>::Zero();    ///< where it acts (m)
  Vector3<double> force = Vector3<double>::Zero();    ///< of a on b (N)
  Vector3<double> normal = Vector3<double>::UnitZ();  ///< unit, out of a towards b
  double friction = 0.0;  ///< Coulomb's coefficient; infinite where nothing slips, 0 where unknown
};

}  // namespace amble
