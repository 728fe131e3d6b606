#pragma once

#include <string>

#include "amble/geometry/inertia.hpp"

namespace amble {

/// An inertia as MJCF's <inertial> says it: principal moments in a turned frame at the centre of mass. The
/// full matrix that MJCF also has is diagonalised by MuJoCo with an absolute threshold of 1e-12, which loses
/// digits of small bodies; these numbers read back to 1e-15 of the largest moment.
struct MjcfInertial {
  double mass = 0.0;
  Vector3<double> com = Vector3<double>::Zero();
  Quaternion<double> q_BI;
  Vector3<double> moments = Vector3<double>::Zero();

  /// MuJoCo wants mass and moments of a moving body above this.
  bool can_move() const;
};

/// Throws an Error naming `body` when MuJoCo would refuse the inertia: negative, or against the triangle
/// inequality by more than rounding.
MjcfInertial mjcf_inertial(const Inertia<double>& inertia, const std::string& body);

}  // namespace amble
