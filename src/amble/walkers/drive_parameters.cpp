#include "amble/walkers/drive_parameters.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/walkers/kinds.hpp"

namespace amble {

DrivenKind driven_kind(std::string_view name) {
  const WalkerKind& kind = walker_kind(name);
  if (DrivenKind dribbel = driven_dribbel(); kind.name == dribbel.kind.name) return dribbel;
  throw Error(fmt::format("walker '{}' has no drive: of the built-in ones dribbel has, a walker file may have [drive]", name));
}

std::vector<WalkerParameter> drive_parameters(const WalkerDrive& d) {
  return {{"proportional_gain", d.proportional, "A/rad", "of the drive's controller, DS (5.29); 0 with the other: no motor"},
          {"derivative_gain", d.derivative, "A s/rad", "of the drive's controller"},
          {"set_point", d.set_point, "rad", "of the drive's joint"},
          {"sample_period", d.period, "s", "of the drive's controller; 0: it acts all the time"},
          {"motor_constant", d.motor.constant, "N m/A", "torque of the rotor for the current"},
          {"motor_resistance", d.motor.resistance, "ohm", "of the winding"},
          {"rotor_inertia", d.motor.rotor_inertia, "kg m^2", "on the motor's side of the gearbox"},
          {"gear_ratio", d.motor.ratio, "1", "turns of the rotor for one of the joint"},
          {"gear_efficiency", d.motor.efficiency, "1", "of the gearbox, either way; in simulated walks alone"},
          {"adaptation", d.adaptation, "rad s/m", "by how much a step that was too slow moves the set point from zero"},
          {"target_speed", d.target_speed, "m/s", "of the adaptation"}};
}

WalkerDrive drive_with(const WalkerDrive& drive, const WalkerValues& values) {
  WalkerDrive d = drive;
  d.proportional = not_negative(values, "proportional_gain");
  d.derivative = not_negative(values, "derivative_gain");
  d.set_point = values.at("set_point");
  d.period = not_negative(values, "sample_period");
  d.motor.constant = positive(values, "motor_constant");
  d.motor.resistance = not_negative(values, "motor_resistance");
  d.motor.rotor_inertia = not_negative(values, "rotor_inertia");
  d.motor.ratio = positive(values, "gear_ratio");
  d.motor.efficiency = positive(values, "gear_efficiency");
  if (d.motor.efficiency > 1.0)
    throw Error(fmt::format("parameter 'gear_efficiency' is {}: expected above 0, to 1", d.motor.efficiency));
  d.adaptation = values.at("adaptation"), d.target_speed = values.at("target_speed");
  return d;
}

}  // namespace amble
