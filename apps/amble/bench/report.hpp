#pragma once

#include <nlohmann/json.hpp>

#include "bench/machine.hpp"
#include "bench/task.hpp"

namespace amble::bench {

/// Library and its version, in the order of the columns; ours first.
using Libraries = std::vector<std::pair<std::string, std::string>>;
Libraries libraries();

/// What was measured so far, and what is to be said about it.
struct Report {
  Machine machine;
  Notes notes;
  std::vector<Row> rows;
  bool complete = false;
};

/// As `bench --json` prints it (docs/benchmark.md).
nlohmann::ordered_json report_json(const Report& report);

}  // namespace amble::bench
