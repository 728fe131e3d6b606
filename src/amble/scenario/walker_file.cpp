#include "amble/scenario/walker_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/io/load.hpp"
#include "amble/io/source.hpp"
#include "amble/scenario/toml_table.hpp"
#include "amble/scenario/walker_quantities.hpp"
#include "amble/walkers/drive_parameters.hpp"
#include "amble/walkers/kinds.hpp"

namespace amble {

namespace {

using Foot = WalkerDescription::Foot;
using Phase = WalkerDescription::Phase;
using Symmetry = WalkerDescription::Symmetry;

struct FileParameter {
  WalkerParameter parameter;
  bool given = false;  // its value
  std::vector<WalkerQuantity> sets;
};

/// What a walker file says; the model comes later.
struct WalkerFile {
  std::string file, name, summary, model;
  LoadOptions load;
  bool planar = true;
  double slope_deg = 0.0, gravity = 9.81, longest_step = 0.0;
  std::vector<FileParameter> parameters;
  std::vector<Foot> feet;
  std::vector<Phase> phases;
  std::optional<Symmetry> symmetry;
  std::vector<WalkerDescription::Bound> bounds;
  std::vector<WalkerDescription::Range> region;
  std::map<std::string, WalkerDescription::Start> start;
  std::optional<WalkerDrive> drive;
};

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
  w.gravity = table.number("gravity", w.gravity);
  table.finish();
}

FileParameter read_parameter(TomlTable table) {
  FileParameter p;
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
  if (const std::vector<double> p = table.numbers("point", 3); p.size() == 3) foot.point = {p[0], p[1], p[2]};
  foot.radius = table.number("radius", 0.0);
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
  d.period = table.number("period", d.period), d.first_foot_alone = table.flag("first_foot_alone", false);
  d.adaptation = table.number("adaptation", 0.0), d.target_speed = table.number("target_speed", 0.0);
  d.adaptation_range = table.number("adaptation_range", d.adaptation_range);
  d.magnet_power = table.number("magnet_power", 0.0), d.electronics_power = table.number("electronics_power", 0.0);
  d.start = numbers_by_name(table.table("start"));
  table.finish();
  return d;
}

bool is_plain(const std::string& name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; });
}

WalkerFile read_file(const std::string& text, const std::string& file) {
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
  w.longest_step = search.number("longest_step", 0.0);
  if (w.longest_step < 0.0) search.problem("longest_step", "is below 0");
  search.finish();
  root.finish();
  throw_problems(problems, Severity::error);
  return w;
}

// ---- from what the file says to a walker

/// A root that a URDF, which cannot say so, leaves without a joint is free.
Mechanism free_model(const WalkerFile& w) {
  const std::string path = (std::filesystem::path(w.file).parent_path() / w.model).string();
  Mechanism m = load(path, w.load);
  const bool free = std::ranges::any_of(m.joints(), [](const Joint& joint) { return joint.type == "free"; });
  if (free) return m;
  LoadOptions floating = w.load;
  floating.base = Base::floating;
  return load(path, floating);
}

/// The model and the feet with every parameter set.
std::pair<Mechanism, std::vector<Foot>> parametrised(const WalkerFile& w, const Mechanism& model,
                                                     const WalkerValues& values) {
  ModelDescription d = model.description();
  std::erase_if(d.findings, [](const Problem& p) { return p.severity == Severity::physics; });  // found anew
  std::vector<Foot> feet = w.feet;
  for (const FileParameter& p : w.parameters)
    for (const WalkerQuantity& q : p.sets) {
      try {
        set_quantity(q, q.plus + q.factor * values.at(p.parameter.name), d, feet);
      } catch (const Error& e) {
        throw Error(fmt::format("parameter '{}': {}", p.parameter.name, e.what()));
      }
    }
  return {compile(std::move(d), Physics::warn), feet};
}

WalkerDescription described(const WalkerFile& w, const Mechanism& model, const WalkerValues& values) {
  auto [mechanism, feet] = parametrised(w, model, values);
  WalkerDescription out{.name = w.name,
                        .model = std::move(mechanism),
                        .planar = w.planar,
                        .slope = slope_of(values),
                        .gravity = positive(values, "gravity"),
                        .feet = std::move(feet),
                        .phases = w.phases,
                        .symmetry = w.symmetry,
                        .bounds = w.bounds,
                        .region = w.region,
                        .start = w.start,
                        .longest_step = w.longest_step};
  return out;
}

