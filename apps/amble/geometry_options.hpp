#pragma once

#include <optional>

#include "amble/io/options.hpp"
#include "amble/riemann/task_map.hpp"
#include "command.hpp"

namespace amble::app {

/// What the commands of `amble geometry` have in common.
struct GeometrySettings {
  std::string model, svg;
  LoadOptions load;
  std::vector<double> q;
  bool json = false;

  Mechanism mechanism() const;
  /// As given, or the middle of the limits, neutral where there are none.
  OwnedVector configuration(const Mechanism& m) const;
};
void add_geometry_options(CLI::App& command, GeometrySettings& settings, bool draws);
/// As many numbers as q has; an Error names the option.
OwnedVector checked_numbers(const std::vector<double>& given, int count, const std::string& option);
nlohmann::ordered_json matrix_json(const Eigen::Ref<const Eigen::MatrixXd>& m);

/// What moves: --task, --body, --point, --axes.
struct TaskSettings {
  std::string task = "position", body, axes;
  std::vector<double> point;

  /// Axes of a position that cannot move at all, as those normal to a planar arm, are left out unless asked
  /// for.
  TaskMapPtr make(const Mechanism& m) const;
};
void add_task_options(CLI::App& command, TaskSettings& settings);
/// The last body of the longest chain.
std::string default_tool(const Mechanism& m);
/// settings.configuration(), or where that is singular for the task the most dexterous of some random ones.
OwnedVector task_configuration(const GeometrySettings& settings, TaskMap& task);

void add_geometry_curvature(CLI::App& geometry, Run& run);
void add_geometry_geodesic(CLI::App& geometry, Run& run);
void add_geometry_lift(CLI::App& geometry, Run& run);
void add_geometry_loop(CLI::App& geometry, Run& run);
void add_geometry_screws(CLI::App& geometry, Run& run);

}  // namespace amble::app
