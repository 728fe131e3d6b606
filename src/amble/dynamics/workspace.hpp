#pragma once

#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// All memory that evaluating a mechanism needs; one per thread. After construction nothing allocates.
class Workspace {
 public:
  explicit Workspace(const Mechanism& mechanism)
      : q(mechanism.nq()), X_WL(mechanism.links().size()), jacobian(6, mechanism.nv()) {}

  OwnedVector q;            ///< the configuration that X_WL belongs to, checked
  std::vector<Pose> X_WL;   ///< pose of every link in the world
  OwnedMatrix jacobian;     ///< the last Jacobian asked for
};

}  // namespace amble
