#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace amble {

/// Runs `make()` once on each thread and the worker it returns for every index below `count`, in any order:
/// worker(i). The calling thread works too, and calls `watch`, if any, with the share that is done; false
/// stops. The first error is thrown again here. `threads` 0 is one per core.
template <class Make>
void share_work(int count, int threads, const Make& make, const std::function<bool(double)>& watch = {}) {
  std::atomic<int> next = 0;
  std::atomic<bool> stopped = false;
  std::exception_ptr trouble;
  std::mutex mutex;
  const auto work = [&](bool first) {
    try {
      auto worker = make();
      for (int i; !stopped && (i = next++) < count;) {
        worker(i);
        if (first && watch && !watch(static_cast<double>(i) / count)) stopped = true;
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!trouble) trouble = std::current_exception();
      stopped = true;
    }
  };
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> crew;
  for (int i = 1; i < std::min(threads > 0 ? threads : cores, count); ++i)
    crew.emplace_back([&] { work(false); });
  work(true);
  for (std::thread& thread : crew) thread.join();
  if (trouble) std::rethrow_exception(trouble);
}

}  // namespace amble
