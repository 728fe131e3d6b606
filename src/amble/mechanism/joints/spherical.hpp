#pragma once

#include "amble/mechanism/joints/joint.hpp"

namespace amble {

/// A ball in a socket: q = unit quaternion (x, y, z, w), v = angular velocity in the child's axes. No singularity.
struct Spherical {
  static constexpr std::string_view kName = "spherical";
  static constexpr int kAxes = 0;
  static constexpr std::string_view kPlaces[] = {"qx", "qy", "qz", "qw"};
  static constexpr std::string_view kRates[] = {"wx", "wy", "wz"};
  static constexpr int nq() { return 4; }
  static constexpr int nv() { return 3; }
  explicit Spherical(const JointParameters&) {}
  static NormalisedJoint normalise(const JointGeometry&) { return {}; }

  static JointSteps steps() { return {.steps = {{{Elementary::ball, {}}}}, .count = 1}; }
  template <class T>
  SE3<T> pose(const T* q) const {
    return SE3<T>(SO3<T>(Quaternion<T>::from_xyzw(q)));
  }
  template <class T>
  void subspace(const T*, Twist<T>* S) const {
    for (int k = 0; k < 3; ++k) S[k] = Twist<T>(Vector3<T>::Zero(), Vector3<T>::Unit(k));
  }
  template <class T>
  Twist<T> bias(const T*, const T*) const {
    return {};
  }
  template <class T>
  void integrate(const T* q, const T* d, T* out) const {
    (Quaternion<T>::from_xyzw(q) * Quaternion<T>::exp({d[0], d[1], d[2]})).normalized().to_xyzw(out);
  }
  template <class T>
  void difference(const T* q0, const T* q1, T* d) const {
    const Vector3<T> w = (Quaternion<T>::from_xyzw(q0).conjugate() * Quaternion<T>::from_xyzw(q1)).log();
    for (int i = 0; i < 3; ++i) d[i] = w[i];
  }
  template <class T>
  void local_jacobian(const T*, const T* d, Matrix6<T>& S) const {
    S.template topLeftCorner<3, 3>() = SO3<T>::right_jacobian({d[0], d[1], d[2]});
  }
  void local_rates(const double*, const double* d, const double* v, double* ddot) const {
    const Matrix3<double> inverse = SO3<double>::right_jacobian_inverse({d[0], d[1], d[2]});
    Eigen::Map<Vector3<double>>{ddot} = inverse * Vector3<double>(v);
  }
  void neutral(double* q) const { Quaternion<double>().to_xyzw(q); }
  double project(const double* q, double* out) const { return project_quaternion(q, out); }
  /// Uniform over all rotations.
  void random(Random& r, const double*, const double*, double* q) const { random_quaternion(r).to_xyzw(q); }
};

}  // namespace amble
