#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace amble::bench {

/// What is measured beside the time, by name; NaN where there is nothing to measure.
using Figures = std::vector<std::pair<std::string, double>>;

/// One number to measure: a function of a library on one robot.
struct Task {
  std::string what, library;
  std::function<void(int)> run;  ///< at one of kStates states
  int states = 1;                ///< how many states one call evaluates
  /// Functions of ours that do the same in the core's own coordinates, one after the other; for most there are none.
  std::vector<std::string> core = {};
  Figures figures = {};
  /// Figures that take a run of their own, longer with the time that a number may take; for most there is none.
  std::function<Figures(double seconds)> long_run = {};
  std::vector<double> samples = {};  ///< ns: those of a task too long to be run again, measured when it was made
};

/// Nanoseconds per call, by the CPU time of this thread.
struct Timing {
  double ns = 0.0;       ///< median
  double spread = 0.0;   ///< width of the middle half of all runs, relative to the median
  double fastest = 0.0;  ///< of all runs
  std::string failure = {};  ///< why there are no numbers, where the library gave up; else empty
};

/// Per call, counted under valgrind.
struct Count {
  double instructions = 0.0, allocations = 0.0;
};

/// A measured number, as it is printed.
struct Row {
  std::string area, robot, what, library;
  int states = 1;
  Timing timing;
  std::optional<Count> count;
  std::vector<std::string> core = {};  ///< as in Task
  Figures figures = {};                ///< as in Task

  double per_state_ns() const { return timing.ns / states; }
};

using Notes = std::vector<std::string>;

/// Adds a note unless it is there.
void add_note(Notes& notes, const std::string& note);

}  // namespace amble::bench
