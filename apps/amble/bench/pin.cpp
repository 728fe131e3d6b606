#include "bench/pin.hpp"

namespace amble::bench {

PinnedThread::PinnedThread() {
  if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  const int core = sched_getcpu();
  if (core < 0 || core >= CPU_SETSIZE) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  if (sched_setaffinity(0, sizeof one, &one) == 0) core_ = core;
}

PinnedThread::~PinnedThread() {
  if (core_ >= 0) sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace amble::bench
