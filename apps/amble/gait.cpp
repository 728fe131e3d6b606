#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "amble/base/error.hpp"
#include "amble/gait/basin.hpp"
#include "amble/report/gait_figures.hpp"
#include "controller_choice.hpp"
#include "picture_files.hpp"
#include "walker_choice.hpp"

// The gait tools one by one.
namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

struct Search {
  WalkerChoice walker;
  std::vector<std::string> region;
  int steps = 1, starts = 400, threads = 0;
  std::uint64_t seed = 1;
  bool json = false;
};

CLI::Range at_least(int n) { return CLI::Range(n, 100'000'000); }

void add_search_options(CLI::App& command, Search& s) {
  add_walker_options(command, s.walker, true);
  command
      .add_option("--region", s.region,
                  "Where steps start, as q3=0.1:0.4; again for more (default: the walker's own)")
      ->type_name("NAME=LOW:HIGH")
      ->allow_extra_args(false);
  command.add_option("--starts", s.starts, "Cold starts of the search for cycles")
      ->type_name("N")
      ->capture_default_str()
      ->check(at_least(1).description(""));
  command.add_option("--seed", s.seed, "Of the search")->type_name("N")->capture_default_str();
  command.add_option("--threads", s.threads, "0: one per core")
      ->type_name("N")
      ->capture_default_str()
      ->check(at_least(0).description(""));
  command.add_flag("--json", s.json, "One JSON object on stdout");
}

Json region_json(const StepModel& model, const Region& region) {
  Json out = Json::object();
  for (int i = 0; i < model.section().size(); ++i)
    out[model.section().names[i]] = {region.lower[i], region.upper[i]};
  return out;
}

CyclesFound cycles_of(const Search& s, const StepModel& model, const Region& region, WorkWatch& watch) {
  return find_cycles(model, region,
                     {.newton = {.steps = s.steps},
                      .starts = s.starts,
                      .seed = s.seed,
                      .threads = s.threads,
                      .watch = watch.callback()});
}

// ---- cycles

int run_cycles(const Search& s) {
  const std::unique_ptr<StepModel> model = s.walker.make();
  const Region region = region_of(*model, s.region);
  WorkWatch watch("looking for cycles");
  const CyclesFound found = cycles_of(s, *model, region, watch);
  if (s.json) {
    Json cycles = Json::array();
    for (const Gait& gait : found.cycles) cycles.push_back(gait_json(*model, gait));
    fmt::print("{}", json_text({{"region", region_json(*model, region)},
                                {"cycles", cycles},
                                {"starts", found.starts},
                                {"walked", found.walked}}));
  } else if (!found.cycles.empty()) {
    fmt::print("{:>10} {:>10} {:>10} {:>10}  {:8}  multipliers\n", "period s", "step m", "speed m/s",
               "lost J", "stable");
    for (const Gait& gait : found.cycles)
      fmt::print("{:10.6f} {:10.6f} {:10.6f} {:10.6f}  {:8}  {}\n", gait.period, gait.step_length, gait.speed,
                 gait.energy_lost, gait.stable() ? "yes" : "no", multipliers_text(gait));
    for (const Gait& gait : found.cycles)
      if (const std::string text = heading_text(*model, gait); !text.empty()) fmt::print("{}\n", text);
    fmt::print("{} starts, {} of them completed a step\n", found.starts, found.walked);
  }
  if (watch.interrupted()) return kInterrupted;
  if (found.cycles.empty())
    fmt::print(stderr, "amble: error: {}\n", no_cycle_text(s.walker.kind(), *model, found));
  return found.cycles.empty() ? kFailed : 0;
}

void add_cycles(CLI::App& gait, Run& run) {
  auto settings = std::make_shared<Search>();
  CLI::App* command = gait.add_subcommand(
      "cycles", "Find all passive cycles of a walker in a region, with their multipliers");
  add_search_options(*command, *settings);
  command->add_option("--steps", settings->steps, "After how many steps a cycle repeats")
      ->type_name("N")
      ->capture_default_str()
      ->check(at_least(1).description(""));
  command->callback([settings, &run] { run = [settings] { return run_cycles(*settings); }; });
}

// ---- continue

struct Continue {
  Search search;
  std::string parameter;
  PictureFiles picture;
  ContinuationOptions options;
};

Json branch_json(const Continue& s, const Branch& branch) {
  Json points = Json::array(), bifurcations = Json::array();
  for (const BranchPoint& point : branch.points) {
    const std::unique_ptr<StepModel> model = s.search.walker.make(s.parameter, point.value);
    const Json gait = gait_json(*model, point.gait);
    Json one{{"value", point.value}, {"gait", gait}};
    one.update(gait);  // its figures also beside the value
    points.push_back(one);
  }
  for (const Bifurcation& b : branch.bifurcations)
    bifurcations.push_back({{"kind", name_of(b.kind)}, {"value", b.value}});
  return {{"points", points},
          {"bifurcations", bifurcations},
          {"steps", branch.steps},
          {"parent", branch.parent < 0 ? Json() : Json(branch.parent)},
          {"end", branch.end}};
}

