#include "amble/scenario/walker_file_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "amble/scenario/toml_table.hpp"

namespace amble {

namespace {

using Foot = WalkerDescription::Foot;
using Phase = WalkerDescription::Phase;
using Symmetry = WalkerDescription::Symmetry;

std::string required_text(TomlTable& table, const char* key) {
  table.require(key);
  return table.text(key, "");
}

std::map<std::string, double> numbers_by_name(TomlTable table) {
  std::map<std::string, double> out;
  for (const std::string& name : table.keys()) out[name] = table.number(name.c_str(), 0.0);
  return out;
}

void read_model(TomlTable table, WalkerFile& w) {
  w.model = required_text(table, "file");
  w.load.mimic = table.choice("mimic", {"follow", "free"}, "follow") == "follow";
  w.load.strict = table.flag("strict", false);
  w.load.package_path = table.texts("package_path");
  table.finish();
}

void read_floor(TomlTable table, WalkerFile& w) {
  w.slope_deg = table.number("slope_deg", w.slope_deg);
  w.gravity = table.number("gravity", w.gravity, Limit::acceleration);
  table.finish();
}

WalkerFileParameter read_parameter(TomlTable table) {
  WalkerFileParameter p;
  p.parameter.name = required_text(table, "name");
  p.parameter.unit = table.text("unit", "1"), p.parameter.meaning = table.text("meaning", "");
  p.given = table.has("value"), p.parameter.value = table.number("value", 0.0);
  if (p.parameter.name == "slope_deg" || p.parameter.name == "gravity")
    table.problem("name", "is one that every walker has: the table [floor] sets it");
  const std::vector<std::string> quantities = walker_quantities();
  for (TomlTable& set : table.tables("sets")) {
    WalkerQuantity q{.quantity = set.choice("quantity", quantities, quantities.front()),
                     .of = required_text(set, "of")};
    q.factor = set.number("factor", 1.0), q.plus = set.number("plus", 0.0);
    if (q.factor == 0.0) set.problem("factor", "is 0: the parameter would change nothing");
    set.finish();
    p.sets.push_back(q);
  }
  if (p.sets.empty()) table.problem("sets", "is missing: a parameter sets one quantity or more");
  table.finish();
  return p;
}

Foot read_foot(TomlTable table) {
  Foot foot{.name = required_text(table, "name"), .body = required_text(table, "body")};
  table.require("point");
  if (const std::vector<double> p = table.numbers("point", 3, Limit::length); p.size() == 3)
    foot.point = {p[0], p[1], p[2]};
  foot.radius = table.number("radius", 0.0, Limit::length);
  table.finish();
  return foot;
}

std::optional<WalkerDescription::Stop> read_end(TomlTable& table) {
  if (!table.has_table("ends")) {
    table.choice("ends", {"touchdown"}, "touchdown");
    return {};
  }
  TomlTable end = table.table("ends");
  WalkerDescription::Stop stop{.joint = required_text(end, "joint"), .at = end.number("at", 0.0)};
  stop.rises = end.choice("from", {"below", "above"}, "below") == "below";
  end.finish();
  return stop;
}

Phase read_phase(TomlTable table, std::size_t number) {
  Phase p{.name = table.text("name", fmt::format("phase {}", number + 1)),
          .stance = required_text(table, "stance"),
          .swing = required_text(table, "swing")};
  p.stop = read_end(table);
  p.locked = numbers_by_name(table.table("locked")), p.rest = numbers_by_name(table.table("rest"));
  p.passing = numbers_by_name(table.table("passing")), p.passed = table.number("passed", p.passed);
  p.holds_joints = table.texts("holds_joints"), p.holds_feet = table.texts("holds_feet");
  table.finish();
  return p;
}

/// Each pair is named from one side, and holds from the other as well.
Symmetry read_symmetry(TomlTable table) {
  Symmetry s;
  s.returns = table.choice("returns", {"step", "stride"}, "step") == "step" ? Symmetry::Return::step
                                                                            : Symmetry::Return::stride;
  TomlTable joints = table.table("joints"), feet = table.table("feet");
  for (const std::string& one : joints.keys()) {
    std::string other = joints.text(one.c_str(), "");
    const double sign = other.starts_with('-') ? -1.0 : 1.0;
    if (sign < 0.0) other.erase(0, 1);
    if (other.empty())
      joints.problem(one,
                     "is empty: expected the name of a joint, with a minus for one that turns the other way");
    s.joints[one] = {other, sign};
    s.joints.try_emplace(other, one, sign);
  }
  for (const std::string& one : feet.keys()) {
    const std::string other = feet.text(one.c_str(), "");
    s.feet[one] = other;
    s.feet.try_emplace(other, one);
  }
  table.require("feet");
  table.finish();
  return s;
}

WalkerDescription::Bound read_bound(TomlTable table) {
  WalkerDescription::Bound b{.coordinate = required_text(table, "coordinate")};
  table.require("lower"), table.require("upper");
  b.lower = table.number("lower", 0.0), b.upper = table.number("upper", 0.0);
  b.failure = table.text("failure", fmt::format("leaves the bounds of '{}'", b.coordinate));
  table.finish();
  return b;
}

void read_region(TomlTable table, WalkerFile& w) {
  for (const std::string& name : table.keys())
    if (const std::vector<double> ends = table.numbers(name, 2); ends.size() == 2)
      w.region.push_back({name, ends[0], ends[1]});
}

void read_start(TomlTable table, WalkerFile& w) {
  for (const std::string& name : table.keys())
    if (table.has_table(name))
      w.start[name].multiples = numbers_by_name(table.table(name.c_str()));
    else
      w.start[name].constant = table.number(name.c_str(), 0.0);
}

DriveMotor read_drive_motor(TomlTable& table) {
  DriveMotor m;
  table.require("constant");
  m.constant = table.number("constant", 0.0), m.resistance = table.number("resistance", 0.0);
  m.ratio = table.number("ratio", m.ratio), m.rotor_inertia = table.number("rotor_inertia", 0.0);
  m.efficiency = table.number("efficiency", m.efficiency), m.slip = table.number("slip", m.slip);
  m.voltage_limit = table.number("voltage_limit", m.voltage_limit);
  m.current_limit = table.number("current_limit", m.current_limit);
  m.regenerates = table.flag("regenerates", m.regenerates);
  return m;
}

WalkerDrive read_drive(TomlTable table) {
  WalkerDrive d{.joint = required_text(table, "joint"), .motor = read_drive_motor(table)};
  for (const char* key : {"proportional", "set_point", "directions"}) table.require(key);
  d.proportional = table.number("proportional", 0.0), d.derivative = table.number("derivative", 0.0);
  d.set_point = table.number("set_point", 0.0), d.directions = numbers_by_name(table.table("directions"));
  d.period = table.number("period", d.period, Limit::time),
  d.first_foot_alone = table.flag("first_foot_alone", false);
  d.adaptation = table.number("adaptation", 0.0), d.target_speed = table.number("target_speed", 0.0);
  d.adaptation_range = table.number("adaptation_range", d.adaptation_range);
  d.magnet_power = table.number("magnet_power", 0.0),
  d.electronics_power = table.number("electronics_power", 0.0);
  d.start = numbers_by_name(table.table("start"));
  table.finish();
  return d;
}

bool is_plain(const std::string& name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; });
}

}  // namespace

