#include "amble/mechanism/joints/joint.hpp"

namespace amble {

SO3<double> rotation_from_z(const Vector3<double>& axis) {
  const double x = axis[0], y = axis[1], z = axis[2];
  Matrix3<double> m;
  if (z < -0.5) {
    // The shortest way is ill-defined at -z: turn by pi about x first, which takes z to -z exactly.
    const double k = 1.0 / (1.0 - z);
    m << 1.0 - x * x * k, x * y * k, x, -x * y * k, -(1.0 - y * y * k), y, x, -y, z;
  } else {
    const double k = 1.0 / (1.0 + z);
    m << 1.0 - x * x * k, -x * y * k, x, -x * y * k, 1.0 - y * y * k, y, -x, -y, z;
  }
  return SO3<double>(m);
}

}  // namespace amble
