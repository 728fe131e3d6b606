#pragma once

#include "amble/mechanism/joints/joint.hpp"

namespace amble {

/// No constraint at all: q = (position x, y, z, unit quaternion x, y, z, w), v = the child's twist in its own axes,
/// linear part first. integrate() moves along the screw of that twist.
struct Free {
  static constexpr std::string_view kName = "free";
  static constexpr int kAxes = 0;
  static constexpr std::string_view kPlaces[] = {"x", "y", "z", "qx", "qy", "qz", "qw"};
  static constexpr std::string_view kRates[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
  static constexpr int nq() { return 7; }
  static constexpr int nv() { return 6; }
  explicit Free(const JointParameters&) {}
  static NormalisedJoint normalise(const JointGeometry&) { return {}; }

  static JointSteps steps() { return {.steps = {{{Elementary::free, {}}}}, .count = 1}; }
  template <class T>
  SE3<T> pose(const T* q) const {
    return SE3<T>(SO3<T>(Quaternion<T>::from_xyzw(q + 3)), Vector3<T>(q[0], q[1], q[2]));
  }
  template <class T>
  void subspace(const T*, Twist<T>* S) const {
    for (int k = 0; k < 6; ++k) S[k] = Twist<T>(Vector6<T>(Vector6<T>::Unit(k)));
  }
  template <class T>
  Twist<T> bias(const T*, const T*) const {
    return {};
  }
  template <class T>
  void integrate(const T* q, const T* d, T* out) const {
    const Twist<T> V({d[0], d[1], d[2]}, {d[3], d[4], d[5]});
    const Vector3<T> p = pose(q) * SE3<T>::exp(V).translation();
    const Quaternion<T> turned = Quaternion<T>::from_xyzw(q + 3) * Quaternion<T>::exp(V.angular());
    for (int i = 0; i < 3; ++i) out[i] = p[i];
    turned.normalized().to_xyzw(out + 3);
  }
  template <class T>
  void difference(const T* q0, const T* q1, T* d) const {
    const Quaternion<T> r0 = Quaternion<T>::from_xyzw(q0 + 3), r1 = Quaternion<T>::from_xyzw(q1 + 3);
    const Vector3<T> w = (r0.conjugate() * r1).log();
    const Vector3<T> p = SO3<T>(r0.conjugate()) * Vector3<T>(q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2]);
    const Vector3<T> u = SO3<T>::left_jacobian_inverse(w) * p;
    for (int i = 0; i < 3; ++i) d[i] = u[i], d[i + 3] = w[i];
  }
  template <class T>
  void local_jacobian(const T*, const T* d, Matrix6<T>& S) const {
    S = SE3<T>::right_jacobian(Twist<T>({d[0], d[1], d[2]}, {d[3], d[4], d[5]}));
  }
  void local_rates(const double*, const double* d, const double* v, double* ddot) const {
    const Matrix6<double> inverse = SE3<double>::right_jacobian_inverse(Twist<double>(Vector6<double>(d)));
    Eigen::Map<Vector6<double>>{ddot} = inverse * Vector6<double>(v);
  }
  void neutral(double* q) const {
    std::fill_n(q, 3, 0.0);
    Quaternion<double>().to_xyzw(q + 3);
  }
  double project(const double* q, double* out) const {
    std::copy_n(q, 3, out);
    return project_quaternion(q + 3, out + 3);
  }
  /// Position uniform in a cube of 2 m, rotation uniform.
  void random(Random& r, const double*, const double*, double* q) const {
    for (int i = 0; i < 3; ++i) q[i] = r.uniform(-kReach, kReach);
    random_quaternion(r).to_xyzw(q + 3);
  }
};

}  // namespace amble
