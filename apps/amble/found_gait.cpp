#include "found_gait.hpp"

#include <fmt/format.h>

namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

void add_swing_options(CLI::App& command, WalkerSearch& search) {
  command
      .add_option("--foot-speed", search.foot_speed,
                  "Of a searched gait: the swing foot comes down at least this fast (m/s; 0, or 0.2 for a "
                  "controller)")
      ->type_name("MPS");
  command.add_option("--clearance", search.clearance, "Likewise: it is at least this high on its way (m)")
      ->type_name("M");
  command
      .add_option(
          "--knee-bend", search.knee_bend,
          "Likewise: a swing knee with a stop is bent at least this much in the middle (rad; 0, it may "
          "lean on its stop, or 0.2 for a controller)")
      ->type_name("RAD");
}

std::string no_search_text(std::optional<double> speed, const GaitSearchResult& found) {
  return fmt::format(
      "no gait{} was found from {} starts; the closest motion violates its conditions by {:.3g}",
      speed ? fmt::format(" of {} m/s", *speed) : "", found.attempts.size(),
      found.closest.certificate.primal);
}

Json found_gait_json(const WalkerChoice& walker, const WalkerSearch& search, const FoundGait& gait) {
  const SearchFigures figures = figures_of(walker.kind(), walker.values(), search, gait);
  const auto model = make_walker(walker.kind(), figures.values);
  OwnedVector x(gait.q.size() + gait.v.size());
  x << gait.q, gait.v;
  const auto [q, v] = model->full_state(0, x.data());
  const auto numbers = [](const OwnedVector& row) {
    return Json(std::vector<double>(row.begin(), row.end()));
  };
  const double transport = figures.weight * gait.step_length;
  return {
      {"period", gait.duration},
      {"step_length", gait.step_length},
      {"speed", gait.speed},
      {"initial",
       {{"q", numbers(gait.q)}, {"v", numbers(gait.v)}, {"full", {{"q", numbers(q)}, {"v", numbers(v)}}}}},
      {"multipliers", nullptr},
      {"stable", nullptr},
      {"effort", figures.effort},
      {"cost_of_transport", figures.lost / transport},
      {"actuator_cost_of_transport", figures.positive_work / transport},
      {"energy_lost", figures.lost},
      {"actuator_work", figures.actuator_work},
      {"positive_work", figures.positive_work},
      {"step_width", figures.step_width},
      {"assumptions", assumptions_json(figures.assumptions)},
      {"residual", gait.certificate.residual()}};
}

void print_found_gaits(const WalkerChoice& walker, const WalkerSearch& search,
                       const std::vector<FoundGait>& gaits) {
  fmt::print("{:>12} {:>12} {:>10} {:>10} {:>10} {:>10} {:>10}  {}\n", "cost", "effort", "period s", "step m",
             "speed m/s", "lost J", "KKT", search.design.empty() ? "" : "parameters");
  for (const FoundGait& gait : gaits) {
    const SearchFigures f = figures_of(walker.kind(), walker.values(), search, gait);
    std::string design;
    for (const SearchParameter& p : search.design)
      design += fmt::format("{}{} = {:.6g}", design.empty() ? "" : ", ", p.name, f.values.at(p.name));
    fmt::print("{:12.6g} {:12.6g} {:10.6f} {:10.6f} {:10.6f} {:10.6f} {:10.1e}  {}\n", gait.objective,
               f.effort, gait.duration, gait.step_length, gait.speed, f.lost, gait.certificate.residual(),
               design);
  }
}

}  // namespace amble::app
