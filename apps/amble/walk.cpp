#include "amble/gait/walk.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/base/text_file.hpp"
#include "amble/gait/drive_sweep.hpp"
#include "amble/gait/walk_recording.hpp"
#include "amble/io/source.hpp"
#include "amble/report/drive_figures.hpp"
#include "amble/report/gait_figures.hpp"
#include "amble/report/plot.hpp"
#include "amble/report/scene_page.hpp"
#include "amble/report/scene_stream.hpp"
#include "amble/report/walk_report.hpp"
#include "amble/scenario/walk_scenario.hpp"
#include "controller_choice.hpp"
#include "driven_text.hpp"
#include "found_gait.hpp"
#include "picture_files.hpp"
#include "simulate_report.hpp"
#include "walk_humanoid.hpp"
#include "walk_robot.hpp"

namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

struct Settings {
  WalkerChoice walker;
  int steps = 20, starts = 400;
  std::optional<double> speed;
  std::uint64_t seed = 1;
  StepDown down;
  std::string controller;
  ControllerChoice control;
  WalkerSearch search;  // of an efficient gait
  std::string html, record, pictures, folder = "amble-out";
  bool json = false, no_record = false;
  RobotWalk robot;
};

constexpr double kRobotSpeed = 0.2;   // m/s, of a legged robot unless asked for
constexpr double kNearlyLevel = 0.3;  // degrees: a slope in radians looks like that

void print_gait(const Settings& s, StepModel& model, const Gait& gait, std::size_t cycles) {
  fmt::print("{}: {}, on a floor of {:.6g} degrees\n", s.walker.kind().name, s.walker.kind().summary,
             s.walker.values().at("slope_deg"));
  fmt::print("{} {}gait{} found{}\n\n", cycles, powered(s.walker.kind(), model) ? "" : "passive ",
             cycles == 1 ? "" : "s", cycles == 1 ? "" : "; this one is taken:");
  fmt::print("  step            {:.6f} m in {:.6f} s, {:.6f} m/s\n", gait.step_length, gait.period,
             gait.speed);
  const std::vector<std::string> names = model.coordinates();
  std::string start;
  for (std::size_t i = 0; i < names.size(); ++i)
    start += fmt::format("{}{} = {:.6f}", i == 0 ? "" : ", ", names[i], gait.x[i]);
  for (std::size_t i = 0; i < names.size(); ++i)
    start += fmt::format(", d{} = {:.6f}", names[i], gait.x[names.size() + i]);
  fmt::print("  starts with     {}\n", start);
  fmt::print("  multipliers     {}\n", multipliers_text(gait));
  fmt::print("  {}\n", stability_note(gait));
  if (const std::string text = heading_text(model, gait); !text.empty()) fmt::print("  {}\n", text);
  fmt::print("  energy lost     {:.6f} J a step; cost of transport {:.6f}\n", gait.energy_lost,
             gait.cost_of_transport);
  if (gait.energy_supplied != 0.0) fmt::print("  push-off gives  {:.6f} J a step\n", gait.energy_supplied);
  fmt::print("\n");
}

