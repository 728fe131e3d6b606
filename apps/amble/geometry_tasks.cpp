#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <map>

#include "amble/base/error.hpp"
#include "amble/base/text_file.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/geometry/screw.hpp"
#include "amble/mechanism/coordinate_names.hpp"
#include "amble/mechanism/product_of_exponentials.hpp"
#include "amble/report/geometry_figures.hpp"
#include "amble/riemann/submersion.hpp"
#include "amble/riemann/workspace_dynamics.hpp"
#include "geometry_options.hpp"
#include "model_json.hpp"

namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

// ---- lift

struct LiftSettings : GeometrySettings {
  TaskSettings task;
};

Json integrability_json(TaskInverse& inverse, const VectorRef& q) {
  const Integrability found = integrability(inverse, q);
  return {{"integrable", found.integrable},
          {"largest", found.largest},
          {"directions", {found.first, found.second}},
          {"drift_per_area", numbers(found.drift)}};
}

int run_lift(const LiftSettings& s) {
  const Mechanism m = s.mechanism();
  const TaskMapPtr task = s.task.make(m);
  const OwnedVector q = task_configuration(s, *task);
  const auto metric = kinetic_metric(m);
  const Submersion at = submersion(*task, *metric, q);
  const Singularity place = singularity(*task, nullptr, *metric, q);
  const bool regular = place.kind == SingularityKind::none;
  if (s.json) {
    Json out{{"model", m.name()},
             {"task", task->name()},
             {"q", numbers(q)},
             {"J", matrix_json(at.J)},
             {"lift", matrix_json(at.lift)},
             {"pseudoinverse", matrix_json(at.pseudoinverse)},
             {"horizontal", matrix_json(at.horizontal)},
             {"vertical", matrix_json(at.vertical)},
             {"singular_values", numbers(at.singular_values)},
             {"rank", at.rank},
             {"manipulability", at.manipulability},
             {"isometry_defect", at.isometry_defect},
             {"kernel_defect", at.kernel_defect},
             {"lift_difference", at.lift_difference},
             {"penrose",
              {{"lift", penrose_residuals(at.J, at.lift)},
               {"pseudoinverse", penrose_residuals(at.J, at.pseudoinverse)}}},
             {"singularity",
              {{"kind", name_of(place.kind)},
               {"least", place.least},
               {"largest", place.largest},
               {"lost", matrix_json(place.lost.transpose())}}}};
    out["repeatable"] = regular ? Json{{"lift", integrability_json(*kinetic_lift(task), q)},
                                       {"pseudoinverse", integrability_json(*pseudoinverse(task), q)}}
                                : Json();
    out["inertia"] =
        regular ? matrix_json(workspace_dynamics(*task, q, Eigen::VectorXd::Zero(m.nv())).lambda) : Json();
    fmt::print("{}", json_text(out));
    return 0;
  }
  fmt::print("{} at q = [{:.6g}]\n", task->name(), fmt::join(q, ", "));
  fmt::print(
      "singularity: {} (singular values {:.4g} to {:.4g} in the kinetic metric), manipulability {:.6g}\n",
      name_of(place.kind), place.least, place.largest, at.manipulability);
  const auto penrose = penrose_residuals(at.J, at.lift);
  fmt::print(
      "horizontal lift against pseudoinverse: they differ by {:.4g} of it; M turns ker J by {:.4g} (sine): "
      "{}\n",
      at.lift_difference, at.kernel_defect,
      at.kernel_defect < 1e-9 ? "the same inverse" : "different inverses");
  fmt::print(
      "Penrose's conditions, what the lift fails them by: I {:.1e}, II {:.1e}, III {:.1e}, IV {:.1e}\n",
      penrose[0], penrose[1], penrose[2], penrose[3]);
  fmt::print("from an isometric submersion it differs by {:.4g}\n", at.isometry_defect);
  if (regular)
    for (const InversePtr& inverse : {kinetic_lift(task), pseudoinverse(task)})
      fmt::print("{}: {} (bracket {:.4g})\n", inverse->name(),
                 integrability(*inverse, q).integrable ? "repeatable" : "not repeatable",
                 integrability(*inverse, q).largest);
  return 0;
}

// ---- loop

struct LoopSettings : GeometrySettings {
  TaskSettings task;
  double radius = 0.05;
  std::vector<double> normal;
  int loops = 1;
  std::string inverse = "both";
};

