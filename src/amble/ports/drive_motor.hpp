#pragma once

#include <limits>
#include <string>

namespace amble {

/// A DC motor with its gearbox and battery. Its current is what an amplifier holds, as far as the battery's voltage goes:
/// the inductance of the winding is left out, as its time constant is far below the period of a controller.
struct DriveMotor {
  double constant = 0.0;        ///< N m/A, which is V s/rad
  double resistance = 0.0;      ///< of the winding (ohm)
  double ratio = 1.0;           ///< turns of the rotor for one of the joint
  double rotor_inertia = 0.0;   ///< kg m^2, on the rotor's side of the gearbox: for armature(), the mechanism has to carry it
  /// Of the gearbox: what comes out of it for what goes in, whichever way the power goes. Below 1 its friction
  /// is proportional to the torque, and turns around within `slip` (rad/s, of the joint).
  double efficiency = 1.0;
  double slip = 0.02;
  double voltage_limit = std::numeric_limits<double>::infinity();  ///< of the battery (V)
  double current_limit = std::numeric_limits<double>::infinity();  ///< of the amplifier (A)
  /// Whether the battery takes back what a motor that brakes gives; if not, the amplifier burns it.
  bool regenerates = false;

  /// Of the rotor as the joint feels it (kg m^2).
  double armature() const { return ratio * ratio * rotor_inertia; }
  void validate(const std::string& name) const;
};

}  // namespace amble
