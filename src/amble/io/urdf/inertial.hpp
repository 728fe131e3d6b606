#pragma once

#include "amble/geometry/inertia.hpp"

namespace amble {

/// The usual description of a body's inertia, as files give it.
struct Inertial {
  double mass = 0.0;
  Vector3<double> com = Vector3<double>::Zero();
  Matrix3<double> about_com = Matrix3<double>::Zero();
};

/// Such that Inertia::from_com() gives `inertia` back to the last bit wherever doubles allow it.
Inertial exact_inertial(const Inertia<double>& inertia);

}  // namespace amble