/// Two directions of the workspace to go round in: normal to the given one, or the first two there are.
std::pair<Eigen::VectorXd, Eigen::VectorXd> directions(const LoopSettings& s, const TaskMap& task) {
  const int n = task.dimension();
  if (n < 2) throw Error(fmt::format("the {} has one direction: there are no loops", task.name()));
  if (s.normal.empty()) return {Eigen::VectorXd::Unit(n, 0), Eigen::VectorXd::Unit(n, n == 3 ? 2 : 1)};
  if (n != 3) throw Error("--normal belongs to a task with three directions");
  const Vector3<double> normal = checked_numbers(s.normal, 3, "--normal");
  if (!(normal.norm() > 0.0)) throw Error("--normal is zero");
  const Vector3<double> a = normal.unitOrthogonal();
  return {a, normal.normalized().cross(a)};
}

/// What the coordinates leave their limits by on the first loop, for each that does. Inverses of a task know
/// of no limits.
std::map<std::string, double> beyond_limits(const Mechanism& m, const CurveOnMechanism& curve) {
  const std::vector<std::string> names = q_names(m);
  std::map<std::string, double> beyond;
  for (const OwnedVector& q : curve.q)
    for (int i = 0; i < m.nq(); ++i)
      if (const double by = std::max(m.lower()[i] - q[i], q[i] - m.upper()[i]); by > 0.0)
        beyond[names[i]] = std::max(beyond[names[i]], by);
  return beyond;
}

int run_loop(const LoopSettings& s) {
  const Mechanism m = s.mechanism();
  const TaskMapPtr task = s.task.make(m);
  const OwnedVector q = task_configuration(s, *task);
  const auto [a, b] = directions(s, *task);
  const TaskCurve circle = circle_through(*task, task->value(q), a, b, s.radius);
  std::vector<InversePtr> inverses;
  if (s.inverse != "lift") inverses.push_back(pseudoinverse(task));
  if (s.inverse != "pseudoinverse") inverses.push_back(kinetic_lift(task));
  std::vector<Holonomy> found;
  std::vector<std::string> names;
  Json rows = Json::array();
  for (const InversePtr& inverse : inverses) {
    const Integrability test = integrability(*inverse, q);
    found.push_back(holonomy(*inverse, circle, q, s.loops));
    names.push_back(inverse->name());
    const Holonomy& h = found.back();
    Json drifts = Json::array();
    for (const OwnedVector& drift : h.drift) drifts.push_back(numbers(drift));
    const std::map<std::string, double> beyond = beyond_limits(m, h.first.curve);
    rows.push_back({{"name", inverse->name()},
                    {"integrable", test.integrable},
                    {"bracket", test.largest},
                    {"drift", drifts},
                    {"drift_norms", h.drift_norm},
                    {"task_error", h.task_error},
                    {"length", h.first.length},
                    {"beyond_limits", beyond},
                    {"q", numbers(h.q.back())}});
    if (!s.json) {
      fmt::print("{}: {}; drift of the first loop {:.6g} (kinetic metric), [{:.6g}]; task error {:.1e}\n",
                 inverse->name(), test.integrable ? "repeatable" : "not repeatable", h.drift_norm[0],
                 fmt::join(h.drift[0], ", "), h.task_error);
      for (const auto& [name, by] : beyond)
        fmt::print("  warning: '{}' leaves its limits by {:.4g}\n", name, by);
    }
  }
  if (!s.svg.empty()) write_text_file(s.svg, svg(drift_plot(m, found, names)));
  if (s.json)
    fmt::print("{}", json_text({{"model", m.name()},
                                {"task", task->name()},
                                {"q", numbers(q)},
                                {"radius", s.radius},
                                {"loops", s.loops},
                                {"redundant", m.nv() - task->dimension()},
                                {"inverses", rows}}));
  return 0;
}

// ---- screws

struct ScrewSettings : GeometrySettings {
  std::string tool;
};

Json screw_json(const Screw& screw) {
  return {{"direction", numbers(screw.axis.direction())},
          {"moment", numbers(screw.axis.moment())},
          {"point", numbers(screw.axis.point())},
          {"pitch", screw.pitch},
          {"magnitude", screw.magnitude}};
}

std::string screw_text(const Screw& screw) {
  const auto& d = screw.axis.direction();
  if (screw.has_infinite_pitch()) return fmt::format("slides along ({:.4g} {:.4g} {:.4g})", d[0], d[1], d[2]);
  const Vector3<double> p = screw.axis.point(), n = screw.axis.moment();
  return fmt::format(
      "turns about ({:.4g} {:.4g} {:.4g}) through ({:.4g} {:.4g} {:.4g}), moment ({:.4g} {:.4g} {:.4g}), "
      "pitch {:.4g} m/rad",
      d[0], d[1], d[2], p[0], p[1], p[2], n[0], n[1], n[2], screw.pitch);
}

