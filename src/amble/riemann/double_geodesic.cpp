#include "amble/riemann/double_geodesic.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"

namespace amble {

void DoubleGeodesic::validate() const {
  if (!(translation > 0.0) || !(rotation > 0.0) || !std::isfinite(translation) || !std::isfinite(rotation))
    throw Error(fmt::format(
        "a double-geodesic metric weighs translation by {} and rotation by {}: expected positive numbers",
        translation, rotation));
}

OwnedMatrix DoubleGeodesic::matrix() const {
  validate();
  Vector6<double> diagonal;
  diagonal << translation, translation, translation, rotation, rotation, rotation;
  return diagonal.asDiagonal().toDenseMatrix();
}

double DoubleGeodesic::inner_product(const Twist<double>& X, const Twist<double>& Y) const {
  return translation * X.linear().dot(Y.linear()) + rotation * X.angular().dot(Y.angular());
}

Twist<double> DoubleGeodesic::connection(const Twist<double>& X, const Twist<double>& Y) {
  return {cross<double>(X.angular(), Y.linear()), 0.5 * cross<double>(X.angular(), Y.angular())};
}

Twist<double> DoubleGeodesic::geodesic_rate(const Twist<double>& V) {
  return {cross<double>(V.linear(), V.angular()), Vector3<double>::Zero()};
}

Twist<double> DoubleGeodesic::curvature(const Twist<double>& X, const Twist<double>& Y,
                                        const Twist<double>& Z) {
  return {Vector3<double>::Zero(),
          -0.25 * cross<double>(cross<double>(X.angular(), Y.angular()), Z.angular())};
}

Pose DoubleGeodesic::geodesic(const Pose& X_WA, const Twist<double>& V, double t) {
  return Pose(X_WA.rotation() * SO3<double>::exp(t * V.angular()),
              Vector3<double>(X_WA.translation() + t * (X_WA.rotation() * V.linear())));
}

Twist<double> DoubleGeodesic::between(const Pose& X_WA, const Pose& X_WB) {
  const SO3<double> R_AW = X_WA.rotation().inverse();
  return {R_AW * Vector3<double>(X_WB.translation() - X_WA.translation()), (R_AW * X_WB.rotation()).log()};
}

double DoubleGeodesic::distance(const Pose& X_WA, const Pose& X_WB) const {
  validate();
  const Twist<double> V = between(X_WA, X_WB);
  return std::sqrt(inner_product(V, V));
}

}  // namespace amble