WalkerFile read_walker_file(const std::string& text, const std::string& file) {
  const toml::table document = parse_toml(text, file);
  Problems problems;
  TomlTable root(&document, "", file, problems);
  WalkerFile w{.file = file, .name = root.text("name", std::filesystem::path(file).stem().string())};
  if (!is_plain(w.name)) root.problem("name", "is not made of letters, digits, _ and -");
  w.summary = root.text("summary", "");
  w.planar = root.choice("motion", {"planar", "space"}, "planar") == "planar";
  for (const char* key : {"model", "feet", "phases", "region"}) root.require(key);
  if (root.has("model")) read_model(root.table("model"), w);
  read_floor(root.table("floor"), w);
  for (TomlTable& table : root.tables("parameters")) w.parameters.push_back(read_parameter(std::move(table)));
  for (TomlTable& table : root.tables("feet")) w.feet.push_back(read_foot(std::move(table)));
  for (TomlTable& table : root.tables("phases"))
    w.phases.push_back(read_phase(std::move(table), w.phases.size()));
  if (root.has("symmetry")) w.symmetry = read_symmetry(root.table("symmetry"));
  for (TomlTable& table : root.tables("bounds")) w.bounds.push_back(read_bound(std::move(table)));
  read_region(root.table("region"), w);
  read_start(root.table("start"), w);
  if (root.has("drive")) w.drive = read_drive(root.table("drive"));
  TomlTable search = root.table("search");
  w.longest_step = search.number("longest_step", 0.0, Limit::length);
  if (w.longest_step < 0.0) search.problem("longest_step", "is below 0");
  search.finish();
  root.finish();
  throw_problems(problems, Severity::error);
  return w;
}

}  // namespace amble
