#include "walker_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/scenario/walker_file.hpp"
#include "bench/interrupt.hpp"
#include "bench/progress.hpp"

namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

std::pair<std::string, double> setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  double value = 0.0;
  const char* const end = text.data() + text.size();
  if (equals == std::string::npos || equals == 0)
    throw Error(fmt::format("--set {}: expected name=value", text));
  const auto [stop, problem] = std::from_chars(text.data() + equals + 1, end, value);
  if (problem != std::errc() || stop != end)
    throw Error(fmt::format("--set {}: expected a number after '='", text));
  return {text.substr(0, equals), value};
}

Json numbers(const auto& row) { return Json(std::vector<double>(row.begin(), row.end())); }

}  // namespace

const DrivenKind& WalkerChoice::driven_kind() const {
  if (!driven_kind_) driven_kind_ = std::make_shared<const DrivenKind>(find_driven_walker(name));
  return *driven_kind_;
}

const WalkerKind& WalkerChoice::kind() const {
  if (driven) return driven_kind().kind;
  if (!kind_) kind_ = std::make_shared<const WalkerKind>(find_walker(name));
  return *kind_;
}

WalkerValues WalkerChoice::values() const { return values_of(kind()); }

WalkerValues WalkerChoice::values_of(const WalkerKind& kind) const {
  WalkerValues given = driven ? driven_kind().driven : WalkerValues();
  for (const std::string& text : set) given.insert_or_assign(setting(text).first, setting(text).second);
  if (slope_deg) given["slope_deg"] = *slope_deg;
  return walker_values(kind, given);
}

std::unique_ptr<StepModel> WalkerChoice::make() const {
  return make_walker(kind(), values(), amble::scuffing(scuffing));
}

std::unique_ptr<StepModel> WalkerChoice::make(const std::string& parameter, double value) const {
  WalkerValues all = values();
  if (!all.contains(parameter)) walker_values(kind(), {{parameter, value}});  // throws
  all[parameter] = value;
  return make_walker(kind(), all, amble::scuffing(scuffing));
}

namespace {

/// The parameters of every walker with their defaults, for help texts.
std::string parameters_text() {
  std::string text = "Parameters for --set, with their defaults:";
  for (const WalkerKind& kind : walker_kinds()) {
    text += fmt::format("\n  {}:", kind.name);
    for (const WalkerParameter& p : kind.parameters)
      text += fmt::format(" {}={:.6g}{}", p.name, p.value, &p == &kind.parameters.back() ? "" : ",");
  }
  return text;
}

}  // namespace

void add_walker_options(CLI::App& command, WalkerChoice& choice, bool required) {
  command.footer(parameters_text());
  std::vector<std::string> names;
  for (const WalkerKind& kind : walker_kinds()) names.push_back(kind.name);
  auto* walker =
      command.add_option("WALKER", choice.name,
                         fmt::format("Which walker: {}, or a walker file (.toml){}", fmt::join(names, ", "),
                                     command.get_name() == "walk" ? ", or humanoid, which walks by whole-body control, or the model file of a legged robot (.urdf, .xml, .sdf)" : ""));
  walker->type_name("")->capture_default_str();
  if (required) walker->required();
  command.add_option("--set", choice.set, "A parameter of the walker, as leg_mass=1.5; again for more")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command.add_option("--slope", choice.slope_deg, "Floor angle in degrees, downhill (parameter slope_deg)")
      ->type_name("DEG");
  command
      .add_option("--scuffing", choice.scuffing,
                  "A straight swing leg that would touch the floor as it passes: ignore or detect")
      ->type_name("HOW")
      ->capture_default_str()
      ->check(CLI::IsMember({"ignore", "detect"}).description(""));
}

// ---- long work

struct WorkWatch::Memory {
  using Clock = std::chrono::steady_clock;
  std::string what;
  bench::InterruptGuard guard;
  bench::Progress progress;
  Clock::time_point start = Clock::now(), shown = start;
};

WorkWatch::WorkWatch(std::string what) : memory_(std::make_unique<Memory>()) {
  memory_->what = std::move(what);
}
WorkWatch::~WorkWatch() = default;

bool WorkWatch::operator()(double share) {
  const Memory::Clock::time_point now = Memory::Clock::now();
  const auto since = [&](Memory::Clock::time_point then) {
    return std::chrono::duration<double>(now - then).count();
  };
  if (since(memory_->start) > 1.0 && since(memory_->shown) > memory_->progress.pause()) {
    memory_->progress.show(memory_->what, std::clamp(share, 0.0, 1.0));
    memory_->shown = now;
  }
  return !bench::interrupted();
}