void print_branch(const Continue& s, const Branch& branch, std::size_t number) {
  fmt::print("branch {}: repeats after {} step{}{}, {} points, {}: {:.8g} to {:.8g}; {}\n", number + 1,
             branch.steps, branch.steps == 1 ? "" : "s",
             branch.parent < 0 ? "" : fmt::format(", doubles branch {}", branch.parent + 1),
             branch.points.size(), s.parameter, branch.points.front().value, branch.points.back().value,
             branch.end);
  for (const Bifurcation& b : branch.bifurcations)
    fmt::print("  {} at {} = {:.10g}\n", name_of(b.kind), s.parameter, b.value);
  const std::size_t every = std::max<std::size_t>(1, branch.points.size() / 10);
  fmt::print("{:>14} {:>10} {:>10} {:>10}  {:6}  multipliers\n", s.parameter, "period s", "step m",
             "speed m/s", "stable");
  for (std::size_t i = 0; i < branch.points.size(); i += every) {
    const Gait& gait = branch.points[i].gait;
    fmt::print("{:14.8g} {:10.6f} {:10.6f} {:10.6f}  {:6}  {}\n", branch.points[i].value, gait.period,
               gait.step_length, gait.speed, gait.stable() ? "yes" : "no", multipliers_text(gait));
  }
}

int run_continue(Continue s) {
  s.search.walker.make(s.parameter, s.options.from);
  WorkWatch watch("following cycles");
  s.options.region = s.search.region, s.options.starts = s.search.starts, s.options.seed = s.search.seed;
  s.options.watch = watch.callback();
  const WalkerFamily family{s.parameter,
                            [&](double value) { return s.search.walker.make(s.parameter, value); }};
  const std::vector<Branch> branches = continue_cycles(family, s.options);
  if (s.picture.wanted()) s.picture.write(svg(bifurcation_diagram(family, branches)));
  if (s.search.json) {
    Json out = Json::array();
    for (const Branch& branch : branches) out.push_back(branch_json(s, branch));
    fmt::print("{}", json_text({{"parameter", s.parameter}, {"branches", out}}));
  } else {
    for (std::size_t i = 0; i < branches.size(); ++i) print_branch(s, branches[i], i);
  }
  if (watch.interrupted()) return kInterrupted;
  if (branches.empty()) {
    const std::unique_ptr<StepModel> model = s.search.walker.make(s.parameter, s.options.from);
    const CyclesFound none = cycles_of(s.search, *model, region_of(*model, s.search.region), watch);
    fmt::print(stderr, "amble: error: there is no cycle at {} = {} to follow: {}\n", s.parameter,
               s.options.from, no_cycle_text(s.search.walker.kind(), *model, none));
  }
  return branches.empty() ? kFailed : 0;
}

void add_continue(CLI::App& gait, Run& run) {
  auto settings = std::make_shared<Continue>();
  CLI::App* command = gait.add_subcommand(
      "continue", "Follow the cycles of a walker in a parameter, with their bifurcations");
  add_search_options(*command, settings->search);
  command->add_option("--parameter", settings->parameter, "Of the walker")->type_name("NAME")->required();
  command->add_option("--from", settings->options.from, "Its first value")->type_name("A")->required();
  command->add_option("--to", settings->options.to, "Its last value")->type_name("B")->required();
  command->add_option("--step", settings->options.step, "Longest step, as a share of the range")
      ->type_name("SHARE")
      ->capture_default_str();
  command->add_option("--points", settings->options.most_points, "At most, of a branch")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--doublings", settings->options.doublings,
                   "How often cycles of twice the period are followed")
      ->type_name("N")
      ->capture_default_str();
  add_picture_options(*command, settings->picture, "the bifurcation diagram");
  command->callback([settings, &run] { run = [settings] { return run_continue(*settings); }; });
}

// ---- basin

struct BasinSettings {
  Search search;
  int cells = 10'000, most_steps = 100;
  PictureFiles picture;
  std::vector<std::string> plane;
};

/// Two numbers of the section: those asked for, or the last two that vary.
std::pair<int, int> plane_of(const StepModel& model, const Region& region,
                             const std::vector<std::string>& wanted) {
  const std::vector<std::string>& names = model.section().names;
  std::vector<int> chosen;
  for (const std::string& name : wanted) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end())
      throw Error(fmt::format("--plane {}: a step starts with {}", name, fmt::join(names, ", ")));
    chosen.push_back(static_cast<int>(at - names.begin()));
  }
  for (int i = model.section().size() - 1; i >= 0 && chosen.size() < 2; --i)
    if (region.upper[i] > region.lower[i]) chosen.insert(chosen.begin(), i);
  if (chosen.size() != 2 || chosen[0] == chosen[1])
    throw Error("a picture of a basin needs a region that is wide in two numbers");
  return {chosen[0], chosen[1]};
}

