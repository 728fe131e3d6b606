#include "amble/scenario/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>

#include "amble/io/source.hpp"
#include "amble/scenario/element_readers.hpp"
#include "amble/scenario/ground_reader.hpp"
#include "amble/scenario/scenario_parts.hpp"
#include "amble/scenario/variables.hpp"

namespace amble {

namespace {

Base base_of(const std::string& word) {
  return word == "fixed" ? Base::fixed : word == "floating" ? Base::floating : Base::from_file;
}

void read_model_part(TomlTable table, Scenario& s) {
  s.model = table.text("file", ""), s.builtin = table.text("builtin", "");
  if (table.has("file") && s.model.empty()) table.problem("file", "is empty");
  if (table.has("file") == table.has("builtin"))
    table.problem("file", table.has("file") ? "is given beside 'builtin': expected one of them" : "is missing");
  TomlTable parameters = table.table("parameters");
  for (const std::string& name : parameters.keys()) s.parameters[name] = parameters.number(name.c_str(), 0.0);
  if (s.builtin.empty() && !s.parameters.empty()) table.problem("parameters", "are for built-in models only");
  s.load.base = base_of(table.choice("base", {"from-file", "fixed", "floating"}, "from-file"));
  s.load.mimic = table.choice("mimic", {"follow", "free"}, "follow") == "follow";
  s.load.strict = table.flag("strict", false);
  s.load.package_path = table.texts("package_path");
  table.finish();
}

ScenarioObject read_object(TomlTable table) {
  table.require("file");
  table.require("name");
  ScenarioObject out{table.text("file", ""), table.text("name", ""), base_of(table.choice("base", {"from-file", "fixed", "floating"}, "floating"))};
  if (table.has("place"))
    if (const std::vector<double> x = table.numbers("place", 6, Limit::length); x.size() == 6)
      std::copy_n(x.begin(), 6, out.place.begin());
  table.finish();
  return out;
}

void read_world_part(TomlTable table, Scenario& s) {
  if (table.has("gravity"))
    if (const std::vector<double> g = table.numbers("gravity", 3, Limit::acceleration); g.size() == 3)
      s.gravity = {g[0], g[1], g[2]};
  s.ground = read_ground(table.table("ground"));
  table.finish();
}

std::map<std::string, std::vector<double>> read_by_joint(TomlTable table, Limit kind) {
  std::map<std::string, std::vector<double>> values;
  for (const std::string& joint : table.keys()) values[joint] = table.numbers(joint, 0, kind);
  return values;
}

bool is_quantity(const std::string& words, const std::vector<std::string>& known) {
  return std::any_of(known.begin(), known.end(), [&](const std::string& w) {
    return w.ends_with(':') ? words.starts_with(w) && words.size() > w.size() : words == w;
  });
}

void read_simulation_part(TomlTable table, Scenario& s) {
  s.duration = table.number("duration", s.duration, Limit::time);
  s.tolerance = table.number("tolerance", s.tolerance);
  s.interval = table.number("interval", s.interval, Limit::time);
  s.integrator = table.text("integrator", s.integrator);
  s.step = table.number("step", s.step, Limit::time);
  if (!(s.duration > 0.0)) table.problem("duration", fmt::format("is {} s, expected more than 0", s.duration));
  if (!(s.tolerance >= 1e-15 && s.tolerance < 1.0))
    table.problem("tolerance", fmt::format("is {}, expected 1e-15 to 1", s.tolerance));
  if (!(s.step > 0.0)) table.problem("step", fmt::format("is {} s, expected more than 0", s.step));
  if (!(s.interval >= 0.0)) table.problem("interval", fmt::format("is {} s, expected 0 or more", s.interval));
  table.finish();
}

/// A plain word need not be in quotes here, unlike in a file: shells take them away.
std::string with_quotes(const std::string& setting, std::size_t equals) {
  const std::string value = setting.substr(equals + 1);
  const auto plain = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-' || c == '.' || c == '/'; };
  const bool word = !value.empty() && std::isalpha(static_cast<unsigned char>(value[0])) &&
                    std::all_of(value.begin(), value.end(), plain) && value != "true" && value != "false" &&
                    value != "inf" && value != "nan";
  return word ? setting.substr(0, equals + 1) + '"' + value + '"' : setting;
}

/// "a.b.c=value" into the document. Its source is the setting: so problems name it in the place of a file and a line.
void apply_setting(const std::string& setting, toml::table& document) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Error(fmt::format("'{}' is not a setting: expected KEY=VALUE, such as simulation.duration=5", setting));
  const std::string source = fmt::format("setting '{}'", setting);
  toml::table parsed = parse_toml(with_quotes(setting, equals), source, false);
  const std::function<void(toml::table&, toml::table&&)> merge = [&](toml::table& into, toml::table&& from) {
    for (auto&& [key, value] : from) {
      toml::table* inner = value.as_table();
      toml::table* present = into.get(key) == nullptr ? nullptr : into.get(key)->as_table();
      if (inner != nullptr && present != nullptr)
        merge(*present, std::move(*inner));
      else
        into.insert_or_assign(key, std::move(value));
    }
  };
  if (!set_variable(document, parsed)) merge(document, std::move(parsed));
}

}  // namespace

