#pragma once

#include "amble/mechanism/joints/joint.hpp"

namespace amble {

/// Slides along z by q (m).
struct Prismatic : VectorCoordinates<1> {
  static constexpr std::string_view kName = "prismatic";
  static constexpr int kAxes = 1;
  explicit Prismatic(const JointParameters&) {}
  static NormalisedJoint normalise(const JointGeometry& g) { return {rotation_from_z(g.axis), {}}; }

  static JointSteps steps() { return {.steps = {{{Elementary::slide, {}}}}, .count = 1}; }
  template <class T>
  SE3<T> pose(const T* q) const {
    return SE3<T>(Vector3<T>(T(0.0), T(0.0), q[0]));
  }
  template <class T>
  void subspace(const T*, Twist<T>* S) const {
    S[0] = Twist<T>(Vector3<T>::UnitZ(), Vector3<T>::Zero());
  }
  void random(Random& r, const double* lower, const double* upper, double* q) const {
    q[0] = random_coordinate(r, lower[0], upper[0], kReach);
  }
};

}  // namespace amble
