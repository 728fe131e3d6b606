#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "amble/amble.hpp"
#include "amble/mechanism/joints/list.hpp"
#include "amble/scenario/stage.hpp"
#include "command.hpp"
#include "legs_text.hpp"
#include "model_json.hpp"
#include "say.hpp"

namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

struct Settings {
  std::string model, other, written;
  LoadOptions load;
  std::string feet;
  bool has_load_options = false, base_given = false, json = false, legs = false;
};

std::string axis_text(const Joint& j) {
  const Vector3<double> a = j.R_FN.matrix().col(2);
  for (int i = 0; i < 3; ++i)
    if (std::abs(std::abs(a[i]) - 1.0) < 1e-12) return fmt::format("{}{}", a[i] < 0 ? "-" : "", "xyz"[i]);
  return fmt::format("({:.4g} {:.4g} {:.4g})", a[0], a[1], a[2]);
}

std::string limits_text(const Mechanism& m, const Joint& j) {
  std::string out;
  for (int k = 0; k < j.q.size && j.q.size == j.v.size; ++k) {
    const double lower = m.lower()[j.q.start + k], upper = m.upper()[j.q.start + k];
    if (std::isfinite(lower) || std::isfinite(upper)) out += fmt::format("  [{:.4g}, {:.4g}]", lower, upper);
  }
  if (const double effort = m.effort_limit()[j.v.start]; std::isfinite(effort))
    out += fmt::format("  effort {:.4g}", effort);
  return out;
}

std::string joint_text(const Mechanism& m, const Joint& j) {
  std::string out = fmt::format("{} {}", j.name, j.type);
  if (joint_axes(j) > 0) out += " " + axis_text(j);
  if (j.kind == kJointKind<Helical>) out += fmt::format(" pitch {:.4g} m/rad", j.parameters.pitch);
  if (j.leader >= 0)
    return out + fmt::format("  = {:.4g} {} {:+.4g}", j.ratio, m.joints()[j.leader].name, j.offset);
  if (j.link < 0) return out;
  out += j.v.size == 1 ? fmt::format("  v[{}]", j.v.start)
                       : fmt::format("  v[{}:{}]", j.v.start, j.v.start + j.v.size);
  return out + limits_text(m, j);
}

struct Row {
  int body;
  std::string indent;
  bool last;
};

void print_row(const Mechanism& m, const Row& row) {
  const Body& b = m.bodies()[row.body];
  say("{}{}{}", row.indent, row.last ? "└─ " : "├─ ", b.name);
  if (b.inertia.mass() != 0.0) say("  {:.6g} kg", b.inertia.mass());
  say("   <- {}\n", b.joint < 0 ? "fixed" : joint_text(m, m.joints()[b.joint]));
}

void print_tree(const Mechanism& m) {
  std::vector<std::vector<int>> children(m.bodies().size() + 1);  // of body + 1; 0 is the world
  for (int i = 0; i < static_cast<int>(m.bodies().size()); ++i)
    if (m.bodies()[i].name != kWorld) {
      const int parent = m.bodies()[i].parent;
      const bool on_world = parent < 0 || m.bodies()[parent].name == kWorld;
      children[on_world ? 0 : parent + 1].push_back(i);
    }
  constexpr std::size_t kWidestIndent = 200;  // long chains go on without moving further right
  std::vector<Row> stack;
  const auto push = [&](int node, const std::string& indent) {
    for (auto child = children[node].rbegin(); child != children[node].rend(); ++child)
      stack.push_back({*child, indent, child == children[node].rbegin()});
  };
  say("{}\n", kWorld);
  push(0, "");
  while (!stack.empty()) {
    const Row row = stack.back();
    stack.pop_back();
    print_row(m, row);
    push(row.body + 1,
         row.indent.size() > kWidestIndent ? row.indent : row.indent + (row.last ? "   " : "│  "));
  }
}

void print_findings(const Mechanism& m, Severity from, Severity to, const char* title) {
  bool first = true;
  for (const Problem& p : m.findings()) {
    if (p.severity < from || p.severity > to) continue;
    if (std::exchange(first, false)) say("\n{}\n", title);
    say("  {}\n", p.text());
  }
}

void print_constraints(const Mechanism& m) {
  const std::string mobility = fmt::format("(mobility by counting: {})", m.counted_mobility());
  if (!m.loops().empty()) say("\nloops {}\n", mobility);
  for (const Loop& l : m.loops())
    say("  {} {}: {} - {}, constrains {}\n", l.name, l.type, body_name(m, l.body_a),
               body_name(m, l.body_b), 6 - l.freedoms);
  if (!m.rollings().empty()) say("\nrolling on z = 0{}\n", m.loops().empty() ? " " + mobility : "");
  for (const RollingWheel& r : m.rollings())
    say("  {}: {}, radius {:.6g} m, constrains {}\n", r.name, body_name(m, r.body), r.radius,
               kRollingRows);
}

void print_springs(const Mechanism& m) {
  if (!m.springs().empty()) say("\nsprings\n");
  for (const Spring& s : m.springs())
    say("  {}: {} - {}, {:.6g} N/m, length {:.6g} m, damping {:.6g} N s/m\n", s.name,
               body_name(m, s.body_a), body_name(m, s.body_b), s.stiffness, s.length, s.damping);
}

