#include "amble/scenario/legged_file.hpp"

#include "amble/io/source.hpp"
#include "amble/scenario/toml_table.hpp"

namespace amble {

namespace {

Vector3<double> vector_of(const std::vector<double>& x) { return {x[0], x[1], x[2]}; }

std::optional<Vector3<double>> vector_at(TomlTable& table, const char* key) {
  if (!table.has(key)) return std::nullopt;
  const std::vector<double> x = table.numbers(key, 3, Limit::length);
  return x.size() == 3 ? std::optional(vector_of(x)) : std::nullopt;
}

std::optional<double> length_at(TomlTable& table, const char* key) {
  if (!table.has(key)) return std::nullopt;
  return table.number(key, 0.0, Limit::length);
}

FootSettings read_foot(TomlTable table) {
  FootSettings foot;
  table.require("body");
  foot.body = table.text("body", "");
  for (const std::vector<double>& row : table.rows("corners", Limit::length))
    if (row.size() == 3)
      foot.corners.push_back(vector_of(row));
    else
      table.problem("corners", "expected rows of three numbers, x, y and z in the axes of the body (m)");
  foot.length = table.number("length", 0.0, Limit::length),
  foot.width = table.number("width", 0.0, Limit::length);
  foot.radius = table.number("radius", 0.0, Limit::length);
  foot.center = vector_at(table, "center");
  table.finish();
  return foot;
}

void read_legs(TomlTable table, LeggedRobotSettings& s) {
  s.forward = vector_at(table, "forward"), s.up = vector_at(table, "up");
  s.torso = table.text("torso", "");
  s.hip_height = length_at(table, "hip_height"), s.stance_width = length_at(table, "stance_width");
  s.unmirrored_limits = table.flag("unmirrored_limits", false);
  TomlTable posture = table.table("posture");
  for (const std::string& joint : posture.keys()) s.posture[joint] = posture.number(joint.c_str(), 0.0);
  posture.finish();
  table.finish();
}

}  // namespace

LeggedRobotSettings load_legged_settings(const std::string& path) {
  return read_legged_settings(read_text(path), path);
}

LeggedRobotSettings read_legged_settings(const std::string& text, const std::string& file) {
  const toml::table root = parse_toml(text, file);
  Problems problems;
  TomlTable top(&root, "", file, problems);
  LeggedRobotSettings out;
  read_legs(top.table("legs"), out);
  for (TomlTable& foot : top.tables("feet")) out.feet.push_back(read_foot(foot));
  top.finish();
  throw_problems(problems, Severity::error);
  try {
    out.validate();
  } catch (const Error& e) {
    throw Error(file + ": " + e.what());
  }
  return out;
}

}  // namespace amble
