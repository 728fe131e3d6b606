#pragma once

#include "amble/mechanism/mechanism.hpp"

namespace amble {

struct RandomMechanismOptions {
  int bodies = 10;
  /// Names of joints/list.hpp to draw from; empty means every type but custom.
  std::vector<std::string> types;
  int roots = 1;                 ///< how many bodies are joined to the world
  double branching = 0.5;        ///< 0 makes chains, 1 joins every body to a random earlier one
  int loops = 0;                 ///< closed at the configuration that is returned
  double mimic = 0.0;            ///< share of one-axis joints that follow an earlier one
  double fixed = 0.1;            ///< share of joints that are fixed, when types does not say
  bool properties = true;        ///< limits, damping, friction and armature on some joints

  void validate() const;
};

/// A mechanism for tests: everything drawn from the seed, physically sound, the same on every machine.
struct RandomMechanism {
  Mechanism mechanism;
  OwnedVector q;  ///< a configuration at which every loop is closed
};

RandomMechanism random_mechanism(std::uint64_t seed, const RandomMechanismOptions& options = {});

/// A pose with every rotation equally likely and a position in a cube of half width `reach`.
Pose random_pose(Random& random, double reach = 1.0);
/// An inertia of eight random point masses: always one that a body can have.
Inertia<double> random_inertia(Random& random);

}  // namespace amble
