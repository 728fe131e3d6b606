#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "amble/base/error.hpp"
#include "amble/scenario/run.hpp"
#include "bench/interrupt.hpp"
#include "bench/progress.hpp"
#include "command.hpp"

namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kInterrupted = 130;

struct Settings {
  std::string scenario, record;
  std::vector<std::string> set;
  bool json = false;
};

Json numbers(const auto& row) { return Json(std::vector<double>(row.begin(), row.end())); }

Json ledger_json(const Ledger& books) {
  Json entries = Json::array();
  for (const LedgerEntry& e : books.entries)
    entries.push_back({{"name", e.name}, {"supplied", e.supplied}, {"delivered", e.delivered}, {"stored", e.stored},
                       {"dissipated", e.dissipated}});
  return {{"initial", books.initial},     {"final", books.final},           {"entries", entries}, {"losses", books.losses},
          {"exchanged", books.exchanged}, {"residual", books.residual()}};
}

Json report_json(const Recording& r, const std::vector<CheckResult>& checks) {
  Json events = Json::array(), results = Json::array();
  for (const RecordedEvent& e : r.events()) events.push_back({{"t", e.t}, {"name", e.name}});
  for (const CheckResult& c : checks) results.push_back({{"name", c.name}, {"holds", c.holds}, {"value", c.value}});
  const Eigen::Index last = r.rows() - 1;
  return {{"duration", r.t().back() - r.t().front()},
          {"events", events},
          {"final", {{"q", numbers(r.q().row(last))}, {"v", numbers(r.v().row(last))}}},
          {"ledger", ledger_json(r.ledger())},
          {"checks", results}};
}

void print_ledger(const Ledger& books) {
  fmt::print("{:<28} {:>14} {:>14} {:>14} {:>14}\n", "energy (J)", "supplied", "delivered", "stored", "dissipated");
  for (const LedgerEntry& e : books.entries)
    fmt::print("{:<28} {:>14.6g} {:>14.6g} {:>14.6g} {:>14.6g}\n", e.name, e.supplied, e.delivered, e.stored, e.dissipated);
  fmt::print("mechanism: {:.9g} J at first, {:.9g} J at last; {:.6g} J lost in events\n", books.initial, books.final,
             books.losses);
  fmt::print("residual {:.3g} J of {:.6g} J exchanged\n", books.residual(), books.exchanged);
}

void print_report(const Recording& r, const std::vector<CheckResult>& checks, const IntegratorReport& steps, double seconds) {
  const double simulated = r.t().back() - r.t().front();
  fmt::print("{}: {:.6g} s simulated in {:.2f} s, {} steps of {:.2g} s to {:.2g} s, {} tried in vain\n", r.mechanism().name(),
             simulated, seconds, steps.steps, steps.shortest_step, steps.longest_step, steps.rejected);
  for (const RecordedEvent& e : r.events()) fmt::print("{:>12.6f} s  {}\n", e.t, e.name);
  print_ledger(r.ledger());
  for (const CheckResult& c : checks) fmt::print("{:4}  {}: {:.9g}\n", c.holds ? "ok" : "FAIL", c.name, c.value);
}

/// Runs to the end or to Ctrl-C, with a line that tells how far it is; true at the end.
bool run_with_progress(ScenarioRun& run, const Scenario& scenario) {
  const bench::InterruptGuard guard;
  bench::Progress progress;
  const auto start = std::chrono::steady_clock::now();
  auto shown = start;
  return run.run([&](double t) {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - start).count();
    if (now - shown > std::chrono::milliseconds(200) && seconds > 1.0) {
      progress.show(fmt::format("simulated {:.3f} s, {:.2g} times real time", t, t / seconds), t / scenario.duration);
      shown = now;
    }
    return !bench::interrupted();
  });
}

int simulate(const Settings& s) {
  const Scenario scenario = load_scenario(s.scenario, s.set);
  ScenarioRun run(scenario);
  const auto start = std::chrono::steady_clock::now();
  bool finished = false;
  std::string trouble;
  try {
    finished = run_with_progress(run, scenario);
  } catch (const Error& e) {
    trouble = e.what();
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!s.record.empty()) run.recording().save_csv(s.record);
  const std::vector<CheckResult> checks = run.checks();
  if (s.json)
    fmt::print("{}", json_text(report_json(run.recording(), checks)));
  else
    print_report(run.recording(), checks, run.report(), seconds);
  if (!trouble.empty()) {
    fmt::print(stderr, "amble: error: {}\n", trouble);
    return 1;
  }
  if (!finished) return kInterrupted;
  return std::all_of(checks.begin(), checks.end(), [](const CheckResult& c) { return c.holds; }) ? 0 : 1;
}

}  // namespace

void add_simulate(CLI::App& app, Run& run) {
  auto settings = std::make_shared<Settings>();
  CLI::App* command = app.add_subcommand(
      "simulate", "Run a scenario file: the motion, its energy ledger, the checks that the file asks for");
  command->add_option("SCENARIO", settings->scenario, "A scenario file (TOML)")->required()->type_name("")->check(file_name());
  command->add_option("--set", settings->set, "Another value for a key of the file, as simulation.duration=5; again for more")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--record", settings->record, "Write the motion to this table (CSV)")->type_name("FILE")->check(file_name());
  command->add_flag("--json", settings->json, "One JSON object on stdout");
  command->footer("Exit code 1 when a check does not hold or the motion could not go on; what was recorded is kept.");
  command->callback([settings, &run] { run = [settings] { return simulate(*settings); }; });
}

}  // namespace amble::app
