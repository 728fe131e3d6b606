#pragma once

#include "amble/mechanism/joints/joint.hpp"

namespace amble {

/// Turns about z by q (rad); "continuous" is the same without limits. The angle is not wrapped.
struct Revolute : VectorCoordinates<1> {
  static constexpr std::string_view kName = "revolute";
  static constexpr int kAxes = 1;
  explicit Revolute(const JointParameters&) {}
  static NormalisedJoint normalise(const JointGeometry& g) { return {rotation_from_z(g.axis), {}}; }

  static JointSteps steps() { return {.steps = {{{Elementary::turn, {}}}}, .count = 1}; }
  template <class T>
  SE3<T> pose(const T* q) const {
    return SE3<T>(SO3<T>::about(2, q[0]));
  }
  template <class T>
  void subspace(const T*, Twist<T>* S) const {
    S[0] = Twist<T>(Vector3<T>::Zero(), Vector3<T>::UnitZ());
  }
  void random(Random& r, const double* lower, const double* upper, double* q) const {
    q[0] = random_coordinate(r, lower[0], upper[0], kTurn);
  }
};

}  // namespace amble
