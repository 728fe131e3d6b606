#include "amble/gait/walk_controllers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"

namespace amble {

namespace {

std::unique_ptr<StepController> make_port(const GaitMotion& motion, const WalkerValues& v) {
  PortControl control{.curves = gait_curves(motion), .demands = curve_demands(motion)};
  control.field.attraction = v.at("attraction");
  control.laws.transfer = v.at("transfer"), control.laws.softening = v.at("softening");
  control.laws.damping = v.at("damping"), control.laws.energy_gain = v.at("energy_gain");
  return port_controller(control);
}

std::unique_ptr<StepController> make_pd(const GaitMotion& motion, const WalkerValues& v) {
  return pd_controller({timed_motions(motion), v.at("stiffness"), v.at("damping")});
}

}  // namespace

const std::vector<WalkControllerKind>& walk_controller_kinds() {
  static const std::vector<WalkControllerKind> kinds{
      {"none",
       "nothing looks at the walker: by itself, or with the torques of a searched gait by the clock",
       {},
       [](const GaitMotion& motion, const WalkerValues&) { return no_controller(timed_motions(motion)); }},
      {"pd",
       "set points of the gait by the clock",
       {{"stiffness", 50.0, "N m/rad", "of every coordinate"},
        {"damping", 5.0, "N m s/rad", "of every coordinate"}},
       make_pd},
      {"port",
       "port-based tracking of the gait's curve, DS 5.2",
       {{"attraction", 2.0, "1/rad", "of the field towards the curve"},
        {"transfer", 0.1, "1/(J^0.5 s)", "of energy from across to along, a0 of DS (5.21)"},
        {"softening", 1e-3, "J", "of that, a1 of DS (5.21)"},
        {"damping", 0.0, "1/s", "across, DS (5.17)"},
        {"energy_gain", 1.0, "1/(kg m^2 s)", "Kp of DS (5.27)"}},
       make_port}};
  return kinds;
}

const WalkControllerKind& walk_controller_kind(std::string_view name) {
  std::vector<std::string> names;
  for (const WalkControllerKind& kind : walk_controller_kinds()) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  throw Error(fmt::format("there is no controller '{}'{}; there are {}", name, suggestion(name, names),
                          fmt::join(names, ", ")));
}

WalkerSearch followable() { return {.foot_speed = 0.2, .knee_bend = 0.2}; }

WalkerSearch within(WalkerSearch search, const ControlLimits& limits) {
  search.unactuated = limits.unactuated;
  search.torque_limit = limits.torque;
  if (std::isfinite(limits.friction)) search.friction = limits.friction;
  return search;
}

ControlledWalker controlled_walker(const StepModel& walker, const GaitMotion& motion,
                                   std::string_view controller, const WalkerValues& parameters,
                                   const ControlLimits& limits) {
  const WalkControllerKind& kind = walk_controller_kind(controller);
  const WalkerValues values = parameter_values("controller", kind.name, kind.parameters, parameters);
  return {walker, *kind.make(motion, values), limits};
}

}  // namespace amble
