#pragma once

#include <functional>
#include <limits>

#include "amble/ports/element.hpp"

namespace amble {

/// A number that depends on time and motion: a command.
using Signal = std::function<double(double t, const OwnedVector& q, const OwnedVector& v)>;

/// A DC motor with a gearbox on one coordinate of a joint:
///   inductance i' = u - resistance i - constant ratio q',   force = ratio constant i.
/// Its rotor's inertia belongs to the mechanism, as armature: ratio^2 times the rotor's own.
struct MotorOptions {
  std::string joint;
  int axis = 0;
  double resistance = 1.0;                                         ///< ohm
  double inductance = 0.0;                                         ///< H; with none the current follows at once
  double constant = 1.0;                                           ///< N m/A, which is V s/rad
  double ratio = 1.0;                                              ///< turns of the rotor for one of the joint
  double voltage_limit = std::numeric_limits<double>::infinity();  ///< of the supply (V)
  double current_limit =
      std::numeric_limits<double>::infinity();  ///< of the amplifier (A), which then lowers its voltage
  double current = 0.0;                         ///< at the start (A), for a motor with inductance
};

/// Driven by a voltage. Supplied is u i, dissipated resistance i^2, stored inductance i^2 / 2. Where limits begin and
/// end to act are events.
ElementPtr voltage_motor(std::string name, const Mechanism& mechanism, const MotorOptions& options, Signal voltage);

/// Driven by an amplifier that holds a current, as far as its voltage goes; without inductance.
ElementPtr current_motor(std::string name, const Mechanism& mechanism, const MotorOptions& options, Signal current);

}  // namespace amble
