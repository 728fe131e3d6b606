#pragma once

#include "amble/base/random.hpp"
#include "amble/geometry/se3.hpp"

namespace amble::test {

template <int N>
Matrix<double, N, 1> random_vector(Random& random, double scale = 1.0) {
  Matrix<double, N, 1> v;
  for (int i = 0; i < N; ++i) v[i] = scale * random.normal();
  return v;
}

inline Vector3<double> random_direction(Random& random) { return random_vector<3>(random).normalized(); }

/// Uniform on SO(3).
inline SO3<double> random_rotation(Random& random) {
  const Vector4<double> q = random_vector<4>(random).normalized();
  return SO3<double>(Quaternion<double>::from_xyzw(q.data()));
}

inline Pose random_pose(Random& random) { return {random_rotation(random), random_vector<3>(random)}; }

inline Twist<double> random_twist(Random& random) {
  return {random_vector<3>(random), random_vector<3>(random)};
}
inline Wrench<double> random_wrench(Random& random) {
  return {random_vector<3>(random), random_vector<3>(random)};
}

}  // namespace amble::test
