#include "amble/io/urdf/rotation.hpp"

#include <cmath>

#include "amble/io/urdf/simplest.hpp"

namespace amble {

SO3<double> rotation_of_rpy(const Vector3<double>& rpy) {
  return SO3<double>::about(2, rpy[2]) * SO3<double>::about(1, rpy[1]) * SO3<double>::about(0, rpy[0]);
}

Vector3<double> rpy_of_rotation(const SO3<double>& rotation) {
  // Each angle from the two before it: at pitch +-90 degrees, where roll is noise, the others still make up
  // for it.
  const Matrix3<double>& R = rotation.matrix();
  double roll = std::atan2(R(2, 1), R(2, 2));
  const double s = std::sin(roll), c = std::cos(roll);
  double pitch = std::atan2(-R(2, 0), s * R(2, 1) + c * R(2, 2));
  double yaw = std::atan2(s * R(0, 2) - c * R(0, 1), c * R(1, 1) - s * R(1, 2));

  constexpr double kNear = 1e-15;
  pitch = simplest(pitch, kNear, [&](double x) { return -std::sin(x) == R(2, 0); });
  const double cp = std::cos(pitch);
  roll = simplest(roll, kNear,
                  [&](double x) { return cp * std::sin(x) == R(2, 1) && cp * std::cos(x) == R(2, 2); });
  yaw = simplest(yaw, kNear,
                 [&](double x) { return std::sin(x) * cp == R(1, 0) && std::cos(x) * cp == R(0, 0); });
  return {roll, pitch, yaw};
}

}  // namespace amble