void print_walk(const Walk& walk, int footfalls) {
  const char* const unit = footfalls == 1 ? "step" : "stride";
  fmt::print("{:>6} {:>9} {:>9} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12} {:>10}\n", unit, "s", "m",
             "gravity", "springs", "dampers", "push-offs", "laws", "impacts", "kinetic", "residual");
  const auto row = [](const std::string& name, const StepLedger& s) {
    fmt::print(
        "{:>6} {:9.6f} {:9.6f} {:12.6f} {:12.6f} {:12.6f} {:12.6f} {:12.6f} {:12.6f} {:12.6f} {:10.2g}\n",
        name, s.period, s.length, s.gravity, s.springs, s.dampers, s.supplied, s.controlled(), -s.lost,
        s.kinetic, s.residual());
  };
  StepLedger sum;
  for (std::size_t i = 0; i < walk.steps.size(); ++i) {
    const StepLedger& s = walk.steps[i];
    row(fmt::format("{}", i + 1), s);
    sum.period += s.period, sum.length += s.length, sum.gravity += s.gravity, sum.springs += s.springs;
    sum.dampers += s.dampers, sum.lost += s.lost, sum.kinetic += s.kinetic, sum.supplied += s.supplied;
    if (sum.laws.empty()) sum.laws.resize(s.laws.size());
    for (std::size_t law = 0; law < s.laws.size(); ++law) sum.laws[law] += s.laws[law];
  }
  row("all", sum);
  fmt::print("energies in J; residual {:.3g} J of {:.6g} J exchanged\n", walk.residual(), walk.exchanged());
  for (std::size_t law = 0; law < walk.laws.size(); ++law)
    fmt::print("  {} law: {:.6g} J\n", walk.laws[law], sum.laws.empty() ? 0.0 : sum.laws[law]);
  if (walk.fell)
    fmt::print("after {} of {} {}s the walker {}\n", walk.steps.size(), walk.asked, unit, walk.failure);
  else
    fmt::print("walked {} {}s, {:.6f} m in {:.6f} s\n", walk.steps.size(), unit, walk.distance(),
               walk.duration());
  print_assumptions(walk.assumptions);
}

/// A file of the walk in its folder.
std::string path_of(const Settings& s, const char* ending) {
  make_folder(s.folder);
  return (std::filesystem::path(s.folder) / fmt::format("walk_{}{}", s.walker.kind().name, ending)).string();
}

/// Where the report goes.
std::string report_path(const Settings& s) { return s.html.empty() ? path_of(s, ".html") : s.html; }

/// Where the recording goes: beside the report; empty when there is to be none.
std::string recording_path(const Settings& s) {
  if (s.no_record || !s.record.empty()) return s.record;
  return s.html.empty() ? path_of(s, ".h5") : std::filesystem::path(s.html).replace_extension(".h5").string();
}

std::string command_of(const Settings& s) {
  std::string command =
      fmt::format("amble walk {} --steps {} --starts {} --seed {}", s.walker.name, s.steps, s.starts, s.seed);
  if (s.speed) command += fmt::format(" --speed {}", *s.speed);
  if (s.walker.slope_deg) command += fmt::format(" --slope {}", *s.walker.slope_deg);
  for (const std::string& set : s.walker.set) command += " --set " + set;
  if (s.down.height != 0.0)
    command += fmt::format(" --step-down {} --footfall {}", s.down.height, s.down.footfall);
  if (!s.controller.empty()) command += " --controller " + s.controller;
  if (s.search.foot_speed != 0.0) command += fmt::format(" --foot-speed {}", s.search.foot_speed);
  if (s.search.clearance != 0.0) command += fmt::format(" --clearance {}", s.search.clearance);
  if (s.search.knee_bend != 0.0) command += fmt::format(" --knee-bend {}", s.search.knee_bend);
  for (const std::string& gain : s.control.gains) command += " --gain " + gain;
  if (s.walker.scuffing != "ignore") command += " --scuffing " + s.walker.scuffing;
  if (s.walker.driven) command += " --drive";
  return command;
}

std::vector<std::tuple<std::string, double, std::string>> parameters_of(const Settings& s) {
  std::vector<std::tuple<std::string, double, std::string>> all;
  const WalkerValues values = s.walker.values();
  for (const WalkerParameter& p : s.walker.kind().parameters)
    all.emplace_back(p.name, values.at(p.name), p.unit);
  return all;
}

/// What one should know who looks at the walk.
std::vector<std::string> notes_of(const Walk& walk, const std::string& first) {
  std::vector<std::string> out{first};
  if (walk.fell)
    out.push_back(
        fmt::format("after {} of {} steps the walker {}", walk.steps.size(), walk.asked, walk.failure));
  for (const Assumption& a : walk.assumptions)
    if (!a.holds())
      out.push_back(fmt::format("assumed, but does not hold: {} (margin {:.4g}{})", a.name, a.margin,
                                a.unit == "1" ? "" : " " + a.unit));
  return out;
}

