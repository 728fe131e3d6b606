#include "amble/gait/step_down.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/gait/crew.hpp"

namespace amble {

std::vector<StepDownResult> sweep_step_down(const StepModel& walker, const VectorRef& x, const StepDownSweep& sweep) {
  if (sweep.steps <= sweep.footfall)
    throw Error(fmt::format("a walk of {} steps is over before what comes after footfall {} is seen", sweep.steps,
                            sweep.footfall));
  std::vector<StepDownResult> out(sweep.heights.size());
  const auto worker = [&] {
    return [&, map = std::make_shared<ReturnMap>(walker, ReturnMap::Options{sweep.tolerance})](int i) {
      const double height = sweep.heights[static_cast<std::size_t>(i)];
      const Walk w = walk(*map, x, sweep.steps, {.floor = {{height, sweep.footfall}}, .samples = false});
      out[static_cast<std::size_t>(i)] = {height, !w.fell, w.failure, static_cast<int>(w.steps.size()),
                                          w.spent(), w.residual(), w.exchanged()};
    };
  };
  share_work(static_cast<int>(out.size()), sweep.threads, worker, sweep.watch);
  return out;
}

StepDownLimit limit_of(const std::vector<StepDownResult>& results) {
  StepDownLimit limit{-1.0, -1.0};
  bool sure = true;
  for (const StepDownResult& r : results) {
    sure = sure && r.survived;
    if (sure) limit.sure = r.height;
    if (r.survived) limit.largest = r.height;
  }
  return limit;
}

}  // namespace amble
