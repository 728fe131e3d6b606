#pragma once

#include "amble/mechanism/joints/joint.hpp"

namespace amble {

/// Moves in the plane normal to z: q = (x, y, angle), x and y along the parent's axes (m, m, rad), v their plain rates.
struct Planar : VectorCoordinates<3> {
  static constexpr std::string_view kName = "planar";
  static constexpr int kAxes = 1;
  static constexpr std::string_view kPlaces[] = {"x", "y", "angle"};
  explicit Planar(const JointParameters&) {}
  static NormalisedJoint normalise(const JointGeometry& g) { return {rotation_from_z(g.axis), {}}; }

  static JointSteps steps() {
    const SO3<double> x = rotation_from_z({1.0, 0.0, 0.0}), y = rotation_from_z({0.0, 1.0, 0.0});
    return {.steps = {{{Elementary::slide, x}, {Elementary::slide, x.inverse() * y}, {Elementary::turn, y.inverse()}}},
            .count = 3};
  }
  template <class T>
  SE3<T> pose(const T* q) const {
    return SE3<T>(SO3<T>::about(2, q[2]), Vector3<T>(q[0], q[1], T(0.0)));
  }
  template <class T>
  void subspace(const T* q, Twist<T>* S) const {
    using std::cos, std::sin;
    const T c = cos(q[2]), s = sin(q[2]), zero(0.0);
    S[0] = Twist<T>({c, -s, zero}, Vector3<T>::Zero());
    S[1] = Twist<T>({s, c, zero}, Vector3<T>::Zero());
    S[2] = Twist<T>(Vector3<T>::Zero(), Vector3<T>::UnitZ());
  }
  template <class T>
  Twist<T> bias(const T* q, const T* v) const {
    using std::cos, std::sin;
    const T c = cos(q[2]), s = sin(q[2]);
    // The parent's axes turn backwards as seen from the child.
    return {v[2] * Vector3<T>(-s * v[0] + c * v[1], -c * v[0] - s * v[1], T(0.0)), Vector3<T>::Zero()};
  }
  void random(Random& r, const double* lower, const double* upper, double* q) const {
    q[0] = random_coordinate(r, lower[0], upper[0], kReach);
    q[1] = random_coordinate(r, lower[1], upper[1], kReach);
    q[2] = random_coordinate(r, lower[2], upper[2], kTurn);
  }
};

}  // namespace amble
