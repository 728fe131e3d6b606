#pragma once

#include <map>
#include <string>

#include "amble/ports/drive_motor.hpp"
#include "amble/walkers/walker_description.hpp"

namespace amble {

/// A motor at one joint of a walker that a controller drives by which foot stands, DS 5.3; what the knees and the
/// electronics take comes with it. How a walk with it goes is simulated by gait/driven_walk.hpp.
struct WalkerDrive {
  std::string joint;
  DriveMotor motor = {};
  /// DS (5.29): current = proportional (set point - q) - derivative q'. A/rad, A s/rad. With neither there is no motor.
  double proportional = 0.0, derivative = 0.0;
  double set_point = 0.0;                           ///< rad
  std::map<std::string, double> directions = {};    ///< by stance foot: what its set point is times `set_point`
  double period = 0.01;                             ///< of the controller (s); 0: it acts at once and all the time
  bool first_foot_alone = false;                    ///< see SetPointLaw
  double adaptation = 0.0, target_speed = 0.0, adaptation_range = 0.1;  ///< see SetPointLaw
  double magnet_power = 0.0;       ///< of the magnets of one knee while they hold (W)
  double electronics_power = 0.0;  ///< that is always taken (W)
  /// Where simulated walks start: numbers of the walker's region by name. Those that are not named start in the middle of it.
  std::map<std::string, double> start = {};

  bool on() const { return proportional > 0.0 || derivative > 0.0; }
  /// What the controller does at the joint when it is asked all the time: a spring (N m/rad) and a damper (N m s/rad).
  double stiffness() const { return motor.ratio * motor.constant * proportional; }
  double damping() const { return motor.ratio * motor.constant * derivative; }
};

/// A walker with its drive.
struct DrivenWalker {
  WalkerDescription walker;
  WalkerDrive drive;
};

/// The walker with the rotor's inertia at its joint, as it is simulated.
WalkerDescription with_rotor(const DrivenWalker& driven);

/// The walker with the drive as a spring whose rest follows the stance foot, a damper and the rotor's inertia: the limit of
/// a controller that is asked ever more often, with a gearbox without losses and no limits. So it is analysed. A spring of
/// the joint's own acts beside it.
WalkerDescription with_drive_as_spring(const DrivenWalker& driven);

}  // namespace amble
