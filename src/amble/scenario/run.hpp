#pragma once

#include <functional>
#include <optional>

#include "amble/recording/recording_file.hpp"
#include "amble/scenario/scenario.hpp"
#include "amble/simulation/simulate.hpp"

namespace amble {

struct Stage;

struct CheckResult {
  std::string name;
  bool holds = false;
  double value = 0.0;
};

/// A scenario set up to run once.
class ScenarioRun {
 public:
  /// Throws an Error for a scenario that cannot be set up.
  explicit ScenarioRun(const Scenario& scenario);
  /// With `mechanism` in the place of the model file's.
  ScenarioRun(const Scenario& scenario, const Mechanism& mechanism);

  /// Before run(): makes a recording on the disk (HDF5) that grows with the run. Throws as RecordingFile does.
  void record_to(const std::string& path);

  /// To the end; `watch` sees the time after each step and ends the run by false, which is then returned. Throws an
  /// Error for a motion that cannot go on; the recording, that on the disk too, has what came before.
  bool run(const std::function<bool(double t)>& watch = {});

  const Recording& recording() const { return recording_; }
  std::span<const ElementPtr> elements() const { return simulator_.elements(); }
  const IntegratorReport& report() const { return simulator_.report(); }
  /// Of the motion so far.
  std::vector<CheckResult> checks();

 private:
  Scenario scenario_;
  ScenarioRun(const Scenario& scenario, const Stage& stage);

  Simulator simulator_;
  Recording recording_;
  std::optional<RecordingFile> file_;
};

}  // namespace amble
