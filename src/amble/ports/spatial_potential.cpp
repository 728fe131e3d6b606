#include "amble/ports/spatial_potential.hpp"

namespace amble {

SpatialPotential spatial_potential(const SpatialStiffness& stiffness, const Pose& X_ab) {
  const Matrix3<double>& K = stiffness.translation;
  const Matrix3<double> R = X_ab.rotation().matrix();
  const Vector3<double> p_a = X_ab.translation(), p_b = R.transpose() * p_a, f_a = K * p_a, f_b = K * p_b;
  const Matrix3<double> G = 0.5 * stiffness.rotation.trace() * Matrix3<double>::Identity() - stiffness.rotation;
  const Matrix3<double> GR = G * R;
  // d p_a = R v dt and d p_b = (v + p_b x w) dt; tr(A [w]) = -2 w . unskew(A).
  const Vector3<double> force = 0.5 * (R.transpose() * f_a + f_b);
  const Vector3<double> moment = 0.5 * cross<double>(f_b, p_b) + 2.0 * unskew<double>(GR);
  return {0.25 * (p_a.dot(f_a) + p_b.dot(f_b)) + G.trace() - GR.trace(), Wrench<double>(force, moment)};
}

}  // namespace amble
