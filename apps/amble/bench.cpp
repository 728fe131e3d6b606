#include <fmt/format.h>

#include <cstdio>

#include "amble/base/error.hpp"
#include "bench/area.hpp"
#include "bench/feet.hpp"
#include "bench/instructions.hpp"
#include "bench/interrupt.hpp"
#include "bench/machine.hpp"
#include "bench/measure.hpp"
#include "bench/peers.hpp"
#include "bench/pin.hpp"
#include "bench/progress.hpp"
#include "bench/report.hpp"
#include "bench/state.hpp"
#include "bench/table.hpp"
#include "build_facts.hpp"
#include "command.hpp"

namespace amble::app {

namespace {

using namespace amble::bench;

struct Settings {
  std::string area;
  std::vector<std::string> robots, feet;
  LoadOptions load;
  double seconds = 0.15;
  bool growth = false, instructions = false, json = false;

  void validate() const {
    if (!(seconds > 0.0 && seconds <= 60.0))
      throw Error(fmt::format("--seconds is {}, expected more than 0 and at most 60", seconds));
  }
};

void print_notes(std::span<const std::string> notes) {
  for (const std::string& note : notes) fmt::print("  note: {}\n", note);
}

void print_header(const Report& report, const std::string& counted_kernels) {
  const Machine& m = report.machine;
  fmt::print("{}, {} cores, {} kernels; {}, {}\n", m.processor, m.cores, m.kernels, kCompiler, kBuildType);
  fmt::print(
      "CPU time of one {} thread; median of {} runs over {} random states, ± width of the middle half\n",
      m.core < 0 ? "unpinned" : "pinned", kRounds, kStates);
  if (!counted_kernels.empty())
    fmt::print("then instructions / allocations per call, counted with {} kernels\n", counted_kernels);
  print_notes(report.notes);
}

/// The command at work: robots one by one, each printed when it is done.
class Bench {
 public:
  Bench(const Settings& settings, Report& report)
      : settings_(settings),
        report_(report),
        areas_(areas(settings.area)),
        subjects_(settings.growth ? growing_robots() : robots(settings.robots, settings.load)) {
    if (settings.area == "control" && settings.robots.empty() && !settings.growth) add_reference_robots();
    for (Subject& subject : subjects_)
      if (!subject.growth && subject.closed.size() == 0 && subject.stands.size() == 0 &&
          subject.walker.empty())
        subject.feet = feet_of(subject.robot, settings.feet);
  }

  void count_only() {
    Notes ignored;
    for (const Area& area : areas_)
      for (int i = 0; i < static_cast<int>(subjects_.size()); ++i)
        count(area.name, i, area.tasks(subjects_[i], ignored));
  }

  void run() {
    for (const std::string& warning : build_warnings()) {
      fmt::print(stderr, "amble: warning: {}\n", warning);
      report_.notes.push_back(warning);
    }
    if (settings_.instructions) {
      progress_.show("counting instructions under valgrind", 0.0);
      instructions_ = count_instructions(report_.notes);
    }
    progress_.clear();
    if (!settings_.json) print_header(report_, settings_.growth ? "" : instructions_.kernels);
    for (const Area& area : areas_)
      for (int i = 0; i < static_cast<int>(subjects_.size()); ++i) measure_robot(area, i);
    if (settings_.growth && !settings_.json) print_growth(report_.rows);
    if (!settings_.growth) add_peer_notes();
    report_.complete = true;
  }

 private:
  void add_reference_robots() {
    std::vector<Subject> more = reference_robots();
    if (more.empty())
      report_.notes.push_back(
          "talos_reduced.urdf, on which other controllers are measured, is not here: set AMBLE_ROBOTS to its "
          "folder");
    subjects_.insert(subjects_.begin(), std::make_move_iterator(more.begin()),
                     std::make_move_iterator(more.end()));
  }

