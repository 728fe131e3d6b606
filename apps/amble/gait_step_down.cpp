#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/gait/step_down.hpp"
#include "controller_choice.hpp"

// How large a step down a walker survives, by itself and under each controller, DS 5.2.3.
namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kInterrupted = 130;

struct Settings {
  WalkerChoice walker;
  ControllerChoice control;
  std::vector<std::string> controllers;
  double from = 0.0, to = 0.12, by = 0.01;
  int footfall = 5, steps = 20, starts = 200, threads = 0;
  std::uint64_t seed = 1;
  bool json = false;
};

struct Row {
  std::string controller;
  std::vector<StepDownResult> results;
};

std::vector<double> heights_of(const Settings& s) {
  if (!(s.by > 0.0) || !(s.to >= s.from)) throw Error("expected --from HEIGHT up to --to HEIGHT in steps --by above 0");
  std::vector<double> heights;
  for (int i = 0; s.from + i * s.by <= s.to + 1e-9 * s.by; ++i) heights.push_back(s.from + i * s.by);
  return heights;
}

/// What was spent at the largest height that was survived; nothing when there is none.
const StepDownResult* largest_survived(const Row& row) {
  const StepDownResult* best = nullptr;
  for (const StepDownResult& r : row.results)
    if (r.survived) best = &r;
  return best;
}

Json row_json(const Row& row) {
  const StepDownLimit limit = limit_of(row.results);
  Json results = Json::array();
  for (const StepDownResult& r : row.results)
    results.push_back({{"height", r.height},
                       {"survived", r.survived},
                       {"steps", r.steps},
                       {"failure", r.survived ? Json() : Json(r.failure)},
                       {"spent", r.spent},
                       {"energy_residual", r.residual}});
  const auto height = [](double h) { return h < 0.0 ? Json() : Json(h); };
  return {{"controller", row.controller}, {"sure", height(limit.sure)}, {"largest", height(limit.largest)}, {"results", results}};
}

void print_row(const Row& row) {
  const StepDownLimit limit = limit_of(row.results);
  const StepDownResult* const best = largest_survived(row);
  std::string fates;
  for (const StepDownResult& r : row.results) fates += r.survived ? '+' : '-';
  const auto cm = [](double h) { return h < 0.0 ? std::string("-") : fmt::format("{:.3g}", 100.0 * h); };
  fmt::print("{:>10} {:>12} {:>12} {:>16}   {}\n", row.controller, cm(limit.sure), cm(limit.largest),
             best == nullptr ? "-" : fmt::format("{:.4g}", best->spent), fates);
}

/// The most stable one.
Gait gait_of(const Settings& s, const StepModel& model, WorkWatch& watch) {
  const CyclesFound found =
      find_cycles(model, region_of(model), {.starts = s.starts, .seed = s.seed, .watch = watch.callback()});
  if (found.cycles.empty()) throw Error(no_cycle_text(s.walker.kind(), model, found));
  return *std::min_element(found.cycles.begin(), found.cycles.end(), [](const Gait& a, const Gait& b) {
    return std::abs(a.leading()) < std::abs(b.leading());
  });
}

int run_step_down(Settings s) {
  const std::vector<double> heights = heights_of(s);
  if (s.controllers.empty())
    for (const WalkControllerKind& kind : walk_controller_kinds()) s.controllers.push_back(kind.name);
  for (const std::string& name : s.controllers) walk_controller_kind(name);
  const std::unique_ptr<StepModel> model = s.walker.make();
  WorkWatch watch("looking for gaits");
  const Gait gait = gait_of(s, *model, watch);
  if (watch.interrupted()) return kInterrupted;
  const GaitMotion motion = gait_motion(*model, gait);
  if (!s.json) {
    fmt::print("{}: step down at footfall {}, {} steps, heights {:.3g} to {:.3g} m\n", s.walker.kind().name, s.footfall,
               s.steps, heights.front(), heights.back());
    fmt::print("{:>10} {:>12} {:>12} {:>16}   each height\n", "controller", "all up to cm", "largest cm", "spent there, J");
  }
  Json rows = Json::array();
  for (const std::string& name : s.controllers) {
    const Row row{name, sweep_step_down(s.control.make(*model, motion, name), gait.x,
                                        {.heights = heights,
                                         .footfall = s.footfall,
                                         .steps = s.steps,
                                         .threads = s.threads,
                                         .watch = watch.callback()})};
    if (watch.interrupted()) return kInterrupted;
    if (s.json)
      rows.push_back(row_json(row));
    else
      print_row(row);
  }
  if (s.json)
    fmt::print("{}", json_text({{"walker", s.walker.kind().name}, {"footfall", s.footfall}, {"controllers", rows}}));
  else
    fmt::print("survival is not monotone: a walker may fall at a height (-) and survive a larger one (+)\n");
  return 0;
}

}  // namespace

void add_gait_step_down(CLI::App& gait, Run& run) {
  auto s = std::make_shared<Settings>();
  CLI::App* command = gait.add_subcommand(
      "step-down", "The largest step down that a walker survives, by itself and under each controller");
  add_walker_options(*command, s->walker, false);
  command->add_option("--controller", s->controllers, "none, pd or port; again for more (default: all)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  add_controller_options(*command, s->control);
  command->add_option("--from", s->from, "Smallest height (m)")->type_name("M")->capture_default_str();
  command->add_option("--to", s->to, "Largest height (m)")->type_name("M")->capture_default_str();
  command->add_option("--by", s->by, "From one to the next (m)")->type_name("M")->capture_default_str();
  const auto whole = [&](const char* name, int& value, const char* what, int least) {
    command->add_option(name, value, what)
        ->type_name("N")
        ->capture_default_str()
        ->check(CLI::Range(least, 1000000).description(""));
  };
  whole("--footfall", s->footfall, "At which the floor goes down", 1);
  whole("--steps", s->steps, "To be made", 1);
  whole("--starts", s->starts, "Cold starts of the search for the gait", 1);
  whole("--threads", s->threads, "0: one per core", 0);
  command->add_option("--seed", s->seed, "Of the search")->type_name("N")->capture_default_str();
  command->add_flag("--json", s->json, "One JSON object on stdout");
  command->callback([s, &run] { run = [s] { return run_step_down(*s); }; });
}

}  // namespace amble::app
