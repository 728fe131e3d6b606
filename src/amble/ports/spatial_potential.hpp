#pragma once

#include "amble/geometry/se3.hpp"

namespace amble {

/// Stiffness of a spring in space, at its rest: symmetric, no negative eigenvalue.
struct SpatialStiffness {
  Matrix3<double> translation = Matrix3<double>::Zero();  ///< N/m
  Matrix3<double> rotation = Matrix3<double>::Zero();     ///< N m/rad
};

/// Energy of a spring on SE(3) whose two frames coincide at rest, and its derivative: dU = <dU, V_ab_b dt>.
struct SpatialPotential {
  double energy = 0.0;
  Wrench<double> slope;  ///< in b
};

/// U(X_ab) for X_ab = (R, p):
///   translation  (p . K p + p_b . K p_b) / 4 with p_b = R^T p, the same seen from either frame (Fasse 1997,
///   Stramigioli 2001); rotation     tr(G (1 - R)), G = tr(K)/2 - K, which for a turn by an angle about a unit u is
///   (1 - cos angle) u . K u.
/// A function on the whole of SE(3), smooth everywhere: that of the rotation vector has a kink at half turns, where
/// the books could not close. At rest its second derivative is K.
SpatialPotential spatial_potential(const SpatialStiffness& stiffness, const Pose& X_ab);

}  // namespace amble