/// The walk recorded, and as a page: both for the report.
struct Recorded {
  std::string file, scene;
};
Recorded record(const Settings& s, StepModel& model, const Walk& walk, const std::string& note) {
  Recording recording = walk_recording(model, walk);
  RecordingOrigin origin = recording.origin();
  origin.command = command_of(s), origin.seed = s.seed, origin.notes = notes_of(walk, note);
  recording.set_origin(std::move(origin));
  Recorded out{.file = recording_path(s)};
  if (!out.file.empty()) recording.save(out.file);
  out.scene =
      scene_page(scene_stream(recording, {.file = std::filesystem::path(out.file).filename().string()}));
  return out;
}

/// The figures of the report one by one.
void write_pictures(const Settings& s, StepModel& model, const Walk& walk, const std::optional<Gait>& gait) {
  if (s.pictures.empty()) return;
  const PictureFolder folder(s.pictures);
  folder.write("stick-figures", stick_figures(model, walk));
  folder.write("energy-per-step", energy_per_step(walk));
  folder.write("phase-portrait", svg(phase_portrait(model, walk)));
  if (gait) folder.write("return-map", svg(return_map(model, *gait)));
}

WalkReport report_of(const Settings& s, const CyclesFound& found, const Gait& gait,
                     const Recorded& recorded) {
  return {.walker = s.walker.kind().name,
          .summary = s.walker.kind().summary,
          .command = command_of(s),
          .parameters = parameters_of(s),
          .cycles = found.cycles,
          .gait = gait,
          .recording = recorded.file,
          .scene = recorded.scene};
}

void note_tiny_slope(const Settings& s) {
  const double degrees = s.walker.values().at("slope_deg");
  if (s.walker.slope_deg && degrees > 0.0 && degrees < kNearlyLevel)
    fmt::print(stderr,
               "amble: note: --slope takes degrees, and {} is nearly level; {} rad would be --slope {:.6g}\n",
               degrees, degrees, degrees * 180.0 / std::numbers::pi);
}

/// What was written of a walk.
struct Written {
  std::string report, recording;
};

/// The last lines on stdout.
void print_written(const Written& files) {
  fmt::print("\nreport: {}\n", files.report);
  if (!files.recording.empty())
    fmt::print("recording: {} (amble view {})\n", files.recording, files.recording);
}
Json json_of(const Written& files) { return files.recording.empty() ? Json() : Json(files.recording); }

Json walk_json(const Walk& w, int footfalls) {
  return {{"steps", w.steps.size()},
          {"footfalls", w.steps.size() * static_cast<std::size_t>(footfalls)},
          {"fell", w.fell},
          {"failure", w.fell ? Json(w.failure) : Json()},
          {"energy_residual", w.residual()},
          {"exchanged", w.exchanged()},
          {"spent", w.spent()}};
}

constexpr double kLevelSpeed = 0.5;  // m/s, where the floor is level and no speed is asked for

/// A gait that was searched for, walked: as it is, or by a walker whose controller follows it.
struct EfficientWalk {
  std::unique_ptr<StepModel> model;
  Walk walk;
  std::string stability;      ///< in words
  std::optional<Gait> cycle;  ///< of the walker under its controller, with its multipliers
};

EfficientWalk followed(const Settings& s, const GaitMotion& motion) {
  ReturnMap map(s.control.make(*s.walker.make(), motion, s.controller));
  EfficientWalk out{.walk = walk(map, motion.start(), s.steps, s.down)};
  out.model = map.model().clone();
  ReturnMap level(*out.model);
  if (const NewtonResult cycle = find_cycle(level, motion.start()); cycle.converged) {
    out.cycle = gait_at(level, cycle.x);
    out.stability = fmt::format("under the controller '{}': {}", s.controller, stability_note(*out.cycle));
  } else {
    out.stability = fmt::format("under the controller '{}' no step repeats itself", s.controller);
  }
  return out;
}

