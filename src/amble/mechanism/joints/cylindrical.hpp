#pragma once

#include "amble/mechanism/joints/joint.hpp"

namespace amble {

/// Slides along z by q[0] (m) and turns about z by q[1] (rad), independently.
struct Cylindrical : VectorCoordinates<2> {
  static constexpr std::string_view kName = "cylindrical";
  static constexpr int kAxes = 1;
  static constexpr std::string_view kPlaces[] = {"displacement", "angle"};
  explicit Cylindrical(const JointParameters&) {}
  static NormalisedJoint normalise(const JointGeometry& g) { return {rotation_from_z(g.axis), {}}; }

  static JointSteps steps() {
    return {.steps = {{{Elementary::slide, {}}, {Elementary::turn, {}}}}, .count = 2};
  }
  template <class T>
  SE3<T> pose(const T* q) const {
    return SE3<T>(SO3<T>::about(2, q[1]), Vector3<T>(T(0.0), T(0.0), q[0]));
  }
  template <class T>
  void subspace(const T*, Twist<T>* S) const {
    S[0] = Twist<T>(Vector3<T>::UnitZ(), Vector3<T>::Zero());
    S[1] = Twist<T>(Vector3<T>::Zero(), Vector3<T>::UnitZ());
  }
  void random(Random& r, const double* lower, const double* upper, double* q) const {
    q[0] = random_coordinate(r, lower[0], upper[0], kReach);
    q[1] = random_coordinate(r, lower[1], upper[1], kTurn);
  }
};

}  // namespace amble
