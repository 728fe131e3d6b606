#pragma once

#include "amble/dynamics/workspace.hpp"

namespace amble {

/// A mechanism in one posture: where its links and its center of mass are, world axes.
struct PosedLinks {
  PosedLinks(const Mechanism& mechanism, const VectorRef& q);

  /// Of body coordinates of the joint of a link: its origin, and its axis (unit) where it has one axis.
  const Vector3<double>& origin(int link) const { return X_WL[link].translation(); }
  Vector3<double> axis(int link) const { return X_WL[link].rotation() * Vector3<double>::UnitZ(); }
  /// Center of mass of a link; of a massless link its origin.
  Vector3<double> center(int link) const;

  const Mechanism& mechanism;
  OwnedVector q;
  std::vector<Pose> X_WL;
  Vector3<double> com;
};

}  // namespace amble
