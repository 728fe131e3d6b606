#pragma once

#include "amble/mechanism/joints/joint.hpp"

namespace amble {

/// No motion. Bodies joined by it are fused when a mechanism is built.
struct Fixed : VectorCoordinates<0> {
  static constexpr std::string_view kName = "fixed";
  static constexpr int kAxes = 0;
  explicit Fixed(const JointParameters&) {}
  static NormalisedJoint normalise(const JointGeometry&) { return {}; }

  static JointSteps steps() { return {}; }
  template <class T>
  SE3<T> pose(const T*) const {
    return {};
  }
  template <class T>
  void subspace(const T*, Twist<T>*) const {}
  void random(Random&, const double*, const double*, double*) const {}
};

}  // namespace amble
