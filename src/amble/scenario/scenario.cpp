#include "amble/scenario/scenario.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <functional>

#include "amble/io/load.hpp"
#include "amble/io/source.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/scenario/toml_table.hpp"

namespace amble {

namespace {

Base base_of(const std::string& word) {
  return word == "fixed" ? Base::fixed : word == "floating" ? Base::floating : Base::from_file;
}

toml::table parse(const std::string& text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& e) {
    throw Error(fmt::format("{}:{}: {}", file, e.source().begin.line, e.description()));
  }
}

void read_model_part(TomlTable table, Scenario& s) {
  table.require("file");
  s.model = table.text("file", "");
  if (table.has("file") && s.model.empty()) table.problem("file", "is empty");
  s.load.base = base_of(table.choice("base", {"from-file", "fixed", "floating"}, "from-file"));
  s.load.mimic = table.choice("mimic", {"follow", "free"}, "follow") == "follow";
  s.load.strict = table.flag("strict", false);
  s.load.package_path = table.texts("package_path");
  table.finish();
}

void read_world_part(TomlTable table, Scenario& s) {
  if (table.has("gravity"))
    if (const std::vector<double> g = table.numbers("gravity", 3); g.size() == 3) s.gravity = {g[0], g[1], g[2]};
  table.finish();
}

std::map<std::string, std::vector<double>> read_by_joint(TomlTable table) {
  std::map<std::string, std::vector<double>> values;
  for (const std::string& joint : table.keys()) values[joint] = table.numbers(joint);
  return values;
}

/// Puts the numbers of each named joint into their place.
void place(const Mechanism& m, const char* what, const std::map<std::string, std::vector<double>>& by_joint,
           const std::function<Slice(const std::string&)>& slice_of, OwnedVector& into) {
  for (const auto& [joint, values] : by_joint) {
    if (const int leader = m.joints()[m.joint_index(joint)].leader; leader >= 0)
      throw Error(fmt::format("'initial.{}.{}' cannot be given: the joint follows joint '{}'", what, joint,
                              m.joints()[leader].name));
    const Slice slice = slice_of(joint);
    if (static_cast<int>(values.size()) != slice.size)
      throw Error(fmt::format("'initial.{}.{}' has {} numbers, expected {}", what, joint, values.size(), slice.size));
    for (int k = 0; k < slice.size; ++k) into[slice.start + k] = values[k];
  }
}

}  // namespace

Scenario read_scenario(const std::string& text, const std::string& file) {
  const toml::table document = parse(text, file);
  Problems problems;
  Scenario s{.file = file};
  TomlTable root(&document, "", file, problems);
  root.require("model");
  read_model_part(root.table("model"), s);
  read_world_part(root.table("world"), s);
  TomlTable initial = root.table("initial");
  s.initial_q = read_by_joint(initial.table("q"));
  s.initial_v = read_by_joint(initial.table("v"));
  initial.finish();
  root.finish();
  throw_problems(problems, Severity::error);
  return s;
}

Scenario load_scenario(const std::string& path) { return read_scenario(read_text(path), path); }

Stage set_up(const Scenario& s) {
  const std::filesystem::path folder = std::filesystem::path(s.file).parent_path();
  Mechanism m = load((folder / s.model).string(), s.load);
  if (s.gravity) m = with_gravity(m, *s.gravity);
  OwnedVector q = m.neutral(), v(m.nv());
  try {
    place(m, "q", s.initial_q, [&](const std::string& j) { return m.q_slice(j); }, q);
    place(m, "v", s.initial_v, [&](const std::string& j) { return m.v_slice(j); }, v);
    q = m.checked_configuration(q);
  } catch (const Error& e) {
    throw Error(fmt::format("{}: {}", s.file, e.what()));
  }
  return {m, q, v};
}

}  // namespace amble
