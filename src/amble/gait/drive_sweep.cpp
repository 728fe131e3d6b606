#include "amble/gait/drive_sweep.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"
#include "amble/gait/crew.hpp"

namespace amble {

SweepAxis sweep_axis(const std::string& words) {
  const std::size_t equals = words.find('=');
  SweepAxis axis{.parameter = words.substr(0, equals)};
  char rest = '\0';
  const bool read = equals != std::string::npos && equals > 0 &&
                    std::sscanf(words.c_str() + equals + 1, "%lf:%lf:%d%c", &axis.from, &axis.to, &axis.count, &rest) == 3;
  if (!read || !std::isfinite(axis.from) || !std::isfinite(axis.to) || axis.count < 1 || axis.count > 1'000'000)
    throw Error(fmt::format("'{}' is no axis of a sweep: expected NAME=FROM:TO:COUNT, such as set_point=0.1:0.5:9", words));
  return axis;
}

std::size_t DriveSweep::index(const std::vector<int>& at) const {
  std::size_t out = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) out = out * static_cast<std::size_t>(axes[i].count) + static_cast<std::size_t>(at[i]);
  return out;
}

std::vector<double> DriveSweep::values(std::size_t walk) const {
  std::vector<double> out(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    const auto count = static_cast<std::size_t>(axes[i].count);
    out[i] = axes[i].value(static_cast<int>(walk % count));
    walk /= count;
  }
  return out;
}

DriveSweep sweep_drive(const DrivenKind& kind, const WalkerValues& given, const std::vector<SweepAxis>& axes,
                       const DriveSweepOptions& options) {
  if (axes.empty()) throw Error("a sweep needs one axis or more");
  DriveSweep out{.axes = axes};
  double count = 1.0;
  WalkerValues first = given;
  for (const SweepAxis& axis : axes) count *= axis.count, first[axis.parameter] = axis.from;
  if (count > 1e7) throw Error(fmt::format("a sweep of {} walks is too long: expected up to 1e7", count));
  kind(first);  // says what does not fit
  out.walks.resize(static_cast<std::size_t>(count));
  DrivenWalkOptions walk = options.walk;
  walk.watch = {}, walk.interval = 0.0;
  const auto make = [&] {
    return [&](int i) {
      WalkerValues values = given;
      const std::vector<double> at = out.values(static_cast<std::size_t>(i));
      for (std::size_t k = 0; k < axes.size(); ++k) values[axes[k].parameter] = at[k];
      out.walks[static_cast<std::size_t>(i)] = walk_driven(kind(values), walk);
    };
  };
  share_work(static_cast<int>(count), options.threads, make, options.watch);
  return out;
}

const std::vector<DrivenFigure>& driven_figures() {
  using W = const DrivenWalk&;
  static const std::vector<DrivenFigure> figures = {
      {"speed", "m/s", "mean speed", [](W w) { return w.speed; }},
      {"step_length", "m", "mean length of a step", [](W w) { return w.step_length; }},
      {"period", "s", "mean time of a step", [](W w) { return w.period; }},
      {"period_spread", "s", "standard deviation of the times of steps", [](W w) { return w.period_spread; }},
      {"asymmetry", "1", "difference of the steps of the two feet over their mean", [](W w) { return w.asymmetry; }},
      {"battery", "W", "from the battery into the drive, less what comes back", [](W w) { return w.battery; }},
      {"copper", "W", "heat of the winding", [](W w) { return w.copper; }},
      {"shaft", "W", "mechanical power of the rotor, signed", [](W w) { return w.shaft; }},
      {"gearbox", "W", "heat of the gearbox", [](W w) { return w.gearbox; }},
      {"joint", "W", "that reaches the joint", [](W w) { return w.joint; }},
      {"burnt", "W", "that the motor gives back and the amplifier burns", [](W w) { return w.burnt; }},
      {"magnets", "W", "of the knees' magnets", [](W w) { return w.magnets; }},
      {"electronics", "W", "of the electronics", [](W w) { return w.electronics; }},
      {"total", "W", "that the battery gives in all", [](W w) { return w.total(); }},
      {"feet", "W", "lost where feet come down", [](W w) { return w.feet; }},
      {"knees", "W", "lost where knees strike", [](W w) { return w.knees; }},
      {"joints", "W", "heat of dampers at joints", [](W w) { return w.joints; }},
      {"cost_of_transport", "1", "of the shaft's power, DS (5.30)", [](W w) { return w.cost_of_transport; }},
      {"electric_cost", "1", "cost of transport of the drive, nothing given back", [](W w) { return w.electric_cost; }},
      {"total_cost", "1", "cost of transport of all that the battery gives", [](W w) { return w.total_cost; }},
      {"peak_current", "A", "largest current", [](W w) { return w.peak_current; }},
      {"clearance", "m", "lowest height of the swing foot on its way, mean over steps", [](W w) { return w.clearance; }},
      {"lowest_clearance", "m", "the lowest of them", [](W w) { return w.lowest_clearance; }},
      {"swing_height", "m", "of the swing foot, mean over time", [](W w) { return w.swing_height; }},
      {"walked", "s", "until it fell", [](W w) { return w.walked; }},
  };
  return figures;
}

const DrivenFigure& driven_figure(const std::string& name) {
  std::vector<std::string> names;
  for (const DrivenFigure& figure : driven_figures()) {
    if (figure.name == name) return figure;
    names.push_back(figure.name);
  }
  throw Error(fmt::format("a driven walk has no figure '{}'{}; it has {}", name, suggestion(name, names), fmt::join(names, ", ")));
}

}  // namespace amble
