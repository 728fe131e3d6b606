#pragma once

#include "amble/mechanism/joints/joint.hpp"

namespace amble {

/// A nut on a screw: turns about z by q (rad) while moving along z by pitch * q (pitch in m/rad).
struct Helical : VectorCoordinates<1> {
  static constexpr std::string_view kName = "helical";
  static constexpr int kAxes = 1;
  double pitch;
  explicit Helical(const JointParameters& p) : pitch(p.pitch) {}
  static NormalisedJoint normalise(const JointGeometry& g) {
    return {rotation_from_z(g.axis), {.pitch = g.pitch}};
  }

  static JointSteps steps() { return {.steps = {{{Elementary::helix, {}}}}, .count = 1}; }
  template <class T>
  SE3<T> pose(const T* q) const {
    return SE3<T>(SO3<T>::about(2, q[0]), Vector3<T>(T(0.0), T(0.0), T(pitch) * q[0]));
  }
  template <class T>
  void subspace(const T*, Twist<T>* S) const {
    S[0] = Twist<T>(Vector3<T>(T(0.0), T(0.0), T(pitch)), Vector3<T>::UnitZ());
  }
  void random(Random& r, const double* lower, const double* upper, double* q) const {
    q[0] = random_coordinate(r, lower[0], upper[0], kTurn);
  }
};

}  // namespace amble
