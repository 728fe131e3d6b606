#pragma once

#include <cstdint>

#include "amble/contact/solvers/friction_problem.hpp"

namespace amble {

enum class FrictionScene {
  mechanism,  ///< a random mechanism against the world and itself, with stops and dry friction in its joints
  stack,      ///< a tower of boxes, four contacts each
  table,      ///< a plate on 3 to 20 legs, between up to four walls
  bricks,     ///< boxes beside and upon each other, some against a wall
  bodies,     ///< free bodies that touch each other and the world anywhere
  chain,      ///< free bodies tied into a chain by bilateral rows, on the ground
  pile,       ///< up to 20 bodies in a heap
  patches,    ///< a tower that touches at up to 16 points between two boxes, anywhere
};
inline constexpr int kFrictionScenes = 6;  ///< up to chain: those that a seed alone chooses from

/// A problem for tests: everything drawn from the seed, the same on every machine. Up to 90 contacts;
/// coefficients from 0 to 2 and infinite, alike or all different; in every second scene of several bodies
/// masses up to 1e4 apart; at rest but for gravity over a step, pushed, or thrown. Free velocities are those
/// of a motion, so there is always a motion that meets all laws.
FrictionProblem random_friction(std::uint64_t seed);
FrictionProblem random_friction(std::uint64_t seed, FrictionScene scene);

}  // namespace amble
