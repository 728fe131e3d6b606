#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/gait/drive_sweep.hpp"
#include "amble/report/drive_figures.hpp"
#include "driven_text.hpp"
#include "picture_files.hpp"
#include "walker_choice.hpp"

// Walks by a motor and its controller, and sweeps over their parameters.
namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

struct Settings {
  WalkerChoice walker;
  std::vector<std::string> sweep, figures;
  double duration = 10.0;
  std::optional<double> from;
  std::string floor = "rigid";
  int threads = 0;
  PictureFiles picture;
  bool json = false;
};

DrivenWalkOptions options_of(const Settings& s) {
  DrivenWalkOptions o{.duration = s.duration, .measured_from = s.from};
  o.floor.compliant = s.floor == "compliant";
  return o;
}

Json head_json(const Settings& s) {
  return {{"walker", s.walker.kind().name}, {"parameters", values_json(s.walker.values())}, {"floor", s.floor}, {"duration", s.duration}};
}

int run_one(const Settings& s) {
  DrivenWalkOptions options = options_of(s);
  if (s.picture.wanted()) options.interval = 0.005;
  DrivenWalk walk;
  const DrivenWalker walker = s.walker.driven_kind()(s.walker.values());
  {
    WorkWatch watch("walking");
    options.watch = watch.callback();
    walk = walk_driven(walker, options);
    if (watch.interrupted()) return kInterrupted;
  }
  if (s.picture.wanted()) s.picture.write(driven_angles(walker, walk));
  if (s.json) {
    Json out = head_json(s);
    out["walk"] = driven_json(walk);
    fmt::print("{}", json_text(out));
  } else {
    fmt::print("{}: {}, on a {} floor of {:.6g} degrees\n", s.walker.kind().name, s.walker.kind().summary, s.floor,
               s.walker.values().at("slope_deg"));
    print_driven(walk);
  }
  return walk.fell ? kFailed : 0;
}

// ---- sweeps

Json sweep_json(const Settings& s, const DriveSweep& sweep) {
  Json axes = Json::array(), walks = Json::array();
  for (const SweepAxis& axis : sweep.axes)
    axes.push_back({{"parameter", axis.parameter}, {"from", axis.from}, {"to", axis.to}, {"count", axis.count}});
  int stable = 0;
  for (std::size_t i = 0; i < sweep.walks.size(); ++i) {
    if (!sweep.walks[i]) continue;
    Json one = driven_json(*sweep.walks[i]);
    stable += !sweep.walks[i]->fell;
    one["values"] = sweep.values(i);
    walks.push_back(one);
  }
  Json out = head_json(s);
  out["axes"] = axes, out["stable"] = stable, out["walks"] = walks;
  return out;
}

void print_sweep(const Settings& s, const DriveSweep& sweep) {
  std::string head;
  for (const SweepAxis& axis : sweep.axes) head += fmt::format("{:>18} ", axis.parameter);
  for (const std::string& name : s.figures) head += fmt::format("{:>18} ", fmt::format("{} {}", name, driven_figure(name).unit));
  fmt::print("{}\n", head);
  int stable = 0, done = 0;
  for (std::size_t i = 0; i < sweep.walks.size(); ++i) {
    if (!sweep.walks[i]) continue;
    const DrivenWalk& walk = *sweep.walks[i];
    ++done, stable += !walk.fell;
    std::string row;
    for (const double value : sweep.values(i)) row += fmt::format("{:18.6g} ", value);
    if (walk.fell)
      row += fmt::format("  after {:.3g} s the walker {}", walk.walked, walk.failure);
    else
      for (const std::string& name : s.figures) row += fmt::format("{:18.6g} ", driven_figure(name).value(walk));
    fmt::print("{}\n", row);
  }
  fmt::print("{} of {} walk for {:.6g} s\n", stable, done, s.duration);
}

int run_sweep(const Settings& s) {
  std::vector<SweepAxis> axes;
  for (const std::string& words : s.sweep) axes.push_back(sweep_axis(words));
  DriveSweep sweep;
  bool interrupted = false;
  {
    WorkWatch watch("walking");
    sweep = sweep_drive(s.walker.driven_kind(), s.walker.values(), axes,
                        {.walk = options_of(s), .threads = s.threads, .watch = watch.callback()});
    interrupted = watch.interrupted();
  }
  if (s.picture.wanted() && !interrupted) s.picture.write(drive_maps(sweep, s.figures));
  if (s.json)
    fmt::print("{}", json_text(sweep_json(s, sweep)));
  else
    print_sweep(s, sweep);
  return interrupted ? kInterrupted : 0;
}

int run(Settings s) {
  s.walker.driven = true;
  for (const std::string& name : s.figures) driven_figure(name);
  if (s.figures.empty()) s.figures = {"speed", "cost_of_transport", "clearance", "peak_current"};
  return s.sweep.empty() ? run_one(s) : run_sweep(s);
}

std::string figures_text() {
  std::string text = "Figures:";
  for (const DrivenFigure& figure : driven_figures())
    text += fmt::format("\n  {:18} {}{}", figure.name, figure.meaning, figure.unit == "1" ? "" : " (" + figure.unit + ")");
  return text;
}

}  // namespace

void add_gait_drive(CLI::App& gait, Run& run_command) {
  auto settings = std::make_shared<Settings>();
  CLI::App* command = gait.add_subcommand(
      "drive", "Walk by a motor at a joint and its controller (DS 5.3), once or over a grid of parameters");
  add_walker_options(*command, settings->walker, true);
  command->add_option("--duration", settings->duration, "Of a walk")->type_name("S")->capture_default_str();
  command->add_option("--from", settings->from, "When measuring begins (default: half of the duration)")->type_name("S");
  command->add_option("--floor", settings->floor, "Whether feet and floor give way: rigid or compliant")
      ->type_name("WORD")
      ->capture_default_str()
      ->check(CLI::IsMember({"rigid", "compliant"}).description(""));
  command
      ->add_option("--sweep", settings->sweep,
                   "Walk with each of these values, as set_point=0.1:0.5:9; again for a grid of several parameters")
      ->type_name("NAME=FROM:TO:COUNT")
      ->allow_extra_args(false);
  command->add_option("--figure", settings->figures, "Of each walk of a sweep; again for more")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command->add_option("--threads", settings->threads, "0: one per core")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024).description(""));
  add_picture_options(*command, settings->picture, "joint angles of the walk, or maps of the sweep,");
  command->add_flag("--json", settings->json, "One JSON object on stdout");
  command->footer(command->get_footer() + "\n" + figures_text() + "\nExit code 1 when a single walk falls.");
  command->callback([settings, &run_command] { run_command = [settings] { return run(*settings); }; });
}

}  // namespace amble::app
