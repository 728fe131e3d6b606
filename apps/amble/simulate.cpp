#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "amble/base/error.hpp"
#include "amble/io/source.hpp"
#include "amble/recording/certificates.hpp"
#include "amble/recording/load_recording.hpp"
#include "amble/scenario/replay.hpp"
#include "amble/scenario/walk_scenario.hpp"
#include "bench/interrupt.hpp"
#include "bench/progress.hpp"
#include "command.hpp"
#include "ledger_report.hpp"
#include "simulate_report.hpp"

namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

struct Settings {
  std::string scenario, record, folder = "amble-out", replay;
  std::vector<std::string> set;
  bool json = false, no_record = false, pictures = false;
};

void print_certificates(const std::vector<Certificate>& certificates) {
  for (const Certificate& c : certificates)
    fmt::print("{}: {:.2g} ({}; {:.0e} at most)\n", c.name, c.value, c.unit, c.bound);
}

void print_report(const Recording& r, const IntegratorReport& steps, double seconds,
                  const std::string& file) {
  const double simulated = r.t().back() - r.t().front();
  fmt::print("{}: {:.6g} s simulated in {:.2f} s, {} steps of {:.2g} s to {:.2g} s, {} tried in vain{}\n",
             r.mechanism().name(), simulated, seconds, steps.steps, steps.shortest_step, steps.longest_step,
             steps.rejected, file.empty() ? "" : fmt::format("; recorded in {}", file));
  for (const RecordedEvent& e : r.events()) fmt::print("{:>12.6f} s  {}\n", e.t, e.name);
  print_ledger(r.ledger());
  print_certificates(certificates(r));
}

/// A watch that stops at Ctrl-C and shows how far the run is.
class Watch {
 public:
  explicit Watch(double end) : end_(end) {}
  bool operator()(double t) {
    const Clock::time_point now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    if (std::chrono::duration<double>(now - shown_).count() > progress_.pause() && seconds > 1.0) {
      progress_.show(fmt::format("simulated {:.3f} s, {:.2g} times real time", t, t / seconds), t / end_);
      shown_ = now;
    }
    return !bench::interrupted();
  }

 private:
  using Clock = std::chrono::steady_clock;
  double end_;
  bench::InterruptGuard guard_;
  bench::Progress progress_;
  Clock::time_point start_ = Clock::now(), shown_ = start_;
};

/// Where the recording goes; empty when there is to be none.
std::string recording_path(const Settings& s) {
  if (s.no_record) return "";
  if (!s.record.empty()) return s.record;
  const std::filesystem::path name = std::filesystem::path(s.scenario).stem().concat(".h5");
  std::error_code problem;
  std::filesystem::create_directories(s.folder, problem);
  if (problem) throw Error(fmt::format("{}: the folder cannot be made: {}", s.folder, problem.message()));
  return (s.folder / name).string();
}

void check_recording_name(const std::string& path) {
  if (!path.empty() && !is_recording_name(path) && !path.ends_with(".csv"))
    throw Error(fmt::format("--record {}: expected a name that ends in .h5, .hdf5 or .csv", path));
}

/// Beside the recording, or in the folder.
std::string pictures_start(const Settings& s, const std::string& recording) {
  if (!s.pictures) return "";
  if (!recording.empty()) return std::filesystem::path(recording).replace_extension("").string();
  std::filesystem::create_directories(s.folder);
  return (std::filesystem::path(s.folder) / std::filesystem::path(s.scenario).stem()).string();
}

