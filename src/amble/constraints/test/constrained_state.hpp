#pragma once

#include "amble/constraints/constrained_dynamics.hpp"
#include "amble/constraints/coordinate_constraints.hpp"
#include "amble/constraints/pair_constraints.hpp"
#include "amble/constraints/rolling_constraints.hpp"
#include "amble/dynamics/test/random_state.hpp"

namespace amble {

inline const std::vector<std::string> kPairTypes = {"fixed",  "revolute",  "prismatic", "helical",       "cylindrical",   "universal",
                                                    "planar", "spherical", "parallel",  "point_on_axis", "point_on_plane"};

/// A random mechanism in motion with a frame on two of its links.
struct PairState {
  RandomState s;
  LinkFrame a, b;
};

inline PairState pair_state(std::uint64_t seed) {
  PairState x{random_state(seed, {.bodies = 6 + static_cast<int>(seed % 5), .roots = seed % 3 == 0 ? 2 : 1, .fixed = 0.0}), {}, {}};
  Random random(seed + 31);
  const int links = static_cast<int>(x.s.m.links().size());
  x.a = {seed % 4 == 0 ? 0 : 1 + static_cast<int>(seed % (links - 2)), random_pose(random)};
  x.b = {links - 1, random_pose(random)};
  if (x.a.link == x.b.link) x.a.link = 0;
  return x;
}

inline JointParameters pair_parameters() { return {.pitch = 0.23, .angle = 1.1}; }

}  // namespace amble