Json exponentials_json(const Mechanism& m, const std::string& tool) {
  try {
    const ProductOfExponentials chain = product_of_exponentials(m, tool);
    Json screws = Json::array();
    for (std::size_t i = 0; i < chain.screws.size(); ++i) {
      Json one{{"joint", chain.joints[i]},
               {"coordinate", chain.coordinates[i]},
               {"ratio", chain.ratios[i]},
               {"offset", chain.offsets[i]},
               {"twist", numbers(chain.screws[i].vector())}};
      one.update(screw_json(screw_of(chain.screws[i])));
      screws.push_back(one);
    }
    return {{"reference", matrix_json(chain.reference.matrix())}, {"screws", screws}};
  } catch (const Error& e) {
    return {{"none", e.what()}};
  }
}

/// Of every velocity at q: the columns of the spatial Jacobian, for joints of every type.
Json axes_json(const Mechanism& m, const std::string& tool, const VectorRef& q) {
  Workspace work(m);
  const Eigen::MatrixXd J = jacobian(m, work, q, tool, {.frame = JacobianFrame::world});
  Json axes = Json::array();
  for (int k = 0; k < m.nv(); ++k) {
    if (J.col(k).norm() == 0.0) continue;  // not on the way to the tool
    Json one{{"velocity", k}, {"twist", numbers(J.col(k))}};
    one.update(screw_json(screw_of(Twist<double>(Vector6<double>(J.col(k))))));
    axes.push_back(one);
  }
  return axes;
}

int run_screws(const ScrewSettings& s) {
  const Mechanism m = s.mechanism();
  const std::string tool = s.tool.empty() ? default_tool(m) : s.tool;
  const OwnedVector q = s.configuration(m);
  Workspace work(m);
  const Pose X = pose(m, work, q, tool);
  if (s.json) {
    fmt::print("{}", json_text({{"model", m.name()},
                                {"tool", tool},
                                {"product_of_exponentials", exponentials_json(m, tool)},
                                {"q", numbers(q)},
                                {"pose", matrix_json(X.matrix())},
                                {"axes", axes_json(m, tool, q)}}));
    return 0;
  }
  const ProductOfExponentials chain = product_of_exponentials(m, tool);
  fmt::print("X({}) = exp(S1 q1) ... exp(S{} q{}) X0, screws at q = 0 in world axes:\n", tool,
             chain.screws.size(), chain.screws.size());
  for (std::size_t i = 0; i < chain.screws.size(); ++i)
    fmt::print("  S{}  {}: {}\n", i + 1, chain.joints[i], screw_text(screw_of(chain.screws[i])));
  const Eigen::IOFormat rows(6, 0, "  ", "\n", "  ");
  std::ostringstream text;
  text << chain.reference.matrix().format(rows);
  fmt::print("X0 =\n{}\n", text.str());
  return 0;
}

}  // namespace

void add_geometry_lift(CLI::App& geometry, Run& run) {
  auto s = std::make_shared<LiftSettings>();
  CLI::App* command = geometry.add_subcommand(
      "lift", "A task as a submersion: horizontal lift and pseudoinverse side by side, singularities");
  add_geometry_options(*command, *s, false);
  add_task_options(*command, s->task);
  command->callback([s, &run] { run = [s] { return run_lift(*s); }; });
}

void add_geometry_loop(CLI::App& geometry, Run& run) {
  auto s = std::make_shared<LoopSettings>();
  CLI::App* command =
      geometry.add_subcommand("loop", "How far the joints drift when the task goes round a circle");
  add_geometry_options(*command, *s, true);
  add_task_options(*command, s->task);
  command->add_option("--radius", s->radius, "Of the circle (m or rad)")
      ->type_name("R")
      ->capture_default_str();
  command->add_option("--normal", s->normal, "Of its plane, for tasks with three directions (default: 0,1,0)")
      ->delimiter(',')
      ->type_name("X,Y,Z");
  command->add_option("--loops", s->loops, "How often")->type_name("N")->capture_default_str();
  command->add_option("--inverse", s->inverse, "lift, pseudoinverse or both")
      ->capture_default_str()
      ->type_name("INVERSE")
      ->check(CLI::IsMember({"lift", "pseudoinverse", "both"}).description(""));
  command->callback([s, &run] { run = [s] { return run_loop(*s); }; });
}

void add_geometry_screws(CLI::App& geometry, Run& run) {
  auto s = std::make_shared<ScrewSettings>();
  CLI::App* command = geometry.add_subcommand(
      "screws", "Joint screws of a chain: product of exponentials, lines and pitches");
  add_geometry_options(*command, *s, false);
  command
      ->add_option("--tool", s->tool, "The body or frame it ends at (default: the end of the longest chain)")
      ->type_name("NAME");
  command->callback([s, &run] { run = [s] { return run_screws(*s); }; });
}

}  // namespace amble::app