EfficientWalk efficient_walk(const Settings& s, const SearchFigures& figures, const FoundGait& gait) {
  if (!s.controller.empty()) {
    WalkerChoice through = s.walker;
    through.scuffing = "ignore";
    return followed(s, gait_motion(*through.make(), gait));
  }
  return {s.walker.make(),
          walk_of(s.walker.kind(), figures, gait, s.steps),
          "the motion is given: its stability is that of a controller that follows it",
          {}};
}

Written write_efficient_report(const Settings& s, const GaitSearchResult& found, const SearchFigures& figures,
                               const EfficientWalk& walked) {
  const WalkerKind& kind = s.walker.kind();
  const Recorded recorded = record(s, *walked.model, walked.walk, walked.stability);
  const EfficientWalkReport report{
      .walker = s.walker.name,
      .summary = kind.summary,
      .command = command_of(s),
      .parameters = parameters_of(s),
      .gaits = found.gaits,
      .figures = figures,
      .curves = actuator_curves(kind, s.walker.values(), s.search, found.gaits.front()),
      .stability = walked.stability,
      .recording = recorded.file,
      .scene = recorded.scene};
  const std::string file = report_path(s);
  write_text_file(file, walk_page(*walked.model, report, walked.walk));
  write_pictures(s, *walked.model, walked.walk, walked.cycle);
  return {file, recorded.file};
}

Json efficient_gait_json(const Settings& s, const GaitSearchResult& found, const EfficientWalk& walked) {
  Json gait = found_gait_json(s.walker, s.search, found.gaits[0]);
  if (!walked.cycle) return gait;
  const Json cycle = gait_json(*walked.model, *walked.cycle);
  gait["multipliers"] = cycle.at("multipliers"), gait["stable"] = cycle.at("stable");
  return gait;
}

/// None when the search was stopped.
std::optional<GaitSearchResult> efficient_gaits(const Settings& s, double speed) {
  GaitSearchSettings settings;
  settings.program.speed = speed;
  WorkWatch watch("searching for an efficient gait");
  settings.solver.watch = [&](const NlpProgress&) { return watch(0.0); };
  const GaitSearchResult found =
      search_gaits(search_problem(s.walker.kind(), s.walker.values(), s.search), settings);
  if (watch.interrupted()) return {};
  return found;
}

/// Walks with actuators: the most efficient gait at a speed, DS Definition 4.2.
int run_efficient_walk(const Settings& s) {
  const double speed = s.speed.value_or(kLevelSpeed);
  const std::optional<GaitSearchResult> searched = efficient_gaits(s, speed);
  if (!searched) return kInterrupted;
  const GaitSearchResult& found = *searched;
  if (!found.found()) {
    fmt::print(stderr, "amble: error: {}\n", no_search_text(speed, found));
    return kFailed;
  }
  const FoundGait& gait = found.gaits[0];
  const SearchFigures f = figures_of(s.walker.kind(), s.walker.values(), s.search, gait);
  const EfficientWalk walked = efficient_walk(s, f, gait);
  const Walk& w = walked.walk;
  const Written files = write_efficient_report(s, found, f, walked);
  if (s.json) {
    fmt::print("{}", json_text({{"walker", s.walker.kind().name},
                                {"parameters", values_json(s.walker.values())},
                                {"gait", efficient_gait_json(s, found, walked)},
                                {"walk", walk_json(w, walked.model->footfalls())},
                                {"assumptions", assumptions_json(w.assumptions)},
                                {"report", files.report},
                                {"recording", json_of(files)}}));
    return w.fell ? kFailed : 0;
  }
  fmt::print("{}: {}, on a floor of {:.6g} degrees, at {:.6g} m/s with an actuator at {}\n\n",
             s.walker.kind().name, s.walker.kind().summary, s.walker.values().at("slope_deg"), speed,
             s.search.unactuated.empty()
                 ? std::string("every coordinate")
                 : fmt::format("every coordinate but {}", fmt::join(s.search.unactuated, ", ")));
  print_found_gaits(s.walker, s.search, found.gaits);
  fmt::print(
      "\nthe best one, each step: actuators {:+.6f} J, gravity {:+.6f} J, impacts and dampers {:+.6f} J, "
      "residual {:.2g} J; cost of transport {:.6f}\n",
      f.actuator_work, f.gravity_work, -f.lost, f.residual(), f.lost / (f.weight * gait.step_length));
  if (s.controller.empty()) {
    fmt::print("{} steps: {:.6f} m in {:.6f} s; the motion is given, so its stability is its controller's\n",
               s.steps, s.steps * gait.step_length, s.steps * gait.duration);
    print_assumptions(w.assumptions);
  } else {
    fmt::print("{}\n", walked.stability);
    if (walked.cycle) fmt::print("multipliers: {}\n\n", multipliers_text(*walked.cycle));
    print_walk(w, walked.model->footfalls());
    fmt::print("actuators spent {:.6g} J\n", w.spent());
  }
  print_written(files);
  return w.fell ? kFailed : 0;
}

