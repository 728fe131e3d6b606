#pragma once

#include <set>

#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// Builds a mechanism in code. Pieces may come in any order; build() checks them all and reports every problem at once.
///
///   Builder b("pendulum");
///   b.body({.name = "rod", .inertia = Inertia<double>::from_com(1.0, {0, 0, -0.5}, I)});
///   b.joint({.name = "pin", .type = "revolute", .parent = "world", .child = "rod", .axis = {0, 1, 0}});
///   Mechanism pendulum = b.build();
class Builder {
 public:
  explicit Builder(std::string name) { description_.name = std::move(name); }
  /// Goes on from what a reader or another mechanism has. Roots that stand fixed in it without a joint may stay so.
  explicit Builder(ModelDescription description);

  Builder& gravity(const Vector3<double>& gravity);
  Builder& body(BodyDescription body);
  Builder& joint(JointDescription joint);
  Builder& loop(LoopDescription loop);
  /// A spring and damper between points of two bodies; part of the model, acts in simulation.
  Builder& spring(SpringDescription spring);
  /// A tendon, a coupling of joints or tendons, a drive: parts of the model that act in simulation.
  Builder& tendon(TendonDescription tendon);
  Builder& coupling(CouplingDescription coupling);
  Builder& drive(DriveDescription drive);
  /// A wheel that rolls without slip on the ground plane z = 0.
  Builder& rolling(RollingDescription rolling);
  Builder& frame(FrameDescription frame);

  /// Throws an Error listing every problem; a body that no joint holds is one of them.
  Mechanism build() const;

 private:
  ModelDescription description_;
  std::set<std::string> standing_{kWorld};  ///< bodies that need no joint
};

}  // namespace amble