bool WorkWatch::interrupted() const { return bench::interrupted(); }

// ---- gaits

Json values_json(const WalkerValues& values) {
  Json out = Json::object();
  for (const auto& [name, value] : values) out[name] = value;
  return out;
}

Json gait_json(StepModel& model, const Gait& gait) {
  const Eigen::Index m = gait.x.size() / 2;
  const auto [q, v] = model.full_state(0, gait.x.data());
  Json multipliers = Json::array();
  for (const std::complex<double>& z : gait.multipliers) multipliers.push_back({z.real(), z.imag()});
  return {{"period", gait.period},
          {"step_length", gait.step_length},
          {"speed", gait.speed},
          {"initial",
           {{"q", numbers(gait.x.head(m))},
            {"v", numbers(gait.x.tail(m))},
            {"full", {{"q", numbers(q)}, {"v", numbers(v)}}}}},
          {"multipliers", multipliers},
          {"stable", gait.stable()},
          {"effort", 0.0},
          {"cost_of_transport", gait.cost_of_transport},
          {"actuator_cost_of_transport", gait.energy_supplied / (model.weight() * gait.step_length)},
          {"steps", gait.steps},
          {"energy_lost", gait.energy_lost},
          {"energy_supplied", gait.energy_supplied},
          {"neutral", gait.neutral},
          {"residual", gait.residual},
          {"footfalls", gait.footfalls},
          {"turn", gait.turn},
          {"cyclic", model.cyclic()}};
}

Json assumptions_json(const std::vector<Assumption>& all) {
  Json out = Json::array();
  for (const Assumption& a : all)
    out.push_back({{"name", a.name}, {"holds", a.holds()}, {"margin", a.margin}, {"unit", a.unit}});
  return out;
}

void print_assumptions(const std::vector<Assumption>& all) {
  if (all.empty()) return;
  fmt::print("\nassumed along the way:\n");
  for (const Assumption& a : all)
    fmt::print("{:>5}  {}: margin {:.4g}{}\n", a.holds() ? "ok" : "NOT", a.name, a.margin,
               a.unit == "1" ? "" : " " + a.unit);
}

std::string multipliers_text(const Gait& gait) {
  std::string text;
  for (const std::complex<double>& z : gait.multipliers) {
    if (z.imag() < 0.0) continue;
    if (!text.empty()) text += ", ";
    text += z.imag() == 0.0 ? fmt::format("{:.6g}", z.real())
                            : fmt::format("{:.6g} +- {:.6g}i", z.real(), z.imag());
  }
  return text;
}

bool powered(const WalkerKind& kind, const StepModel& model) { return kind.powered || model.powered(); }

std::string heading_text(const StepModel& model, const Gait& gait) {
  if (model.cyclic().empty()) return "";
  return fmt::format(
      "{} is left out: on a level floor every heading is as good, a multiplier of 1; the gait turns by "
      "{:.6g} rad in "
      "{} steps",
      model.cyclic().front(), gait.turn, gait.footfalls);
}

std::string no_cycle_text(const WalkerKind& kind, const StepModel& model, const CyclesFound& found) {
  const double degrees = model.slope() * 180.0 / std::numbers::pi;
  std::string text = fmt::format("no {}gait was found from {} starts on a floor of {:.6g} degrees",
                                 powered(kind, model) ? "" : "passive ", found.starts, degrees);
  const auto driven = [](const WalkerParameter& p) { return p.name == "proportional_gain"; };
  if (model.powered() && std::ranges::none_of(kind.parameters, driven))
    text +=
        model.family() || degrees == 0.0
            ? ""
            : "; its push-off gives back what impacts take, so it repeats its steps on a level floor only";
  else if (model.slope() <= 0.0 && !powered(kind, model))
    text += fmt::format(
        "; {}, so nothing makes up for what impacts take: a passive walker needs a floor that goes down",
        model.slope() < 0.0 ? "it goes uphill" : "it is level");
  else if (degrees > 0.0 && degrees < 0.3)
    text +=
        fmt::format("; that is nearly level: --slope takes degrees, and {:.6g} rad would be {:.6g} degrees",
                    degrees, degrees * 180.0 / std::numbers::pi);
  if (found.closest)
    text += fmt::format("; the closest step missed its own start by {:.3g}", found.closest->residual);
  else if (!found.failures.empty())
    text += fmt::format("; most starts end as the walker {}", found.failures.front().first);
  return text;
}

}  // namespace amble::app
