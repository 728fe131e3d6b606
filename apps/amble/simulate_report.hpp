#pragma once

#include <nlohmann/json.hpp>

#include "amble/scenario/run.hpp"

namespace amble::app {

/// What a scenario came to, as interfaces name its parts. `finished`: whether the motion came to its end. If not, checks
/// have a value so far, but nothing holds or fails.
nlohmann::ordered_json report_json(const Recording& recording, const std::vector<CheckResult>& checks, bool finished,
                                   const std::string& file);
void print_ledger(const Ledger& books);
void print_checks(const std::vector<CheckResult>& checks, bool finished);

/// How a walker's scenario is run and told.
struct WalkScenarioCommand {
  std::string scenario;
  std::vector<std::string> set;
  std::string recording;  ///< file; empty: none
  std::string pictures;   ///< beginning of the names of pictures; empty: none
  bool json = false;
};
int simulate_walk(const WalkScenarioCommand& command);

}  // namespace amble::app