Json basin_json(const StepModel& model, const Region& region, const Basin& basin) {
  const auto count = [&](int fate) { return std::count(basin.fate.begin(), basin.fate.end(), fate); };
  // Cells are followed in the order of the grid: some of them are no sample of the region.
  const auto of_region = [&](double x) { return basin.complete() ? Json(x) : Json(); };
  return {{"cells", basin.fate.size()},
          {"followed", basin.followed},
          {"complete", basin.complete()},
          {"converged", basin.converged},
          {"fraction", of_region(basin.fraction)},
          {"volume", of_region(basin.volume)},
          {"grid", basin.cells},
          {"region", region_json(model, region)},
          {"fell", count(Basin::kFell)},
          {"wandered", count(Basin::kWandered)}};
}

void print_basin(const Basin& basin) {
  const auto count = [&](int fate) { return std::count(basin.fate.begin(), basin.fate.end(), fate); };
  const std::string share = basin.complete() ? fmt::format(" ({:.4g} %)", 100.0 * basin.fraction) : "";
  fmt::print("{} starts: {} come to a stable cycle{}, {} fall, {} walk on without one\n", basin.followed,
             basin.converged, share, count(Basin::kFell), count(Basin::kWandered));
  if (!basin.complete())
    fmt::print("interrupted: {} of {} starts were followed, in the order of the grid, so their shares are not "
               "those of the region\n",
               basin.followed, basin.fate.size());
  else if (std::isfinite(basin.volume))
    fmt::print("volume in the kinetic metric {:.6g}\n", basin.volume);
  else
    fmt::print("no volume: this walker has no kinetic metric\n");
}

/// Where starts are followed to; none when the work was stopped. Throws NoBasin when there is no stable cycle.
struct NoBasin {
  std::string text;
};
std::optional<CyclesFound> cycles_with_basin(const BasinSettings& s, const StepModel& model) {
  WorkWatch watch("looking for cycles");
  const CyclesFound found = cycles_of(s.search, model, region_of(model), watch);
  if (watch.interrupted()) return {};
  if (std::any_of(found.cycles.begin(), found.cycles.end(), [](const Gait& g) { return g.stable(); })) return found;
  throw NoBasin{found.cycles.empty() ? no_cycle_text(s.search.walker.kind(), model, found)
                                     : "none of the cycles is stable: there is no basin"};
}

int run_basin(const BasinSettings& s) try {
  const std::unique_ptr<StepModel> model = s.search.walker.make();
  const Region region = region_of(*model, s.search.region);
  const std::optional<CyclesFound> found = cycles_with_basin(s, *model);
  if (!found) return kInterrupted;
  WorkWatch watch("following starts");
  const Basin basin = find_basin(
      *model, found->cycles, region,
      {.total = s.cells, .most_steps = s.most_steps, .threads = s.search.threads, .watch = watch.callback()});
  if (s.picture.wanted() && basin.complete()) {
    const auto [across, up] = plane_of(*model, region, s.plane);
    s.picture.write(svg(basin_map(*model, basin, region, found->cycles, across, up)));
  }
  if (s.search.json)
    fmt::print("{}", json_text(basin_json(*model, region, basin)));
  else
    print_basin(basin);
  return basin.complete() ? 0 : kInterrupted;
} catch (const NoBasin& none) {
  fmt::print(stderr, "amble: error: {}\n", none.text);
  return kFailed;
}

void add_basin(CLI::App& gait, Run& run) {
  auto settings = std::make_shared<BasinSettings>();
  CLI::App* command = gait.add_subcommand("basin", "Which starts lead to a stable cycle, and how many");
  add_search_options(*command, settings->search);
  command->add_option("--cells", settings->cells, "How many starts, about, on an even grid")
      ->type_name("N")
      ->capture_default_str()
      ->check(at_least(1).description(""));
  command->add_option("--most-steps", settings->most_steps, "That a walker is given to come to a cycle")
      ->type_name("N")
      ->capture_default_str()
      ->check(at_least(1).description(""));
  add_picture_options(*command, settings->picture, "a plane of it, through a stable cycle,");
  command
      ->add_option("--plane", settings->plane,
                   "The two numbers that are drawn, as dq3,dq4 (default: the last two)")
      ->type_name("NAME,NAME")
      ->delimiter(',');
  command->callback([settings, &run] { run = [settings] { return run_basin(*settings); }; });
}

}  // namespace

void amble_command(CLI::App& command, Run& run) {
  command.require_subcommand(1);
  add_cycles(command, run);
  add_continue(command, run);
  add_basin(command, run);
  add_gait_search(command, run);
  add_gait_codesign(command, run);
  add_gait_identify(command, run);
  add_gait_step_down(command, run);
  add_gait_drive(command, run);
}

}  // namespace amble::app