  void measure_robot(const Area& area, int index) {
    const Subject& subject = subjects_[index];
    Notes notes;
    const std::vector<Task> tasks = area.tasks(subject, notes);
    if (tasks.empty() && notes.empty()) return;
    const std::string title = fmt::format("{}: {}", area.name, subject.name);
    const std::vector<Timing> timings =
        measure(tasks, settings_.seconds, [&](double share) { progress_.show(title, share); });
    const std::size_t before = report_.rows.size();
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      report_.rows.push_back({area.name, subject.name, tasks[i].what, tasks[i].library, tasks[i].states,
                              timings[i], counted(key(area.name, index, tasks[i])), tasks[i].core,
                              tasks[i].figures});
      if (!tasks[i].long_run) continue;
      progress_.show(fmt::format("{}: {}, a long run", title, tasks[i].what), 0.0);
      for (const auto& figure : tasks[i].long_run(settings_.seconds))
        report_.rows.back().figures.push_back(figure);
    }
    progress_.clear();
    for (std::size_t i = 0; i < tasks.size(); ++i)
      if (!timings[i].failure.empty())
        add_note(notes,
                 fmt::format("{}: {} failed: {}", tasks[i].what, tasks[i].library, timings[i].failure));
    for (const std::string& note : notes) report_.notes.push_back(subject.name + ": " + note);
    if (settings_.json || settings_.growth) return;
    print_robot(subject, std::span(report_.rows).subspan(before), libraries());
    print_notes(notes);
    std::fflush(stdout);
  }

  std::optional<Count> counted(const std::string& name) const {
    const auto at = instructions_.counts.find(name);
    return at == instructions_.counts.end() ? std::nullopt : std::optional(at->second);
  }

  void add_peer_notes() {
    if (!settings_.json && !peers().notes.empty()) fmt::print("\n");
    if (!settings_.json) print_notes(peers().notes);
    for (const std::string& note : peers().notes) add_note(report_.notes, note);
  }

  const Settings& settings_;
  Report& report_;
  std::vector<Area> areas_;
  std::vector<Subject> subjects_;
  Instructions instructions_;
  Progress progress_;
};

int bench(const Settings& s) {
  s.validate();
  const PinnedThread pinned;
  Report report{.machine = machine(pinned.core())};
  Bench work(s, report);
  if (counting()) return work.count_only(), 0;
  const InterruptGuard guard;
  try {
    work.run();
  } catch (const Interrupted&) {
  }
  if (s.json) fmt::print("{}", json_text(report_json(report)));
  return report.complete ? 0 : kInterrupted;
}

}  // namespace

void amble_command(CLI::App& command, Run& run) {
  auto settings = std::make_shared<Settings>();
  command
      .add_option("--area", settings->area,
                  "Only this area: dynamics, constraints, simulation, contact, gaits, control or geometry "
                  "(default: all)")
      ->type_name("AREA");
  CLI::Option* robot =
      command.add_option("--robot", settings->robots,
                         "A model file, or humanoid, quadruped, arm7 or, for constraints, four_bar, "
                         "n_four_bar_10, n_four_bar_40, stewart_platform or, for contact, "
                         "stack_5x5x5 or, for gaits, compass (default: all of these)");
  robot->check(file_name())->type_name("FILE");
  command
      .add_option("--feet", settings->feet,
                  "Bodies or frames to stand on, for constrained dynamics: one or two held in all six "
                  "directions, more "
                  "at a point each (default: the ends of the limbs that reach lowest in the neutral pose)")
      ->delimiter(',')
      ->type_name("NAME");
  command
      .add_option("--seconds", settings->seconds,
                  "CPU time for each number (default: 0.15, with which control also runs for 600 000 ticks: "
                  "ten minutes)")
      ->type_name("S");
  command.add_flag("--instructions", settings->instructions,
                   "Also count instructions and allocations per call, under valgrind");
  command.add_flag("--growth", settings->growth, "Instead: chains and trees of 10, 100 and 1000 bodies")
      ->excludes(robot);
  command.add_flag("--json", settings->json, "One JSON object on stdout");
  add_load_options(command, settings->load);
  command.callback([settings, &run] { run = [settings] { return bench(*settings); }; });
}

}  // namespace amble::app
