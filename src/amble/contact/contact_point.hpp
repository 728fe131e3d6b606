#pragma once

#include "amble/geometry/vector.hpp"

namespace amble {

/// Where two links touch or come nearest, in world axes: the generalised contact points of DS 3.1. Link 0 is the world.
struct ContactPoint {
  int link_a = 0, link_b = 0;
  Vector3<double> p_a = Vector3<double>::Zero(), p_b = Vector3<double>::Zero();  ///< on the surface of a, and of b
  Vector3<double> normal = Vector3<double>::UnitZ();  ///< unit, out of a towards b: b parts from a along it
  double distance = 0.0;                              ///< (p_b - p_a) . normal (m); negative where they penetrate
};

}  // namespace amble
