#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "amble/base/error.hpp"
#include "amble/base/text_file.hpp"
#include "amble/report/geometry_figures.hpp"
#include "amble/riemann/curvature.hpp"
#include "amble/riemann/geodesic_between.hpp"
#include "amble/riemann/jacobi_fields.hpp"
#include "geometry_options.hpp"
#include "model_json.hpp"

namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

// ---- curvature

struct CurvatureSettings : GeometrySettings {
  FlatnessOptions flatness;
  std::vector<int> plane{0, 1};
  int cells = 60;
};

Json plane_json(const Curvature::Plane& plane) {
  return {{"curvature", plane.curvature}, {"x", numbers(plane.x)}, {"y", numbers(plane.y)}};
}

int run_curvature(const CurvatureSettings& s) {
  const Mechanism m = s.mechanism();
  const Curvature curvature(m, s.configuration(m));
  const Curvature::Range range = curvature.range();
  const Flatness flat = flatness(m, s.flatness);
  if (!s.svg.empty()) {
    if (s.plane.size() != 2)
      throw Error(fmt::format("--plane has {} numbers: expected two coordinates", s.plane.size()));
    write_text_file(s.svg, svg(curvature_map(m, curvature.q(), {s.plane[0], s.plane[1]}, s.cells)));
  }
  if (s.json) {
    fmt::print(
        "{}",
        json_text({{"model", m.name()},
                   {"q", numbers(curvature.q())},
                   {"metric", matrix_json(curvature.metric())},
                   {"scalar", curvature.scalar()},
                   {"ricci", matrix_json(curvature.ricci())},
                   {"sectional", {{"least", plane_json(range.least)}, {"most", plane_json(range.most)}}},
                   {"flatness",
                    {{"flat", flat.flat},
                     {"largest", flat.largest},
                     {"terms", flat.terms},
                     {"q", numbers(flat.q)},
                     {"samples", s.flatness.samples}}}}));
    return 0;
  }
  fmt::print("{} at q = [{:.6g}]\n", m.name(), fmt::join(curvature.q(), ", "));
  fmt::print("sectional curvature {:.8g} to {:.8g}, scalar curvature {:.8g}\n", range.least.curvature,
             range.most.curvature, curvature.scalar());
  fmt::print("{}: the largest sectional curvature at {} random configurations is {:.6g}, terms {:.3g}\n",
             flat.flat ? "flat" : "not flat", s.flatness.samples, flat.largest, flat.terms);
  return 0;
}

// ---- geodesic

struct GeodesicSettings : GeometrySettings {
  std::vector<double> to, velocity;
  double duration = 1.0;
  BetweenOptions between;
  std::vector<int> plane{0, 1};
  int samples = 101;
};

Json curve_json(const CurveOnMechanism& curve) {
  Json q = Json::array(), v = Json::array();
  for (std::size_t i = 0; i < curve.t.size(); ++i)
    q.push_back(numbers(curve.q[i])), v.push_back(numbers(curve.v[i]));
  return {{"t", curve.t}, {"q", q}, {"v", v}};
}

void draw(const GeodesicSettings& s, const Mechanism& m, const std::vector<CurveOnMechanism>& curves,
          const std::vector<std::string>& names) {
  if (s.svg.empty()) return;
  if (s.plane.size() != 2)
    throw Error(fmt::format("--plane has {} numbers: expected two coordinates", s.plane.size()));
  write_text_file(s.svg, svg(geodesic_plot(m, curves, names, {s.plane[0], s.plane[1]}), 640.0, 560.0));
}

int run_between(const GeodesicSettings& s, const Mechanism& m) {
  const OwnedVector q0 = s.configuration(m);
  const std::vector<GeodesicBetween> found =
      geodesics_between(m, q0, checked_numbers(s.to, m.nq(), "--to"), s.between);
  const auto connection = levi_civita(m);
  std::vector<CurveOnMechanism> curves;
  std::vector<std::string> names;
  Json geodesics = Json::array();
  for (const GeodesicBetween& g : found) {
    curves.push_back(geodesic(*connection, q0, g.v0, 1.0, {.samples = s.samples}));
    names.push_back(fmt::format("length {:.4g}", g.length));
    geodesics.push_back({{"converged", g.converged},
                         {"length", g.length},
                         {"energy", g.energy},
                         {"v0", numbers(g.v0)},
                         {"q1", numbers(g.q1)},
                         {"locally_shortest", g.locally_shortest()},
                         {"index", g.index},
                         {"least_eigenvalue", g.least_eigenvalue},
                         {"kink", g.kink},
                         {"miss", g.miss},
                         {"segments", g.segments},
                         {"iterations", g.iterations},
                         {"curve", curve_json(curves.back())}});
    if (!s.json)
      fmt::print("length {:.10g}  {}  index {}  misses by {:.1e}  v0 = [{:.6g}]\n", g.length,
                 !g.converged           ? "not converged"
                 : g.locally_shortest() ? "locally shortest"
                                        : "not shortest",
                 g.index, g.miss, fmt::join(g.v0, ", "));
  }
  draw(s, m, curves, names);
  if (s.json)
    fmt::print("{}", json_text({{"model", m.name()}, {"q0", numbers(q0)}, {"geodesics", geodesics}}));
  return found.front().converged ? 0 : 1;
}