int simulate(const Settings& s) {
  if (is_walk_scenario(read_text(s.scenario), s.scenario)) {
    check_recording_name(s.record);
    const std::string file = recording_path(s);
    return simulate_walk({s.scenario, s.set, file, pictures_start(s, file), s.json});
  }
  if (s.pictures)
    throw Error(fmt::format("{}: --svg is for scenarios of walkers; 'amble view' shows others", s.scenario));
  const Scenario scenario = load_scenario(s.scenario, s.set);
  check_recording_name(s.record);
  ScenarioRun run(scenario);
  const std::string file = recording_path(s);
  if (is_recording_name(file)) run.record_to(file);
  const auto start = std::chrono::steady_clock::now();
  bool finished = false;
  std::string trouble;
  try {
    Watch watch(scenario.duration);
    finished = run.run(std::ref(watch));
  } catch (const Error& e) {
    trouble = e.what();
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!file.empty() && !is_recording_name(file)) run.recording().save(file);
  const std::vector<CheckResult> checks = run.checks();
  if (s.json) {
    fmt::print("{}", json_text(report_json(run.recording(), checks, finished, file)));
  } else {
    print_report(run.recording(), run.report(), seconds, file);
    print_checks(checks, finished);
  }
  for (const std::string& warning : warnings(certificates(run.recording())))
    fmt::print(stderr, "amble: warning: {}\n", warning);
  if (const std::string note = stiffness_note(run.report()); !note.empty())
    fmt::print(stderr, "amble: note: {}\n", note);
  if (!trouble.empty()) {
    fmt::print(stderr, "amble: error: {}\n", trouble);
    return 1;
  }
  if (!finished) return kInterrupted;
  return std::all_of(checks.begin(), checks.end(), [](const CheckResult& c) { return c.holds; }) ? 0 : 1;
}

int replay_file(const Settings& s) {
  skip_hdf5_tidying();
  const Recording recording = load_recording(s.replay);
  const double end = recording.rows() == 0 ? 0.0 : recording.t().back();
  Replay result;
  bool stopped = false;
  {
    Watch watch(end);
    result = replay(recording, [&](double t) { return !(stopped = !watch(t)); });
  }
  if (s.json)
    fmt::print("{}", json_text({{"same", result.same},
                                {"rows", result.rows},
                                {"complete", recording.complete()},
                                {"difference", result.same ? Json() : Json(result.difference)}}));
  else if (result.same)
    fmt::print("{}: {} states to {:.6g} s, the same to the last bit\n", s.replay, result.rows, end);
  else
    fmt::print("{}: differs: {}\n", s.replay, result.difference);
  return stopped ? kInterrupted : result.same ? 0 : 1;
}

}  // namespace

void amble_command(CLI::App& command, Run& run) {
  auto settings = std::make_shared<Settings>();
  auto* scenario = command.add_option("SCENARIO", settings->scenario, "A scenario file (TOML)")
                       ->type_name("")
                       ->check(file_name());
  auto* set =
      command.add_option("--set", settings->set,
                         "Another value for a key of the file, as simulation.duration=5; again for more");
  set->type_name("KEY=VALUE")->allow_extra_args(false);
  auto* folder =
      command.add_option("-o", settings->folder, "Folder for the recording, which is named as the scenario");
  folder->type_name("DIR")->capture_default_str()->check(file_name());
  auto* record =
      command.add_option("--record", settings->record,
                         "Record to this file: .h5 (HDF5, grows with the run) or .csv (a table, at the end)");
  record->type_name("FILE")->excludes(folder)->check(file_name());
  auto* none = command.add_flag("--no-record", settings->no_record, "Record nothing")
                   ->excludes(record)
                   ->excludes(folder);
  auto* again =
      command.add_option("--replay", settings->replay,
                         "Run the scenario of this recording (.h5) again and compare to the last bit");
  again->type_name("FILE")->check(file_name())->excludes(scenario, set, folder, record, none);
  command.add_flag("--svg", settings->pictures, "Of a walker's scenario: pictures beside the recording")
      ->excludes(again);
  command.add_flag("--json", settings->json, "One JSON object on stdout");
  command.footer(
      "Exit code 1 when a check does not hold, the motion could not go on (checks are then not judged) or "
      "the replay "
      "differs; what was recorded is kept.");
  command.callback([settings, scenario, again, &run] {
    if (scenario->count() + again->count() == 0) throw CLI::RequiredError("SCENARIO");
    run = [settings] { return settings->replay.empty() ? simulate(*settings) : replay_file(*settings); };
  });
}

}  // namespace amble::app
