#pragma once

#include <functional>
#include <vector>

#include "bench/task.hpp"

namespace amble::bench {

/// Every number is the median of this many runs.
inline constexpr int kRounds = 15;

/// Times all tasks, about `seconds` each. Runs take turns, so that whatever disturbs the machine disturbs all alike.
/// A task that throws is left alone from then on, and its timing says why. `progress` is called with the share done, 0 to 1. Throws Interrupted on Ctrl-C.
std::vector<Timing> measure(const std::vector<Task>& tasks, double seconds,
                            const std::function<void(double)>& progress);

}  // namespace amble::bench