/// The walker as it is asked to walk: under a controller, or by itself.
std::unique_ptr<StepModel> walked_model(const Settings& s, const StepModel& walker, const StepModel& through,
                                        const Gait& gait) {
  if (s.controller.empty()) return walker.clone();
  return s.control.make(walker, gait_motion(through, gait), s.controller).clone();
}

/// None when the search was stopped.
std::optional<CyclesFound> passive_gaits(const Settings& s, const StepModel& model) {
  WorkWatch watch("looking for passive gaits");
  const CyclesFound found =
      find_cycles(model, region_of(model), {.starts = s.starts, .seed = s.seed, .watch = watch.callback()});
  if (watch.interrupted()) return {};
  return found;
}

constexpr double kDrivenFor = 10.0;  // s, at least

/// The same walker on contacts, with its motor, sampled controller and magnets: as many steps, from the start
/// that its drive names; none when it was stopped.
std::optional<DrivenWalk> driven_walk(const DrivenWalker& walker, const Settings& s, const Gait& gait) {
  WorkWatch watch("walking by its drive");
  const DrivenWalk out = walk_driven(
      walker,
      {.duration = std::max(kDrivenFor, s.steps * gait.period), .interval = 0.005, .watch = watch.callback()});
  if (watch.interrupted()) return {};
  return out;
}

int run_humanoid(const Settings& s) {
  if (s.speed || !s.controller.empty() || s.walker.driven || s.down.height != 0.0)
    throw Error(
        "walk humanoid: --speed, --controller, --drive and --step-down are for walkers with gaits; expected "
        "--steps and --set "
        "step_length=, step_width=, step_time=, friction=");
  const auto path = [&](const char* ending) {
    make_folder(s.folder);
    return (std::filesystem::path(s.folder) / fmt::format("walk_humanoid{}", ending)).string();
  };
  const std::string report = s.html.empty() ? path(".html") : s.html;
  const std::string beside =
      s.html.empty() ? path(".h5") : std::filesystem::path(s.html).replace_extension(".h5").string();
  return walk_humanoid({s.walker, s.steps, report,
                        s.no_record        ? ""
                        : s.record.empty() ? beside
                                           : s.record,
                        s.json});
}

int run_robot(const Settings& s) {
  if (!s.controller.empty() || s.walker.driven || s.down.height != 0.0 || !s.walker.set.empty() || s.walker.slope_deg)
    throw Error(
        "walk ROBOT_FILE: --controller, --drive, --step-down, --set and --slope are for walkers with gaits; expected "
        "--speed, --side, --turn, --push, --gait, --floor-friction, --feet, --steps");
  const std::string name = "walk_" + std::filesystem::path(s.walker.name).stem().string();
  if (s.html.empty()) make_folder(s.folder);
  const std::filesystem::path report =
      s.html.empty() ? std::filesystem::path(s.folder) / (name + ".html") : std::filesystem::path(s.html);
  RobotWalk walk = s.robot;
  walk.file = s.walker.name, walk.steps = s.steps, walk.json = s.json;
  walk.speed = s.speed.value_or(kRobotSpeed), walk.report = report.string();
  if (!s.no_record) walk.recording = s.record.empty() ? std::filesystem::path(report).replace_extension(".h5").string() : s.record;
  return walk_robot(walk);
}

