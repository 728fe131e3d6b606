#include "amble/ports/drive_motor.hpp"

#include "amble/ports/checks.hpp"

namespace amble {

void DriveMotor::validate(const std::string& name) const {
  check_above_zero(name, "motor constant", constant);
  check_strength(name, "resistance", resistance);
  if (std::isfinite(voltage_limit)) check_above_zero(name, "resistance (with a voltage limit)", resistance);
  check_above_zero(name, "gear ratio", ratio);
  check_strength(name, "rotor inertia", rotor_inertia);
  if (!(efficiency > 0.0 && efficiency <= 1.0))
    throw Error(fmt::format("'{}' has a gear efficiency of {}: expected above 0, to 1", name, efficiency));
  check_above_zero(name, "slip", slip);
  check_strength(name, "voltage limit", voltage_limit, true);
  check_strength(name, "current limit", current_limit, true);
}

}  // namespace amble
