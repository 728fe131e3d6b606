#include "bench/measure.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <exception>

#include "bench/interrupt.hpp"
#include "bench/state.hpp"

namespace amble::bench {

namespace {

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// The value below which the share `p` of the sorted samples lies, between neighbours in proportion.
double quantile(const std::vector<double>& sorted, double p) {
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

class Series {
 public:
  Series(const Task& task, double seconds_per_run) : task_(task) {
    samples_ = task.samples;
    if (samples_.empty()) attempt([&] { warm_up(seconds_per_run); });
  }

  void sample() {
    if (task_.samples.empty()) attempt([&] { samples_.push_back(run(calls_) / static_cast<double>(calls_) * 1e9); });
  }

  Timing timing() const {
    if (!failure_.empty()) return {NAN, NAN, NAN, failure_};
    std::vector<double> sorted = samples_;
    std::sort(sorted.begin(), sorted.end());
    const double median = quantile(sorted, 0.5);
    return {median, (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / median, sorted.front()};
  }

 private:
  double run(long calls) {
    check_interrupt();
    const double start = thread_seconds();
    for (long i = 0; i < calls; ++i) {
      task_.run(state_);
      state_ = (state_ + 1) % kStates;
    }
    return thread_seconds() - start;
  }

  template <class Work>
  void attempt(Work work) {
    if (failure_.empty()) try {
        work();
      } catch (const std::exception& e) {
        failure_ = e.what();
      }
  }

  /// Finds how many calls fill a run.
  void warm_up(double seconds_per_run) {
    double seconds = run(1);
    while (seconds < 0.5 * seconds_per_run) {
      calls_ *= std::clamp(static_cast<long>(seconds_per_run / std::max(seconds, 1e-9)), 2L, 16L);
      seconds = run(calls_);
    }
    calls_ = std::max(1L, std::lround(static_cast<double>(calls_) * seconds_per_run / seconds));
  }

  const Task& task_;
  int state_ = 0;
  long calls_ = 1;
  std::vector<double> samples_;
  std::string failure_;
};

}  // namespace

std::vector<Timing> measure(const std::vector<Task>& tasks, double seconds,
                            const std::function<void(double)>& progress) {
  std::vector<Series> all;
  progress(0.0);
  for (const Task& task : tasks) all.emplace_back(task, seconds / (kRounds + 2));  // warming up takes about two runs
  for (int round = 0; round < kRounds; ++round) {
    progress((round + 2.0) / (kRounds + 2.0));
    for (Series& series : all) series.sample();
  }
  std::vector<Timing> timings;
  for (const Series& series : all) timings.push_back(series.timing());
  return timings;
}

}  // namespace amble::bench
