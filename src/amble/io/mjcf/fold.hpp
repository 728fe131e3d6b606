#pragma once

#include <vector>

#include "amble/mechanism/description.hpp"

namespace amble {

/// A joint on a body as MJCF has it: N is where the joint's frames F and M are on the body while every q is
/// 0.
struct MjcfStackedJoint {
  const JointDescription* joint = nullptr;
  Pose X_BN;
};

/// A body as MJCF has it: nested in its parent, with any number of joints on it, the first nearest to the
/// parent.
struct MjcfBody {
  const BodyDescription* body = nullptr;    ///< null for the world
  const JointDescription* fixed = nullptr;  ///< the fixed joint that holds it, if one does
  Pose X_PB, X_WB;                          ///< while every q is 0
  std::vector<MjcfStackedJoint> joints;
  std::vector<int> children;
  int depth = 0;
};

struct MjcfTree {
  std::vector<MjcfBody> bodies;        ///< parents before children; the world first
  std::vector<LoopDescription> loops;  ///< of the description, then the joints that close loops

  /// The place of a body in `bodies`, which may be 0, the world; -1 for an auxiliary body that was folded
  /// away.
  int find(const std::string& body) const;
};

/// Turns a description into nested bodies. Auxiliary bodies between two moving joints become joints stacked
/// on the body at the end of the chain. Throws an Error for a description that is not valid.
MjcfTree mjcf_fold(const ModelDescription& description);

}  // namespace amble
