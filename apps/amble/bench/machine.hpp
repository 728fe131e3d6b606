#pragma once

#include <string>

#include "bench/task.hpp"

namespace amble::bench {

/// What the numbers depend on.
struct Machine {
  std::string processor;
  int cores = 0;
  int core = -1;        ///< the thread was kept on this one; -1 if it was not
  std::string kernels;  ///< instruction set of our inner loops
};

Machine machine(int core);
/// Why times of this build mean little; empty when it is as users run it.
Notes build_warnings();

}  // namespace amble::bench
