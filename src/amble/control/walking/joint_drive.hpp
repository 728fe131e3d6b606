#pragma once

#include <functional>

#include "amble/control/walking/stance_watch.hpp"
#include "amble/ports/drive_motor.hpp"

namespace amble {

/// The law of DS (5.29): current = proportional (set point - q) - derivative q', with a set point for each foot that
/// the walker may stand on.
struct SetPointLaw {
  double proportional = 0.0;       ///< A/rad
  double derivative = 0.0;         ///< A s/rad
  std::vector<double> set_points;  ///< of the joint, by stance foot (rad)
  /// The switching as DS 5.3.1 has it: the first foot's set point only while no other foot is down, the second's in all
  /// other cases. With ground that gives way that is not the same for both legs.
  bool first_foot_alone = false;
  /// Set points move with each step, away from zero by adaptation (target_speed - speed) where speed (m/s) is how far
  /// apart the last two footfalls were over the time between them; up to `adaptation_range` (rad). rad s/m.
  double adaptation = 0.0, target_speed = 0.0, adaptation_range = 0.1;

  void validate(const std::string& name, int feet) const;
};

struct JointDriveOptions {
  std::string joint;
  int axis = 0;
  DriveMotor motor = {};
  SetPointLaw law = {};
  StanceOptions stance = {};  ///< its period is that of the controller; 0: it acts at once and all the time
  /// Told by the motor what it decides: at each sample, or where the set point changes, the time (s), the foot that
  /// stands and the current (A).
  std::function<void(double t, int stance, double current)> tell = {};
};

/// A motor at a joint that a controller drives by which foot a walker stands on, DS 5.3, as elements with an entry of the
/// ledger each: "NAME motor" (supplied: by the battery, dissipated: in the winding), "NAME gearbox" where it has an
/// efficiency below 1, and "NAME amplifier" where it does not regenerate (supplied and dissipated: what the motor gives
/// back and the battery does not get). Throws an Error for numbers that make no drive.
std::vector<ElementPtr> joint_drive(const std::string& name, const Mechanism& mechanism,
                                    const JointDriveOptions& options);
}  // namespace amble
