#pragma once

#include "amble/walkers/leg_chain.hpp"
#include "amble/walkers/walkers.hpp"

// Planar walkers with knees that lock, DS 4.3. Full coordinates (x, z, q3, q4, q5, q6): lean of the stance
// leg, its knee, the hip, the knee of the swing leg, which bends at q6 < 0. A step is the swing with a free
// knee (q3, q5, q6), the knee's strike, and the swing with a straight leg (q3, q5).
namespace amble {

/// Which knees a mechanism has locked straight.
struct LockedKnees {
  bool stance, swing;
};

struct KneedWalkerSpec {
  /// Joints named x, z, q3 .. q6, all turning about -y, without those that are held or locked; frames
  /// `stance_foot` and `swing_foot` at the centres of the feet's arcs.
  std::function<Mechanism(FootPlace foot, LockedKnees locked)> mechanism;
  double legs_apart = 1.0;  ///< angle between straight legs for each radian of q5
  double leg_length, foot_radius = 0.0;
  double gravity, slope;
  double lowest_lean = 0.1, highest_lean = 0.5;  ///< rad: q3 where cycles are looked for
};

std::unique_ptr<StepModel> make_kneed_walker(const KneedWalkerSpec& spec, Scuffing scuffing);

}  // namespace amble