DrivenWalker driven(const WalkerFile& w, const Mechanism& model, const WalkerValues& values) {
  return {described(w, model, values), drive_with(*w.drive, values)};
}

/// What `make` gives, its Errors with the file in front.
template <class Make>
auto naming_file(const WalkerFile& w, const Make& make) {
  try {
    return make();
  } catch (const Error& e) {
    throw Error(fmt::format("{}: {}", w.file, e.what()));
  }
}

std::unique_ptr<StepModel> make(const WalkerFile& w, const Mechanism& model, const WalkerValues& values,
                                Scuffing scuffing) {
  return naming_file(w, [&] {
    const WalkerDescription walker =
        w.drive ? with_drive_as_spring(driven(w, model, values)) : described(w, model, values);
    return std::make_unique<DescribedWalker>(walker, scuffing);
  });
}

std::vector<WalkerParameter> parameters_of(const WalkerFile& w, const Mechanism& model) {
  std::vector<WalkerParameter> out;
  for (const FileParameter& p : w.parameters) {
    WalkerParameter parameter = p.parameter;
    const auto same = [&](const WalkerParameter& other) { return other.name == parameter.name; };
    if (std::any_of(out.begin(), out.end(), same))
      throw Error(fmt::format("{}: there are several parameters '{}'", w.file, parameter.name));
    if (!p.given) {
      const WalkerQuantity& q = p.sets.front();
      try {
        parameter.value = (read_quantity(q, model.description(), w.feet) - q.plus) / q.factor;
      } catch (const Error& e) {
        throw Error(fmt::format("{}: parameter '{}': {}", w.file, parameter.name, e.what()));
      }
    }
    out.push_back(parameter);
  }
  if (w.drive)
    for (const WalkerParameter& parameter : drive_parameters(*w.drive)) {
      if (std::ranges::count(out, parameter.name, &WalkerParameter::name) > 0)
        throw Error(fmt::format("{}: parameter '{}' has the name of one of the drive", w.file, parameter.name));
      out.push_back(parameter);
    }
  return with_floor(std::move(out), w.slope_deg, w.gravity);
}

/// A file that was read, with its model.
struct ReadWalker {
  std::shared_ptr<const WalkerFile> file;
  std::shared_ptr<const Mechanism> model;
  WalkerKind kind;
};

ReadWalker read(const std::string& text, const std::string& file) {
  const auto w = std::make_shared<const WalkerFile>(read_file(text, file));
  const auto model = std::make_shared<const Mechanism>(free_model(*w));
  WalkerKind kind{w->name, w->summary.empty() ? "a walker of one's own, " + file : w->summary,
                  parameters_of(*w, *model), [w, model](const WalkerValues& values, Scuffing scuffing) {
                    return make(*w, *model, values, scuffing);
                  }};
  kind.powered = w->drive || std::ranges::any_of(w->phases, [](const Phase& phase) { return !phase.rest.empty(); });
  make_walker(kind);  // says what does not fit together
  return {w, model, kind};
}

DrivenKind read_driven(const std::string& text, const std::string& file) {
  const ReadWalker r = read(text, file);
  if (!r.file->drive) throw Error(fmt::format("{}: walker '{}' has no drive: expected a table [drive]", file, r.kind.name));
  return {r.kind, [r](const WalkerValues& values) {
            return naming_file(*r.file, [&] { return driven(*r.file, *r.model, values); });
          }};
}

}  // namespace

WalkerKind read_walker(const std::string& text, const std::string& file) { return read(text, file).kind; }

WalkerKind load_walker(const std::string& path) { return read_walker(read_text(path), path); }

WalkerKind find_walker(const std::string& name_or_path) {
  return name_or_path.ends_with(".toml") ? load_walker(name_or_path) : walker_kind(name_or_path);
}

DrivenKind find_driven_walker(const std::string& name_or_path) {
  return name_or_path.ends_with(".toml") ? read_driven(read_text(name_or_path), name_or_path) : driven_kind(name_or_path);
}

}  // namespace amble