int run_walk(const Settings& s) {
  if (is_robot_file(s.walker.name)) return run_robot(s);
  if (s.robot.given())
    throw Error("--side, --turn, --push, --gait, --feet and --floor-friction are for model files of legged robots");
  if (s.walker.name == "humanoid") return run_humanoid(s);
  if (s.walker.name.ends_with(".toml") && is_walk_scenario(read_text(s.walker.name), s.walker.name))
    return simulate_walk({s.walker.name, s.walker.set, "", "", s.json});
  std::optional<DrivenWalker> with_drive;
  if (s.walker.driven) with_drive = s.walker.driven_kind()(s.walker.values());
  s.down.validate();
  const bool level = s.walker.values().at("slope_deg") == 0.0;
  if (s.speed || (level && !powered(s.walker.kind(), *s.walker.make()))) {
    if (s.controller.empty() && s.down.height != 0.0)
      throw Error(
          "--step-down: the motion of an efficient gait is given, and meets no other floor; expected a "
          "--controller that follows it");
    return run_efficient_walk(s);
  }
  // A gait is found with its feet let through the floor; whether it then walks is seen as was asked for.
  WalkerChoice through = s.walker;
  through.scuffing = "ignore";
  const std::unique_ptr<StepModel> model = through.make(), walker = s.walker.make();
  note_tiny_slope(s);
  const std::optional<CyclesFound> passive = passive_gaits(s, *model);
  if (!passive) return kInterrupted;
  const CyclesFound& found = *passive;
  if (found.cycles.empty()) {
    if (s.json)
      fmt::print("{}", json_text({{"walker", s.walker.kind().name},
                                  {"parameters", values_json(s.walker.values())},
                                  {"gait", nullptr}}));
    fmt::print(stderr, "amble: error: {}\n", no_cycle_text(s.walker.kind(), *model, found));
    return kFailed;
  }
  const Gait& gait = most_stable(found.cycles);
  ReturnMap map(*walked_model(s, *walker, *model, gait));
  const Walk walked = walk(map, gait.x, s.steps, s.down);
  const Recorded recorded = record(s, map.model(), walked, stability_note(gait));
  const Written files{report_path(s), recorded.file};
  std::optional<DrivenWalk> driven;
  WalkReport report = report_of(s, found, gait, recorded);
  if (with_drive) {
    driven = driven_walk(*with_drive, s, gait);
    if (!driven) return kInterrupted;
    report.further = driven_section(*with_drive, *driven);
  }
  write_text_file(files.report, walk_page(map.model(), report, walked));
  write_pictures(s, map.model(), walked, gait);
  if (s.json) {
    fmt::print("{}", json_text({{"walker", s.walker.kind().name},
                                {"parameters", values_json(s.walker.values())},
                                {"gait", gait_json(*model, gait)},
                                {"walk", walk_json(walked, model->footfalls())},
                                {"driven", driven ? driven_json(*driven) : Json()},
                                {"assumptions", assumptions_json(walked.assumptions)},
                                {"report", files.report},
                                {"recording", json_of(files)}}));
  } else {
    print_gait(s, *model, gait, found.cycles.size());
    print_walk(walked, model->footfalls());
    if (driven) {
      fmt::print("\nwith its motor, sampled controller and magnets, on contacts:\n");
      print_driven(*driven);
    }
    print_written(files);
  }
  return walked.fell || (driven && driven->fell) ? kFailed : 0;
}

}  // namespace

