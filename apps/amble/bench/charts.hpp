#pragma once

#include "amble/mechanism/mechanism.hpp"
#include "bench/state.hpp"
#include "bench/task.hpp"

namespace amble::bench {

/// The chart form at the same states, where a joint takes a chart: each call sets the state, then evaluates.
void add_chart_tasks(const Mechanism& m, const std::vector<State>& states, std::vector<Task>& tasks, Notes& notes);

}  // namespace amble::bench
