#pragma once

#include <map>
#include <string>

#include "bench/task.hpp"

// Instructions and allocations per call: the program runs itself once more under valgrind's callgrind, which counts
// them for n and for 2n calls of each function; the difference is free of what surrounds the calls.
namespace amble::bench {

/// By key().
using Counts = std::map<std::string, Count>;

/// Names a number of one run; `subject` is its place in the list of robots.
std::string key(const std::string& area, int subject, const Task& task);

/// In the run under valgrind: calls the tasks and tells the other side, on stdout, which they were.
bool counting();
void count(const std::string& area, int subject, const std::vector<Task>& tasks);

struct Instructions {
  Counts counts;
  std::string kernels;  ///< those that were counted: valgrind knows AVX2 at most, and not every instruction of it
};

/// Counts everything that this program, called as it was, would time; empty, with a note, when valgrind is not there.
Instructions count_instructions(Notes& notes);

}  // namespace amble::bench
