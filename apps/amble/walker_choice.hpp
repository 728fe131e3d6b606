#pragma once

#include <CLI/App.hpp>
#include <optional>

#include "amble/gait/continuation.hpp"
#include "amble/gait/walk.hpp"
#include "amble/walkers/drive_parameters.hpp"
#include "command.hpp"

// What the commands about walkers share: which one, and gaits as JSON and as text.
namespace amble::app {

/// A walker as the command line names it.
struct WalkerChoice {
  std::string name = "compass", scuffing = "ignore";
  std::vector<std::string> set;
  std::optional<double> slope_deg;
  bool driven = false;  ///< by its drive, which it then has to have: some parameters have other defaults

  /// Throws an Error for a walker that there is not.
  const WalkerKind& kind() const;
  /// Every parameter. Throws an Error for what is no parameter, or no number.
  WalkerValues values() const;
  /// Those of another kind, by the same options.
  WalkerValues values_of(const WalkerKind& kind) const;
  /// For one that is driven: how to make it with its drive.
  const DrivenKind& driven_kind() const;
  std::unique_ptr<StepModel> make() const;
  /// With a parameter replaced.
  std::unique_ptr<StepModel> make(const std::string& parameter, double value) const;

 private:
  mutable std::shared_ptr<const WalkerKind> kind_;  // a file is read once
  mutable std::shared_ptr<const DrivenKind> driven_kind_;
};

/// Commands of `amble gait` that have a file of their own.
void add_gait_search(CLI::App& gait, Run& run);
void add_gait_codesign(CLI::App& gait, Run& run);
void add_gait_identify(CLI::App& gait, Run& run);
void add_gait_drive(CLI::App& gait, Run& run);

/// WALKER, --set, --slope, --scuffing.
void add_walker_options(CLI::App& command, WalkerChoice& choice, bool required);

/// Shows how far long work is, and stops it at Ctrl-C.
class WorkWatch {
 public:
  explicit WorkWatch(std::string what);
  ~WorkWatch();
  bool operator()(double share);
  /// For options that take a copy.
  std::function<bool(double)> callback() {
    return [this](double share) { return (*this)(share); };
  }
  bool interrupted() const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

nlohmann::ordered_json gait_json(StepModel& model, const Gait& gait);
nlohmann::ordered_json values_json(const WalkerValues& values);

/// What a model assumes, and whether it held.
nlohmann::ordered_json assumptions_json(const std::vector<Assumption>& all);
void print_assumptions(const std::vector<Assumption>& all);

/// Multipliers as people write them, "-0.2933 +- 0.3926i, 0.0865".
std::string multipliers_text(const Gait& gait);
/// Whether something gives the walker energy in its steps beside gravity.
bool powered(const WalkerKind& kind, const StepModel& model);
/// What does not count on this floor, and by how much the gait turns; empty for walkers in the plane.
std::string heading_text(const StepModel& model, const Gait& gait);

/// Why a search for passive cycles found none, and what may be wrong with what was asked for.
std::string no_cycle_text(const WalkerKind& kind, const StepModel& model, const CyclesFound& found);

}  // namespace amble::app
