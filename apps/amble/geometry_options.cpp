#include "geometry_options.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"
#include "amble/io/load.hpp"
#include "amble/riemann/submersion.hpp"

namespace amble::app {

Mechanism GeometrySettings::mechanism() const {
  Mechanism m = amble::load(model, load);
  if (m.nv() == 0) throw Error(fmt::format("'{}' has no joints that move", m.name()));
  return m;
}

OwnedVector checked_numbers(const std::vector<double>& given, int count, const std::string& option) {
  if (static_cast<int>(given.size()) != count)
    throw Error(fmt::format("{} has {} numbers: expected {}", option, given.size(), count));
  return Eigen::Map<const Eigen::VectorXd>(given.data(), count);
}

OwnedVector GeometrySettings::configuration(const Mechanism& m) const {
  if (!q.empty()) return m.checked_configuration(checked_numbers(q, m.nq(), "--q"));
  OwnedVector middle = m.neutral();
  for (int i = 0; i < m.nq(); ++i) {
    const double centre = 0.5 * (m.lower()[i] + m.upper()[i]);
    if (std::isfinite(centre) && std::abs(m.upper()[i] - m.lower()[i]) < 1e6) middle[i] = centre;
  }
  return m.checked_configuration(middle);
}

void add_geometry_options(CLI::App& command, GeometrySettings& s, bool draws) {
  command.add_option("model", s.model, "URDF, SDFormat or MJCF file")
      ->required()
      ->type_name("FILE")
      ->check(file_name());
  command.add_option("--q", s.q, "The configuration, comma separated (default: the middle of the limits)")
      ->delimiter(',')
      ->type_name("Q");
  command.add_flag("--json", s.json, "Print one JSON object");
  if (draws) command.add_option("--svg", s.svg, "Draw to this file")->type_name("FILE")->check(file_name());
  add_load_options(command, s.load);
}

nlohmann::ordered_json matrix_json(const Eigen::Ref<const Eigen::MatrixXd>& m) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    out.push_back(nlohmann::ordered_json::array());
    for (Eigen::Index j = 0; j < m.cols(); ++j) out.back().push_back(m(i, j));
  }
  return out;
}

std::string default_tool(const Mechanism& m) {
  std::string deepest = m.body_names().back();
  int most = -1;
  for (const Body& body : m.bodies()) {
    int joints = 0;
    for (int link = body.link; link > 0; link = m.links()[link].parent) ++joints;
    if (!body.auxiliary && joints >= most) most = joints, deepest = body.name;
  }
  return deepest;
}

void add_task_options(CLI::App& command, TaskSettings& s) {
  command
      .add_option("--task", s.task,
                  "What moves: position, orientation or pose of a body, or com (centre of mass)")
      ->capture_default_str()
      ->type_name("TASK")
      ->check(CLI::IsMember({"position", "orientation", "pose", "com"}).description(""));
  command.add_option("--body", s.body, "The body or frame (default: the end of the longest chain)")
      ->type_name("NAME");
  command.add_option("--point", s.point, "Of a position: the point in the body's axes, as 0,0,0.1")
      ->delimiter(',')
      ->type_name("X,Y,Z");
  command.add_option("--axes", s.axes, "Of a position: only these, as xz (default: those that can move)")
      ->type_name("AXES");
}

namespace {

std::vector<int> moving_rows(const Mechanism& m, TaskMap& task) {
  Eigen::VectorXd most = Eigen::VectorXd::Zero(task.dimension());
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    most = most.cwiseMax(task.jacobian(m.random(seed)).rowwise().norm());
  std::vector<int> rows;
  for (int i = 0; i < most.size(); ++i)
    if (most[i] > 1e-9) rows.push_back(i);
  return rows;
}

std::vector<int> named_rows(const std::string& axes) {
  std::vector<int> rows;
  for (char c : axes) {
    const std::size_t at = std::string("xyz").find(c);
    if (at == std::string::npos) throw Error(fmt::format("--axes is '{}': expected some of x, y, z", axes));
    rows.push_back(static_cast<int>(at));
  }
  return rows;
}

}  // namespace

TaskMapPtr TaskSettings::make(const Mechanism& m) const {
  const std::string place = body.empty() ? default_tool(m) : body;
  const bool vectors = task == "position" || task == "com";
  if (!vectors && (!axes.empty() || !point.empty()))
    throw Error(fmt::format("--axes and --point belong to a position, not to '{}'", task));
  if (task == "orientation") return orientation_task(m, place);
  if (task == "pose") return pose_task(m, place);
  const OwnedVector at = point.empty() ? OwnedVector(3) : checked_numbers(point, 3, "--point");
  const TaskMapPtr whole = task == "com" ? center_of_mass_task(m) : position_task(m, place, Vector3<double>(at));
  const std::vector<int> rows = axes.empty() ? moving_rows(m, *whole) : named_rows(axes);
  return rows.size() == 3 && axes.empty() ? whole : selected_task(whole, rows);
}

OwnedVector task_configuration(const GeometrySettings& settings, TaskMap& task) {
  constexpr double kDexterous = 1e-3;  // of the singular values, least to largest
  const Mechanism& m = task.mechanism();
  const auto metric = kinetic_metric(m);
  const auto dexterity = [&](const OwnedVector& q) {
    const Submersion s = submersion(task, *metric, q);
    return s.J.rows() > s.J.cols()
               ? 0.0
               : s.singular_values.minCoeff() / std::max(s.singular_values.maxCoeff(), 1e-300);
  };
  OwnedVector best = settings.configuration(m);
  if (!settings.q.empty()) return best;
  double most = dexterity(best);
  for (std::uint64_t seed = 1; seed <= 32 && most < kDexterous; ++seed) {
    const OwnedVector other = m.random(seed);
    if (const double here = dexterity(other); here > most) most = here, best = other;
  }
  return best;
}

}  // namespace amble::app
