#pragma once

#include "amble/base/owned.hpp"
#include "amble/geometry/se3.hpp"

namespace amble {

/// The metric of rigid displacements whose geodesics are straight lines of the position and turns about one
/// axis at constant speed: |V|^2 = translation |v|^2 + rotation |omega|^2 for body twists V = (v, omega).
/// AL's M_dg, which is 1 for both. It does not depend on where the world frame is, but on where on the body
/// its frame is.
struct DoubleGeodesic {
  double translation = 1.0, rotation = 1.0;  ///< kg and kg m^2, when the metric is to be an energy

  /// Throws an Error unless both are positive.
  void validate() const;
  /// 6 x 6, for SubmersionOptions::target.
  OwnedMatrix matrix() const;
  double inner_product(const Twist<double>& X, const Twist<double>& Y) const;

  /// nabla_X Y of left-invariant fields (constant components): (omega_X x v_Y, omega_X x omega_Y / 2).
  static Twist<double> connection(const Twist<double>& X, const Twist<double>& Y);
  /// The rate of V along a geodesic, ad*_V V of AL (18): (v x omega, 0).
  static Twist<double> geodesic_rate(const Twist<double>& V);
  /// R(X, Y) Z = -[[omega_X, omega_Y], omega_Z] / 4: rotations alone are curved, by 1/(4 rotation).
  static Twist<double> curvature(const Twist<double>& X, const Twist<double>& Y, const Twist<double>& Z);

  /// The geodesic from X_WA with body twist V there, after time t.
  static Pose geodesic(const Pose& X_WA, const Twist<double>& V, double t);
  /// The body twist at A of the shortest geodesic that is at B after unit time.
  static Twist<double> between(const Pose& X_WA, const Pose& X_WB);
  double distance(const Pose& X_WA, const Pose& X_WB) const;
};

}  // namespace amble