namespace {

void add_robot_options(CLI::App& command, RobotWalk& robot) {
  command.add_option("--side", robot.side, "Of a legged robot: speed to the left (m/s)")->type_name("MPS");
  command.add_option("--turn", robot.turn, "Of a legged robot: turning rate to the left (rad/s)")->type_name("RADPS");
  command
      .add_option("--push", robot.pushes,
                  "Of a legged robot: a force on its torso (N) from a time on, for 0.1 s or a duration; again for more")
      ->type_name("FX,FY,FZ@T[:DURATION]")
      ->allow_extra_args(false);
  command.add_option("--gait", robot.gait, "Of a robot with four or more legs: trot, walk, pace, bound, flying_trot, tripod")
      ->type_name("NAME");
  command.add_option("--floor-friction", robot.friction, "Of a legged robot: Coulomb's coefficient of the floor")
      ->capture_default_str()
      ->type_name("MU");
  command.add_option("--feet", robot.feet, "Of a legged robot: what its file lacks (TOML, docs/legged-robots.md)")
      ->type_name("FILE")
      ->check(file_name());
}

}  // namespace

void amble_command(CLI::App& command, Run& run) {
  auto settings = std::make_shared<Settings>();
  add_walker_options(command, settings->walker, false);
  command.add_option("--steps", settings->steps, "How many to walk")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000).description(""))
      ->type_name("N");
  auto* speed = command.add_option(
      "--speed", settings->speed,
      "Walk at this speed (m/s), with actuators: the most efficient gait (on a level floor: 0.5 "
      "m/s unless given)");
  speed->type_name("MPS");
  command.add_option("--starts", settings->starts, "Cold starts of the search")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000000).description(""))
      ->type_name("N");
  command.add_option("--seed", settings->seed, "Of the search")->capture_default_str()->type_name("N");
  command
      .add_option("--step-down", settings->down.height,
                  "The floor is lower by this (m) from a footfall on, which the walker does not expect")
      ->type_name("M");
  command.add_option("--footfall", settings->down.footfall, "From which footfall")
      ->capture_default_str()
      ->type_name("N")
      ->check(CLI::Range(1, 1000000).description(""));
  std::vector<std::string> kinds;
  for (const WalkControllerKind& kind : walk_controller_kinds()) kinds.push_back(kind.name);
  auto* controller = command.add_option("--controller", settings->controller,
                                        "Keeps the walker on its gait, its own or with --speed an efficient "
                                        "one: none (but its stance foot is watched), pd or port");
  controller->type_name("NAME")->check(CLI::IsMember(kinds).description(""));
  add_controller_options(command, settings->control);
  add_swing_options(command, settings->search);
  for (const char* about : {"--gain", "--torque-limit", "--friction", "--unactuated"})
    command.get_option(about)->needs(controller);
  command
      .add_flag("--drive", settings->walker.driven,
                "By its motor and controller (DS 5.3): the gait of a controller that acts all the time, "
                "then a simulated walk with "
                "the sampled one")
      ->excludes(speed, controller);
  add_robot_options(command, settings->robot);
  auto* folder = command.add_option("-o", settings->folder, "Folder for the report and the recording")
                     ->capture_default_str()
                     ->type_name("DIR")
                     ->check(file_name());
  command.add_option("--html", settings->html, "Write the report to this file")
      ->type_name("FILE")
      ->check(file_name())
      ->excludes(folder);
  auto* record = command.add_option("--record", settings->record,
                                    "Record the walk in this file (.h5, .csv) instead of beside the report");
  record->type_name("FILE")->check(file_name());
  command.add_flag("--no-record", settings->no_record, "Write no recording")->excludes(record);
  command
      .add_option("--pictures", settings->pictures, "Write the report's figures to this folder (SVG and PNG)")
      ->type_name("DIR")
      ->check(file_name());
  command.add_flag("--json", settings->json, "One JSON object on stdout");
  command.footer(command.get_footer() +
                 "\nExit code 1 when no gait is found or the walker falls.\n"
                 "Of the humanoid, cost_of_transport is the net work of its joints over weight and way, "
                 "actuator_cost_of_transport their positive work alone.");
  command.callback([settings, &command, &run] {
    if (!settings->controller.empty()) {
      WalkerSearch& search = settings->search;
      if (command.count("--foot-speed") == 0) search.foot_speed = followable().foot_speed;
      if (command.count("--knee-bend") == 0) search.knee_bend = followable().knee_bend;
      search = within(search, settings->control.limits);
    }
    run = [settings] { return run_walk(*settings); };
  });
}

}  // namespace amble::app
