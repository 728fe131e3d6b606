#include <fmt/format.h>

#include <numeric>

#include "amble/base/error.hpp"
#include "amble/gait/step_down.hpp"
#include "controller_choice.hpp"
#include "found_gait.hpp"

// How large a step down a walker survives, by itself and under each controller, DS 5.2.3.
namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

struct Settings {
  WalkerChoice walker;
  ControllerChoice control;
  std::vector<std::string> controllers;
  std::optional<double> speed;  // of an efficient gait, instead of one of the walker's own
  WalkerSearch search = followable();
  double from = 0.0, to = 0.12, by = 0.01;
  std::optional<double> height;  // one alone
  int footfall = 5, steps = 20, starts = 200, threads = 0;
  std::uint64_t seed = 1;
  bool json = false;
};

struct Row {
  std::string controller;
  std::vector<StepDownResult> results;
};

std::vector<double> heights_of(const Settings& s) {
  constexpr double kMost = 10000.0;
  if (s.height) return {*s.height};
  if (!(s.by > 0.0) || !(s.from >= 0.0) || !(s.to >= s.from))
    throw Error(fmt::format(
        "heights from {} to {} m by {} m: expected --from of 0 or more, --to not below it, --by above 0",
        s.from, s.to, s.by));
  if (!((s.to - s.from) / s.by < kMost))
    throw Error(fmt::format("heights from {} to {} m by {} m are more than {}: expected fewer", s.from, s.to,
                            s.by, kMost));
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

Json peaks_json(const ControlFigures& f) {
  Json peaks = Json::object();
  for (std::size_t i = 0; i < f.coordinates.size(); ++i)
    peaks[f.coordinates[i]] = f.peak_torque[static_cast<Eigen::Index>(i)];
  return peaks;
}

Json result_json(const StepDownResult& r) {
  Json laws = Json::object();
  for (std::size_t i = 0; i < r.laws.size(); ++i) laws[r.laws[i]] = r.law_work[i];
  return {{"height", r.height},
          {"survived", r.survived},
          {"steps", r.steps},
          {"failure", r.survived ? Json() : Json(r.failure)},
          {"spent", r.spent},
          {"laws", laws},
          {"gravity", r.gravity},
          {"lost", r.lost},
          {"peak_torque", r.control ? peaks_json(*r.control) : Json()},
          {"normal_force", r.control ? Json(r.control->normal) : Json()},
          {"friction_ratio", r.control ? Json(r.control->friction) : Json()},
          {"pressure_offset", r.control ? Json(r.control->pressure_offset) : Json()},
          {"flat_spent", r.flat_spent},
          {"flat_torque", r.flat ? Json(r.flat->peak_torque.maxCoeff()) : Json()},
          {"energy_residual", r.residual}};
}

Json row_json(const Row& row) {
  const StepDownLimit limit = limit_of(row.results);
  Json results = Json::array();
  for (const StepDownResult& r : row.results) results.push_back(result_json(r));
  const auto height = [](double h) { return h < 0.0 ? Json() : Json(h); };
  return {{"controller", row.controller},
          {"sure", height(limit.sure)},
          {"largest", height(limit.largest)},
          {"results", results}};
}

void print_limits(const std::vector<Row>& rows) {
  const auto cm = [](double h) { return h < 0.0 ? std::string("-") : fmt::format("{:.3g}", 100.0 * h); };
  fmt::print("{:>10} {:>12} {:>12} {:>16}   each height\n", "controller", "all up to cm", "largest cm",
             "spent there, J");
  for (const Row& row : rows) {
    const StepDownLimit limit = limit_of(row.results);
    const StepDownResult* const best = largest_survived(row);
    std::string fates;
    for (const StepDownResult& r : row.results) fates += r.survived ? '+' : '-';
    fmt::print("{:>10} {:>12} {:>12} {:>16}   {}\n", row.controller, cm(limit.sure), cm(limit.largest),
               best == nullptr ? "-" : fmt::format("{:.4g}", best->spent), fates);
  }
  fmt::print("survival is not monotone: a walker may fall at a height (-) and survive a larger one (+)\n");
}

/// Controllers side by side at one height.
void print_comparison(const std::vector<Row>& rows) {
  fmt::print("{:>10} {:>6} {:>9} {:>9} {:>9} {:>10} {:>10} {:>9} {:>8}  {}\n", "controller", "steps", "spent",
             "laws gave", "impacts", "torque", "on flat", "friction", "off foot", "fate");
  fmt::print("{:>10} {:>6} {:>9} {:>9} {:>9} {:>10} {:>10} {:>9} {:>8}\n", "", "", "J", "J", "J", "N m",
             "N m", "", "m");
  for (const Row& row : rows) {
    const StepDownResult& r = row.results.front();
    fmt::print("{:>10} {:>6} {:9.4g} {:9.4g} {:9.4g} {:10.4g} {:10.2g} {:9.4g} {:8.3g}  {}\n", row.controller,
               r.steps, r.spent, std::accumulate(r.law_work.begin(), r.law_work.end(), 0.0), -r.lost,
               r.control->peak_torque.maxCoeff(), r.flat ? r.flat->peak_torque.maxCoeff() : 0.0,
               r.control->friction, r.control->pressure_offset, r.survived ? "walks on" : r.failure);
  }
  fmt::print(
      "spent: positive work of actuators; on flat: the largest torque before the step; friction and how far "
      "off its point "
      "the floor's pressure acts: what the stance foot asks for at worst\n");
}

/// The gait that is followed; none when the work was stopped. Throws NoGait when there is none.
struct NoGait {
  std::string text;
};
std::optional<GaitMotion> gait_to_follow(const Settings& s, const StepModel& model, WorkWatch& watch) {
  if (s.speed) {
    GaitSearchSettings settings;
    settings.program.speed = *s.speed;
    settings.solver.watch = [&](const NlpProgress&) { return watch(0.0); };
    const WalkerSearch search = within(s.search, s.control.limits);
    const GaitSearchResult found =
        search_gaits(search_problem(s.walker.kind(), s.walker.values(), search), settings);
    if (watch.interrupted()) return {};
    if (!found.found()) throw NoGait{no_search_text(s.speed, found)};
    return gait_motion(model, found.gaits.front());
  }
  const CyclesFound found =
      find_cycles(model, region_of(model), {.starts = s.starts, .seed = s.seed, .watch = watch.callback()});
  if (watch.interrupted()) return {};
  if (found.cycles.empty()) throw NoGait{no_cycle_text(s.walker.kind(), model, found)};
  return gait_motion(model, most_stable(found.cycles));
}

int run_step_down(Settings s) try {
  const std::vector<double> heights = heights_of(s);
  for (const double height : heights) StepDown{height, s.footfall}.validate();
  if (s.controllers.empty())
    for (const WalkControllerKind& kind : walk_controller_kinds()) s.controllers.push_back(kind.name);
  for (const std::string& name : s.controllers) walk_controller_kind(name);
  const std::unique_ptr<StepModel> model = s.walker.make();
  WorkWatch watch("looking for gaits");
  const std::optional<GaitMotion> motion = gait_to_follow(s, *model, watch);
  if (!motion) return kInterrupted;
  std::vector<std::unique_ptr<StepModel>>
      walkers;  // all of them first: a wrong gain is told before anything is done
  for (const std::string& name : s.controllers)
    walkers.push_back(s.control.make(*model, *motion, name).clone());
  std::vector<Row> rows;
  for (std::size_t i = 0; i < walkers.size(); ++i) {
    rows.push_back({s.controllers[i], sweep_step_down(*walkers[i], motion->start(),
                                                      {.heights = heights,
                                                       .footfall = s.footfall,
                                                       .steps = s.steps,
                                                       .threads = s.threads,
                                                       .watch = watch.callback()})});
    if (watch.interrupted()) return kInterrupted;
  }
  if (s.json) {
    Json all = Json::array();
    for (const Row& row : rows) all.push_back(row_json(row));
    fmt::print("{}", json_text({{"walker", s.walker.kind().name},
                                {"parameters", values_json(s.walker.values())},
                                {"speed", s.speed ? Json(*s.speed) : Json()},
                                {"footfall", s.footfall},
                                {"steps", s.steps},
                                {"controllers", all}}));
    return 0;
  }
  fmt::print("{}: step down at footfall {}, {} steps, {}\n", s.walker.kind().name, s.footfall, s.steps,
             s.height ? fmt::format("{:.3g} m", *s.height)
                      : fmt::format("heights {:.3g} to {:.3g} m", heights.front(), heights.back()));
  s.height ? print_comparison(rows) : print_limits(rows);
  return 0;
} catch (const NoGait& none) {
  fmt::print(stderr, "amble: error: {}\n", none.text);
  return kFailed;
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
  command
      ->add_option(
          "--speed", s->speed,
          "Follow the most efficient gait at this speed (m/s), with actuators, instead of the walker's own")
      ->type_name("MPS");
  add_swing_options(*command, s->search);
  auto* height = command->add_option("--height", s->height,
                                     "One height alone (m): controllers side by side, with what each spent");
  auto* from = command->add_option("--from", s->from, "Smallest height (m)")->capture_default_str();
  auto* to = command->add_option("--to", s->to, "Largest height (m)")->capture_default_str();
  auto* by = command->add_option("--by", s->by, "From one to the next (m)")->capture_default_str();
  height->type_name("M")->excludes(from, to, by), from->type_name("M"), to->type_name("M"),
      by->type_name("M");
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
