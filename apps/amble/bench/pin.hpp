#pragma once

#include <sched.h>

namespace amble::bench {

/// Keeps this thread on the core it is on, until destroyed: a move costs caches and clock.
class PinnedThread {
 public:
  PinnedThread();
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;
  ~PinnedThread();

  /// The core, or -1 where the system does not let us choose.
  int core() const { return core_; }

 private:
  cpu_set_t before_;
  int core_ = -1;
};

}  // namespace amble::bench
