#pragma once

#include "bench/task.hpp"

/// Calls a task at one state after the other. Callgrind finds this function by its name and counts inside it only; a
/// file of its own keeps compilers from inlining or copying it.
extern "C" void amble_bench_counted(const amble::bench::Task& task, int calls);
