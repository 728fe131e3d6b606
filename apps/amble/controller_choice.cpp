#include "controller_choice.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"

namespace amble::app {

namespace {

/// KIND.NAME=VALUE.
struct Gain {
  std::string kind, name;
  double value = 0.0;
};

Gain gain_of(const std::string& text) {
  const std::size_t dot = text.find('.'), equals = text.find('=');
  if (dot == std::string::npos || equals == std::string::npos || dot > equals)
    throw Error(fmt::format("--gain {}: expected CONTROLLER.NAME=VALUE, such as port.energy_gain=2", text));
  const std::string number = text.substr(equals + 1);
  std::size_t read = 0;
  double value = 0.0;
  try {
    value = std::stod(number, &read);
  } catch (const std::exception&) {
  }
  if (read == 0 || read != number.size()) throw Error(fmt::format("--gain {}: '{}' is no number", text, number));
  return {text.substr(0, dot), text.substr(dot + 1, equals - dot - 1), value};
}

}  // namespace

ControlledWalker ControllerChoice::make(const StepModel& walker, const GaitMotion& motion,
                                        const std::string& controller) const {
  WalkerValues values;
  for (const std::string& text : gains) {
    const Gain gain = gain_of(text);
    parameter_values("controller", gain.kind, walk_controller_kind(gain.kind).parameters, {{gain.name, gain.value}});
    if (gain.kind == controller) values[gain.name] = gain.value;
  }
  return controlled_walker(walker, motion, controller, values, limits);
}

void add_controller_options(CLI::App& command, ControllerChoice& choice) {
  std::string gains = "A gain, as port.energy_gain=2; again for more. There are";
  for (const WalkControllerKind& kind : walk_controller_kinds())
    for (const WalkerParameter& p : kind.parameters) gains += fmt::format(" {}.{}={:.6g}", kind.name, p.name, p.value);
  command.add_option("--gain", choice.gains, gains)->type_name("CONTROLLER.NAME=VALUE")->allow_extra_args(false);
  command.add_option("--torque-limit", choice.limits.torque, "Of every actuator (N m)")->type_name("NM");
  command.add_option("--friction", choice.limits.friction, "Of the floor: beyond it the stance foot slips, and the walker falls")
      ->type_name("MU");
  command.add_option("--unactuated", choice.limits.unactuated, "A coordinate without actuator; again for more")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

}  // namespace amble::app