int run_from(const GeodesicSettings& s, const Mechanism& m) {
  const OwnedVector q0 = s.configuration(m), v0 = checked_numbers(s.velocity, m.nv(), "--velocity");
  const auto connection = levi_civita(m);
  const CurveOnMechanism curve = geodesic(*connection, q0, v0, s.duration, {.samples = s.samples | 1});
  Workspace work(m);
  const auto energy = [&](std::size_t i) {
    return 0.5 * inner_product(m, work, curve.q[i], curve.v[i], curve.v[i]);
  };
  Json points = Json::array();
  if (s.duration > 0.0)
    for (const ConjugatePoint& p : conjugate_points(m, q0, v0, s.duration))
      points.push_back({{"t", p.t}, {"multiplicity", p.multiplicity}});
  draw(s, m, {curve}, {fmt::format("{} s", s.duration)});
  const double before = energy(0), after = energy(curve.q.size() - 1);
  if (s.json) {
    fmt::print("{}", json_text({{"model", m.name()},
                                {"duration", s.duration},
                                {"length", curve_length(m, curve)},
                                {"energy", before},
                                {"energy_change", after - before},
                                {"conjugate_points", points},
                                {"curve", curve_json(curve)}}));
  } else {
    fmt::print(
        "after {} s: q = [{:.8g}]\nlength {:.8g}, kinetic energy {:.8g} J, changed by {:.1e} J, {} conjugate "
        "points\n",
        s.duration, fmt::join(curve.q.back(), ", "), curve_length(m, curve), before, after - before,
        points.size());
  }
  return 0;
}

int run_geodesic(const GeodesicSettings& s) {
  const Mechanism m = s.mechanism();
  if (s.to.empty() == s.velocity.empty()) throw Error("a geodesic needs either --to or --velocity");
  return s.to.empty() ? run_from(s, m) : run_between(s, m);
}

void add_plane(CLI::App& command, std::vector<int>& plane) {
  command.add_option("--plane", plane, "The two coordinates that are drawn, by their places in q")
      ->delimiter(',')
      ->type_name("I,J")
      ->capture_default_str();
}

}  // namespace

void add_geometry_curvature(CLI::App& geometry, Run& run) {
  auto s = std::make_shared<CurvatureSettings>();
  CLI::App* command = geometry.add_subcommand(
      "curvature", "Curvature of the metric of kinetic energy, and whether it is flat");
  add_geometry_options(*command, *s, true);
  add_plane(*command, s->plane);
  command->add_option("--cells", s->cells, "Of the map, each way")->type_name("N")->capture_default_str();
  command
      ->add_option("--samples", s->flatness.samples, "Random configurations at which flatness is looked for")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--tolerance", s->flatness.tolerance,
                   "On the largest curvature of a flat mechanism, relative to its terms")
      ->type_name("X")
      ->capture_default_str();
  command->add_option("--seed", s->flatness.seed, "Of those configurations")
      ->type_name("N")
      ->capture_default_str();
  command->callback([s, &run] { run = [s] { return run_curvature(*s); }; });
}

void add_geometry_geodesic(CLI::App& geometry, Run& run) {
  auto s = std::make_shared<GeodesicSettings>();
  CLI::App* command = geometry.add_subcommand(
      "geodesic", "Motions without forces: from a velocity, or the shortest between two configurations");
  add_geometry_options(*command, *s, true);
  add_plane(*command, s->plane);
  command->add_option("--to", s->to, "The configuration to end at, comma separated")
      ->delimiter(',')
      ->type_name("Q");
  command->add_option("--velocity", s->velocity, "The velocity to start with, comma separated")
      ->delimiter(',')
      ->type_name("V");
  command->add_option("--duration", s->duration, "With --velocity (s); backwards when negative")
      ->type_name("T")
      ->capture_default_str();
  command->add_option("--samples", s->samples, "States of the curve")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(2, 1000000).description(""));
  command->add_option("--starts", s->between.starts, "Ways to look along: the straight one and random others")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--windings", s->between.windings,
                   "Turns more or less by which angles without limits may end")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--seed", s->between.seed, "Of the random ways")->type_name("N")->capture_default_str();
  command->callback([s, &run] { run = [s] { return run_geodesic(*s); }; });
}

void amble_command(CLI::App& command, Run& run) {
  command.require_subcommand(1);
  add_geometry_curvature(command, run);
  add_geometry_geodesic(command, run);
  add_geometry_lift(command, run);
  add_geometry_loop(command, run);
  add_geometry_screws(command, run);
}

}  // namespace amble::app
