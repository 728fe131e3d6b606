#pragma once

#include <span>

#include "bench/report.hpp"
#include "bench/subject.hpp"
#include "bench/task.hpp"

// Tables to read. Where stdout is a terminal, ratios are coloured.
namespace amble::bench {

/// Functions of one robot by library: time, spread, ratio to ours; then instructions and allocations, where counted.
void print_robot(const Subject& subject, std::span<const Row> rows, const Libraries& libraries);
/// Chains and trees: time per call and per body for every size, and the exponent of the growth.
void print_growth(std::span<const Row> rows);

}  // namespace amble::bench
