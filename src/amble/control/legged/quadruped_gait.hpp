#pragma once

#include <string>

namespace amble {

/// One set of parameters for all robots of four and more legs, in the units of BipedGait: times in tc =
/// 1/omega, lengths in the height z of the center of mass, forces in weights, speeds in z omega.
struct QuadrupedGait {
  std::string name = "trot";     ///< of a PhaseTable
  double period = 3.2;           ///< tc
  double duty = 0.0;             ///< share of the period in which a leg bears; 0: that of the table
  double stand = 1.2;            ///< before the first step (tc)
  double sway_periods = 2.0;     ///< in which the sway of the gait comes up before the first step
  double least_sway = 0.02;      ///< z: a gait that sways less starts at once
  double ramp = 0.05;            ///< of the period: in which a leg is loaded and unloaded
  double swing_height = 0.15;    ///< z
  double touch_speed = 0.05;     ///< at which a foot comes down (z omega)
  double descent = 0.2;          ///< of the swing: its last part, in which that speed comes
  double touch_force = 0.01;     ///< that counts as touchdown
  double touch_share = 0.6;      ///< of the swing, before which nothing counts as touchdown
  double late = 0.15;            ///< of the period: how late a touchdown may be
  double freeze = 0.15;          ///< of the swing: its last part, in which the place stays
  double capture = 0.5;          ///< of the error of the speed that moves a foot (tc)
  double drag = 0.09;            ///< z: how far the place wanted may be ahead of the robot
  double acceleration = 0.25;    ///< of the speed asked for (z omega^2 / 10)
  double correction = 0.05;      ///< share of a stride's error of speed that the next command makes up for
  double most_correction = 0.3;  ///< of the speed
  double friction = 0.6;         ///< Coulomb's coefficient that is counted on

  void validate() const;
};

/// Of the tasks: gains (1/s^2, 1/s) and weights.
struct QuadrupedWeights {
  double com_stiffness = 4.0, com_damping = 4.0, com = 1.0;
  double sway_gain = 1.2;  ///< of the DCM's error beyond 1, in gaits that sway
  double height_stiffness = 100.0, height = 10.0;
  double base_stiffness = 150.0, base = 10.0;
  double posture_stiffness = 40.0, posture = 1e-3;
  double swing_stiffness = 600.0, swing = 100.0;
};

}  // namespace amble
