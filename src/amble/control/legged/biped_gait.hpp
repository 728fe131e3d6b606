#pragma once

namespace amble {

/// One set of parameters for all bipeds: times in tc = 1/omega, lengths in z, the height of the center of
/// mass over the soles, forces in weights, speeds in z omega = sqrt(gravity z).
struct BipedGait {
  double single_support = 1.7;  ///< at rest (tc): quick steps stand more
  double fast_single_support =
      2.0;  ///< from the Froude number `fast` on, in proportion between (tc): joints move more slowly
  double double_support = 0.3;  ///< tc
  double fast = 0.06;           ///< v^2 / (g z)
  double stand = 0.6;           ///< before the first step (tc)
  double transition = 3.0;      ///< from standing to the first step, and from the last one to rest (tc)
  double dcm_gain = 1.2;        ///< of the DCM's error beyond 1: above 0
  double sole_share = 0.85;     ///< of a sole's length and width that is counted on
  double ankle_share = 0.5;     ///< of the sole that feedback uses before the step moves
  double fastest = 0.6, slowest = 1.4;  ///< of single support, of a whole swing
  double freeze = 0.12;                 ///< of single support: its last part, in which place and time stay
  double settle = 0.04;   ///< of single support: how long before touchdown the swing foot is over its place
  double patience = 0.5;  ///< of single support: how late a touchdown may be
  double time_weight = 0.05;      ///< cost of another duration beside another place (z^2/tc^2)
  double reach_ahead = 0.7;       ///< z
  double reach_aside = 2.5;       ///< of the distance of the soles
  double clearance = 0.01;        ///< between soles that pass each other (z)
  double swing_height = 0.06;     ///< z
  double touch_speed = 0.017;     ///< at which a late foot goes on down (z omega)
  double touch_force = 0.01;      ///< that counts as touchdown
  double touch_share = 0.6;       ///< of single support, before which nothing counts as touchdown
  double acceleration = 0.02;     ///< change of the speed from one step to the next, at most (z omega)
  double turn_change = 0.015;     ///< likewise of the turning rate (omega)
  double correction = 0.15;       ///< share of a stride's error of speed that the next command makes up for
  double most_correction = 0.15;  ///< of the speed and of the turning rate
  double friction = 0.6;          ///< Coulomb's coefficient that is counted on
  double momentum_from =
      0.15;  ///< Froude number v^2/(g z) above which arms and trunk balance the legs' turning

  /// Throws an Error naming the parameter that cannot be.
  void validate() const;
};

/// Of the tasks that whole-body control serves: gains (1/s^2), critically damped, and weights.
struct BipedWeights {
  double com = 100.0, posture = 0.1, base = 10.0, swing = 1000.0, momentum = 1.0;
  double com_stiffness = 100.0, posture_stiffness = 40.0, base_stiffness = 100.0, swing_stiffness = 400.0;
  double momentum_damping = 5.0;  ///< 1/s
  double leg_importance = 0.1;    ///< of the posture of the legs
  double free_arms = 0.1;         ///< of the posture of arms and trunk while they balance the legs
};

}  // namespace amble
