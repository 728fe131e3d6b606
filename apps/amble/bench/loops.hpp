#pragma once

#include "bench/subject.hpp"
#include "bench/task.hpp"

namespace amble::bench {

/// Accelerations of a mechanism under its loops, at states where these are closed, and the same by peers.
void add_loop_tasks(const Subject& subject, std::vector<Task>& tasks, Notes& notes);

}  // namespace amble::bench