toml::table scenario_document(const std::string& text, const std::string& file,
                              const std::vector<std::string>& settings, Problems& problems) {
  toml::table document = parse_toml(text, file);
  for (const std::string& setting : settings) apply_setting(setting, document);
  resolve_variables(document, file, problems);
  return document;
}

ScenarioCheck read_check(TomlTable table, const std::vector<std::string>& quantities) {
  ScenarioCheck c;
  table.require("quantity");
  c.quantity = table.text("quantity", "residual");
  c.name = table.text("name", c.quantity);
  if (table.has("above")) c.above = table.number("above", 0.0);
  if (table.has("below")) c.below = table.number("below", 0.0);
  if (!c.above && !c.below) table.problem("quantity", "has no bound: 'above', 'below' or both are needed");
  if (!is_quantity(c.quantity, quantities))
    table.problem("quantity", fmt::format("is '{}', expected {}", c.quantity, fmt::join(quantities, ", ")));
  table.finish();
  return c;
}

std::vector<std::string> scenario_quantities() {
  std::vector<std::string> out = {"residual", "relative_residual", "energy_change", "losses", "violation", "slip", "cone_use",
                                  "limit_margin", "torque_use", "time:", "count:"};
  for (const char* part : {"", "lowest:", "highest:"})
    for (const char* kind : {"q:", "v:", "height:"}) out.push_back(std::string(part) + kind);
  return out;
}

Scenario read_scenario(const std::string& text, const std::string& file, const std::vector<std::string>& settings) {
  Problems problems;
  const toml::table document = scenario_document(text, file, settings, problems);
  Scenario s{.file = file, .text = text, .settings = settings};
  TomlTable root(&document, "", file, problems);
  root.require("model");
  if (root.has("model")) read_model_part(root.table("model"), s);
  for (TomlTable& table : root.tables("objects")) s.objects.push_back(read_object(std::move(table)));
  if (!s.objects.empty() && !s.builtin.empty()) root.problem("objects", "are given beside a built-in model, which has none");
  read_world_part(root.table("world"), s);
  TomlTable initial = root.table("initial");
  s.keyframe = initial.text("keyframe", "");
  s.initial_q = read_by_joint(initial.table("q"), Limit::length);
  s.initial_v = read_by_joint(initial.table("v"), Limit::speed);
  initial.finish();
  read_simulation_part(root.table("simulation"), s);
  for (TomlTable& table : root.tables("elements")) s.elements.push_back(read_element(std::move(table)));
  for (TomlTable& table : root.tables("checks")) 
    s.checks.push_back(read_check(std::move(table), scenario_quantities()));
  root.finish();
  throw_problems(problems, Severity::error);
  return s;
}

Scenario load_scenario(const std::string& path, const std::vector<std::string>& settings) {
  return read_scenario(read_text(path), path, settings);
}

}  // namespace amble