/// How the model stands in the world: the first few bodies that do.
void print_bases(const Mechanism& m) {
  constexpr std::size_t kMostListed = 4;
  std::vector<std::string> lines;
  for (const Body& b : m.bodies()) {
    const bool on_world = b.name != kWorld && (b.parent < 0 || m.bodies()[b.parent].name == kWorld);
    if (!on_world) continue;
    const Joint* j = b.joint < 0 ? nullptr : &m.joints()[b.joint];
    const std::string type = j == nullptr ? "fixed" : j->type;
    if (type == "fixed" || type == "free")
      lines.push_back(fmt::format("{} {}", b.name, type == "free" ? "floats" : "is fixed"));
    else
      lines.push_back(fmt::format("{} on {} '{}'", b.name, type, j->name));
  }
  const std::size_t more = lines.size() > kMostListed ? lines.size() - kMostListed : 0;
  lines.resize(lines.size() - more);
  say("base: {}{}\n\n", fmt::join(lines, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

void print_model(const Mechanism& m) {
  const auto joints =
      std::count_if(m.joints().begin(), m.joints().end(), [](const Joint& j) { return j.link >= 0; });
  say("{}   {} bodies, {} joints ({} moving), nq {}, nv {}, {:.6g} kg\n\n", m.name(),
             m.body_names().size(), m.joints().size(), joints, m.nq(), m.nv(), m.mass());
  print_bases(m);
  print_tree(m);
  print_constraints(m);
  print_springs(m);
  if (!m.frames().empty()) say("\nframes\n");
  for (const Frame& f : m.frames()) say("  {} on {}\n", f.name, body_name(m, f.body));
  print_findings(m, Severity::warning, Severity::error, "warnings");
  print_findings(m, Severity::note, Severity::note,
                 "notes: what was assumed, and what is in the file but not used");
}

int compare(const Settings& s, const Mechanism& a, const Mechanism& b) {
  const std::vector<std::string> lines = differences(a, b);
  if (s.json)
    say(
        "{}",
        json_text(
            {{"first", s.model}, {"second", s.other}, {"same", lines.empty()}, {"differences", lines}}));
  else if (lines.empty())
    say("same mechanism\n");
  else
    for (const std::string& line : lines) say("{}\n", line);
  return lines.empty() ? 0 : 1;
}

bool is_scenario(const std::string& path) { return path.ends_with(".toml"); }

/// A model file as the options say, or a scenario, which has options of its own.
Mechanism load_any(const std::string& path, const LoadOptions& options) {
  return is_scenario(path) ? set_up(load_scenario(path)).mechanism : load(path, options);
}

int inspect_scenario(const Settings& s) {
  const Stage stage = set_up(load_scenario(s.model));
  if (s.json) {
    Json out = model_json(stage.mechanism);
    out["initial"] = {{"q", numbers(stage.q)}, {"v", numbers(stage.v)}};
    say("{}", json_text(out));
  } else {
    print_model(stage.mechanism);
    const auto text = [](const OwnedVector& x) {
      return fmt::format("{:.6g}", fmt::join(x.data(), x.data() + x.size(), " "));
    };
    say("\nstarts at q = {}\n      with v = {}\n", text(stage.q), text(stage.v));
  }
  return 0;
}

/// A URDF, which cannot say how its base stands, gets a floating one, unless the user says otherwise.
Mechanism load_walker_model(const Settings& s) {
  LoadOptions options = s.load;
  if (!s.base_given && s.model.ends_with(".urdf")) options.base = Base::floating;
  return load(s.model, options);
}

int inspect_walker(const Settings& s) {
  if (is_scenario(s.model) || !s.other.empty())
    throw Error("--legs takes one model file: URDF, SDFormat or MJCF");
  const LeggedRobot robot = inspect_legs(
      load_walker_model(s), s.feet.empty() ? LeggedRobotSettings() : load_legged_settings(s.feet));
  if (s.json)
    say("{}", json_text(legs_json(robot)));
  else
    print_legs(robot);
  return robot.refusal.empty() ? 0 : kFailed;
}

int inspect(const Settings& s) {
  if (s.legs) return inspect_walker(s);
  if (!s.feet.empty()) throw Error("--feet is for --legs");
  if (s.has_load_options && (is_scenario(s.model) || is_scenario(s.other)))
    throw Error(
        fmt::format("{}: the scenario says how its model is loaded; leave --base, --strict, --mimic and "
                    "--package-path out",
                    is_scenario(s.model) ? s.model : s.other));
  if (!s.other.empty()) return compare(s, load_any(s.model, s.load), load_any(s.other, s.load));
  if (is_scenario(s.model)) return inspect_scenario(s);
  const Mechanism m = load(s.model, s.load);
  if (!s.written.empty())
    for (const Problem& p : save(m, s.written)) fmt::print(stderr, "{}\n", printable_lines(p.text()));
  if (s.json)
    say("{}", json_text(model_json(m)));
  else
    print_model(m);
  return 0;
}

}  // namespace

void amble_command(CLI::App& command, Run& run) {
  auto settings = std::make_shared<Settings>();
  command.add_option("MODEL", settings->model, "URDF, SDFormat or MJCF file, or a scenario (.toml)")
      ->required()
      ->check(file_name())
      ->type_name("");
  command
      .add_option("--diff", settings->other, "Compare with another file; exit 1 when the mechanisms differ")
      ->check(file_name())
      ->type_name("OTHER");
  command
      .add_option(
          "--save", settings->written,
          "Write the model as URDF or MJCF, by the ending; what the format cannot say is listed on stderr")
      ->type_name("FILE");
  command.add_flag(
      "--legs", settings->legs,
      "Legs, feet, forward, mirror images and nominal posture of a legged robot; exit 1 when it cannot walk");
  command.add_option("--feet", settings->feet, "With --legs: what the model lacks (docs/legged-robots.md)")
      ->check(file_name())
      ->type_name("TOML");
  command.add_flag("--json", settings->json, "One JSON object on stdout");
  add_load_options(command, settings->load);
  command.callback([settings, &command, &run] {
    settings->has_load_options = has_load_options(command);
    settings->base_given = command.count("--base") > 0;
    run = [settings] { return inspect(*settings); };
  });
}

}  // namespace amble::app
