#pragma once

#include "amble/mechanism/joints/joint.hpp"

namespace amble {

/// Turns by q[0] about the first axis, fixed in the parent, then by q[1] about the second, fixed in the child (rad).
/// Normalised: the first axis is z, the second lies in the xz-plane at `angle` from it (pi/2, so x, in most joints).
struct Universal : VectorCoordinates<2> {
  static constexpr std::string_view kName = "universal";
  static constexpr int kAxes = 2;
  static constexpr std::string_view kPlaces[] = {"first", "second"};
  double sine, cosine;  // of the angle between the axes
  explicit Universal(const JointParameters& p) : sine(std::sin(p.angle)), cosine(std::cos(p.angle)) {}
  static NormalisedJoint normalise(const JointGeometry& g) {
    const Vector3<double> y = cross<double>(g.axis, g.axis2).normalized();
    Matrix3<double> R;
    R << cross<double>(y, g.axis), y, g.axis;
    return {SO3<double>(R), {.angle = std::atan2(cross<double>(g.axis, g.axis2).norm(), g.axis.dot(g.axis2))}};
  }

  JointSteps steps() const {
    const SO3<double> tilt = SO3<double>::about(1, std::atan2(sine, cosine));
    return {.steps = {{{Elementary::turn, {}}, {Elementary::turn, tilt}}}, .count = 2, .after = tilt.inverse()};
  }
  template <class T>
  SE3<T> pose(const T* q) const {
    return SE3<T>(SO3<T>::about(2, q[0]) * SO3<T>::exp(q[1] * second_axis<T>()));
  }
  template <class T>
  void subspace(const T* q, Twist<T>* S) const {
    S[0] = Twist<T>(Vector3<T>::Zero(), first_axis_in_child(q));
    S[1] = Twist<T>(Vector3<T>::Zero(), second_axis<T>());
  }
  template <class T>
  Twist<T> bias(const T* q, const T* v) const {
    // The first axis, seen from the child, turns against the second rotation.
    return {Vector3<T>::Zero(), v[0] * v[1] * cross<T>(first_axis_in_child(q), second_axis<T>())};
  }
  void random(Random& r, const double* lower, const double* upper, double* q) const {
    q[0] = random_coordinate(r, lower[0], upper[0], kTurn);
    q[1] = random_coordinate(r, lower[1], upper[1], kTurn);
  }

 private:
  template <class T>
  Vector3<T> second_axis() const {
    return {T(sine), T(0.0), T(cosine)};
  }
  template <class T>
  Vector3<T> first_axis_in_child(const T* q) const {
    return SO3<T>::exp(-q[1] * second_axis<T>()) * Vector3<T>::UnitZ().eval();
  }
};

}  // namespace amble
