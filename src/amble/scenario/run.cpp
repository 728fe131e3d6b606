#include "amble/scenario/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "amble/base/names.hpp"
#include "amble/scenario/contact_checks.hpp"
#include "amble/scenario/quantities.hpp"
#include "amble/scenario/run_length.hpp"
#include "amble/scenario/stage.hpp"

namespace amble {

namespace {

CheckResult result_of(const ScenarioCheck& check, const Recording& r, const RunFacts& facts) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const double value = quantity_of(check.quantity, r, facts);
  return {check.name, value >= check.above.value_or(-kNone) && value <= check.below.value_or(kNone), value};
}

const Scenario& checked(const Scenario& s) {
  check_run_length(s);
  return s;
}

Simulator simulator_of(const Scenario& s, const Stage& stage) {
  const IntegratorOptions options{.tolerance = s.tolerance, .step = s.step};
  const std::vector<std::string> known = integrator_names();
  if (std::find(known.begin(), known.end(), s.integrator) == known.end())
    throw Error(fmt::format("{}: 'simulation.integrator' is '{}'{}, expected one of {}", s.file, s.integrator,
                            suggestion(s.integrator, known), fmt::join(known, ", ")));
  return naming_file(s, [&] {
    Simulator out(stage.mechanism, stage.elements, stage.constraints, {.integrator = options, .method = s.integrator});
    out.reset(stage.q, stage.v);
    return out;
  });
}

}  // namespace

ScenarioRun::ScenarioRun(const Scenario& scenario) : ScenarioRun(scenario, set_up(scenario)) {}
ScenarioRun::ScenarioRun(const Scenario& scenario, const Mechanism& mechanism)
    : ScenarioRun(scenario, set_up(scenario, mechanism)) {}

ScenarioRun::ScenarioRun(const Scenario& scenario, const Stage& stage)
    : scenario_(checked(scenario)),
      simulator_(simulator_of(scenario, stage)),
      recording_(simulator_.mechanism()) {
  RecordingOrigin origin = recording_.origin();
  origin.scenario = scenario.text, origin.file = scenario.file, origin.settings = scenario.settings;
  recording_.set_origin(std::move(origin));
  Recording first(simulator_.mechanism());  // a wrong name is told before a long run
  first.add(0.0, simulator_.q(), simulator_.v(), 0.0, 0.0);
  naming_file(scenario_, [&] {
    for (const ScenarioCheck& check : scenario_.checks) quantity_of(check.quantity, first, {});
  });
}

void ScenarioRun::record_to(const std::string& path) {
  if (!is_recording_name(path)) throw Error(fmt::format("{}: expected a name that ends in .h5 or .hdf5", path));
  record_state(simulator_, recording_);
  file_.emplace(path, recording_);
}

bool ScenarioRun::run(const std::function<bool(double t)>& watch) {
  const auto record_and_watch = [&](double t) {
    if (file_) file_->update(recording_);
    return !watch || watch(t);
  };
  const auto finish = [&] {
    if (file_) file_->finish(recording_);
    file_.reset();
  };
  bool going = false;
  try {
    going = simulate(simulator_, scenario_.duration, scenario_.interval, recording_, record_and_watch);
  } catch (...) {
    finish();
    throw;
  }
  finish();
  return going;
}

std::vector<CheckResult> ScenarioRun::checks() {
  ConstrainedFlow* const constrained = simulator_.constrained();
  const RunFacts facts{constrained == nullptr ? 0.0 : constrained->dynamics().violation().cwiseAbs().maxCoeff(),
                       torque_use(recording_, simulator_.elements())};
  std::vector<CheckResult> out;
  for (const ScenarioCheck& check : scenario_.checks) out.push_back(result_of(check, recording_, facts));
  return out;
}

}  // namespace amble
