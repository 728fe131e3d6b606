#include "amble/scenario/walk_scenario.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "amble/gait/walk_controllers.hpp"
#include "amble/io/source.hpp"
#include "amble/scenario/scenario_parts.hpp"

namespace amble {

namespace {

WalkerValues read_values(TomlTable table) {
  WalkerValues values;
  for (const std::string& name : table.keys()) values[name] = table.number(name.c_str(), 0.0);
  return values;
}

std::map<std::string, double> read_by_name(TomlTable table) {
  const WalkerValues values = read_values(std::move(table));
  return {values.begin(), values.end()};
}

void read_walker_part(TomlTable table, WalkScenario& s) {
  const std::string name = table.text("name", ""), file = table.text("file", "");
  if (name.empty() == file.empty())
    table.problem("name", name.empty() ? "is missing" : "is given beside 'file': expected one of them");
  s.walker = file.empty() ? name : (std::filesystem::path(s.file).parent_path() / file).string();
  s.parameters = read_values(table.table("parameters"));
  s.scuffing = scuffing(table.choice("scuffing", {"ignore", "detect"}, "ignore"));
  s.steps = table.whole("steps", s.steps, 1);
  table.finish();
}

void read_gait_part(TomlTable table, WalkScenario& s) {
  const std::string choice = table.choice("choose", {"stable", "fastest", "slowest"}, "stable");
  s.choice = choice == "fastest"   ? WalkScenario::Choice::fastest
             : choice == "slowest" ? WalkScenario::Choice::slowest
                                   : WalkScenario::Choice::stable;
  TomlTable region = table.table("region");
  for (const std::string& name : region.keys())
    if (const std::vector<double> ends = region.numbers(name, 2); ends.size() == 2)
      s.region.push_back(fmt::format("{}={}:{}", name, ends[0], ends[1]));
  s.starts = table.whole("starts", s.starts, 1);
  if (table.has("speed")) s.speed = table.number("speed", 0.0);
  const WalkerSearch usual = followable();
  s.search.foot_speed = table.number("foot_speed", usual.foot_speed);
  s.search.clearance = table.number("clearance", usual.clearance, Limit::length);
  s.search.knee_bend = table.number("knee_bend", usual.knee_bend);
  s.change = read_by_name(table.table("change"));
  s.start = read_by_name(table.table("start"));
  table.finish();
}

void read_world_part(TomlTable table, WalkScenario& s) {
  for (TomlTable& step : table.tables("steps")) {
    step.require("down");
    const double down = step.number("down", 0.0, Limit::length);
    if (down < 0.0) step.problem("down", fmt::format("is {}, expected 0 or more: the floor goes down", down));
    s.floor.push_back({down, step.whole("footfall", 5, 1)});
    step.finish();
  }
  table.finish();
}

/// Of any kind, whether it is chosen or not: a wrong name is a problem before that too.
WalkerValues read_gains(TomlTable table, const WalkControllerKind& kind) {
  const WalkerValues values = read_values(table);
  for (const auto& [name, value] : values) {
    try {
      parameter_values("controller", kind.name, kind.parameters, {{name, value}});
    } catch (const Error& e) {
      table.problem(name, e.what());
    }
  }
  return values;
}

void read_controller_part(TomlTable table, WalkScenario& s) {
  std::vector<std::string> kinds;
  for (const WalkControllerKind& kind : walk_controller_kinds()) kinds.push_back(kind.name);
  table.require("type");
  s.controller = table.choice("type", kinds, "none");
  for (const WalkControllerKind& kind : walk_controller_kinds()) {
    const WalkerValues gains = read_gains(table.table(kind.name.c_str()), kind);
    if (kind.name == s.controller) s.controller_parameters = gains;
  }
  s.limits.torque = table.number("torque_limit", kInfinity, Limit::force);
  s.limits.friction = table.number("friction", kInfinity);
  s.limits.unactuated = table.texts("unactuated");
  table.finish();
}

std::optional<FloorPath> read_path(TomlTable table) {
  const std::string type = table.choice("type", {"line", "sine", "circle", "points"}, "line");
  std::optional<FloorPath> path;
  try {
    if (type == "line")
      path = straight_path(table.number("y", 0.0, Limit::length), table.number("heading", 0.0));
    if (type == "sine")
      path = sine_path(table.number("amplitude", 0.3), table.number("wavelength", 6.0, Limit::length),
                       table.number("length", 20.0, Limit::length));
    if (type == "circle") path = circle_path(table.number("radius", 5.0, Limit::length));
    if (type == "points") {
      std::vector<std::pair<double, double>> points;
      for (const std::vector<double>& row : table.rows("points", Limit::length))
        if (row.size() == 2) points.emplace_back(row[0], row[1]);
      path = FloorPath(points, table.flag("closed", false));
    }
  } catch (const Error& e) {
    table.problem("type", e.what());
  }
  table.finish();
  return path;
}

void read_placement_part(TomlTable table, WalkPlan& plan) {
  if (table.has("path")) plan.path = read_path(table.table("path"));
  plan.turns = table.choice("heading", {"fixed", "path"}, "fixed") == "path";
  plan.position_gain = table.number("position_gain", plan.position_gain);
  plan.velocity_gain = table.number("velocity_gain", plan.velocity_gain);
  plan.rate_limit = table.number("rate_limit", plan.rate_limit);
  plan.turn_limit = table.number("turn_limit", plan.turn_limit);
  plan.looks_ahead = table.flag("look_ahead", plan.looks_ahead);
  if (table.has("speeds"))
    for (const std::vector<double>& row : table.rows("speeds")) {
      if (row.size() == 2 && row[0] >= 0.0 && row[0] <= limit(Limit::rows))
        plan.speeds.push_back({static_cast<int>(row[0]), row[1]});
      else
        table.problem("speeds", "has a row that is not [footfall, speed]");
    }
  if (table.has("stop")) plan.stop = table.whole("stop", 0, 0);
  table.finish();
}

HipPush read_push(TomlTable table) {
  HipPush push{.footfall = table.whole("footfall", 1, 0)};
  table.require("impulse");
  if (const std::vector<double> p = table.numbers("impulse", 3, Limit::force); p.size() == 3)
    push.impulse = {p[0], p[1], p[2]};
  table.finish();
  return push;
}

}  // namespace

std::vector<std::string> walk_quantities() {
  std::vector<std::string> all = scenario_quantities();
  for (const char* own :
       {"steps", "fell", "stopped", "spent", "peak_torque", "flat_torque", "normal_force", "friction_ratio",
        "pressure_offset", "path_error", "largest_path_error", "speed", "heading"})
    all.push_back(own);
  return all;
}

bool is_walk_scenario(const std::string& text, const std::string& file) {
  return parse_toml(text, file).contains("walker");
}

WalkScenario read_walk_scenario(const std::string& text, const std::string& file,
                                const std::vector<std::string>& settings) {
  Problems problems;
  const toml::table document = scenario_document(text, file, settings, problems);
  WalkScenario s{.file = file, .text = text, .settings = settings};
  TomlTable root(&document, "", file, problems);
  root.require("walker");
  read_walker_part(root.table("walker"), s);
  read_gait_part(root.table("gait"), s);
  read_world_part(root.table("world"), s);
  if (root.has("controller")) read_controller_part(root.table("controller"), s);
  read_placement_part(root.table("placement"), s.plan);
  for (TomlTable& table : root.tables("pushes")) s.plan.pushes.push_back(read_push(std::move(table)));
  for (TomlTable& table : root.tables("checks"))
    s.checks.push_back(read_check(std::move(table), walk_quantities()));
  root.finish();
  throw_problems(problems, Severity::error);
  return s;
}

WalkScenario load_walk_scenario(const std::string& path, const std::vector<std::string>& settings) {
  return read_walk_scenario(read_text(path), path, settings);
}

}  // namespace amble
