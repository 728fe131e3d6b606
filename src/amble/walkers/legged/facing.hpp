#pragma once

#include <string>
#include <vector>

#include "amble/walkers/legged/foot_support.hpp"
#include "amble/walkers/legged/knee.hpp"
#include "amble/walkers/legged/standing_guess.hpp"

namespace amble {

/// Which way a robot looks, along or against `forward_W` (horizontal, along its mirror plane).
struct Facing {
  double sign = 1.0;
  std::vector<std::string> evidence;  ///< a phrase for each finding that counted
  bool sure = true;  ///< false: nothing but a convention says so, or findings contradict each other
};

/// A point of the last axis across the robot: those along it say nothing of how far ahead they are.
Vector3<double> ankle(const PosedLinks& at, const LegChain& leg, const Vector3<double>& across);

/// By how far soles reach ahead of the ankle, which way knees go, other limbs (of four legs and more), which
/// legs the file lists first, and the base's x axis, each with its weight. Of the legs in `guessed` the sole
/// is not known: there the foot's center of mass counts, for less.
Facing find_facing(const PosedLinks& at, int base_link, const StandingGuess& guess,
                   const std::vector<FootSupport>& feet, const std::vector<int>& guessed,
                   const std::vector<Knee>& knees, const Vector3<double>& forward_W);

}  // namespace amble
