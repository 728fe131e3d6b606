#include "amble/gait/step_down.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/gait/crew.hpp"

namespace amble {

namespace {

void add_books(const StepLedger& step, StepDownResult& r) {
  r.spent += step.spent + step.supplied, r.residual += step.residual();
  r.gravity += step.gravity, r.lost += step.lost;
  for (std::size_t law = 0; law < r.laws.size(); ++law) r.law_work[law] += step.laws[law];
}

StepDownResult take_step_down(ReturnMap& map, const VectorRef& x, const StepDownSweep& sweep, double height) {
  const auto* const controlled = dynamic_cast<const ControlledWalker*>(&map.model());
  StepDownResult r{.height = height};
  int made = 0;
  const auto look = [&](const Step&) {
    if (++made == sweep.footfall - 1 && controlled != nullptr) r.flat = controlled->figures();
    return false;
  };
  const Walk w = walk(map, x, sweep.steps, {.floor = {{height, sweep.footfall}}, .finished = look, .samples = false});
  r.survived = !w.fell, r.failure = w.failure, r.steps = static_cast<int>(w.steps.size()), r.exchanged = w.exchanged();
  r.laws = w.laws, r.law_work.resize(w.laws.size());
  for (int i = 0; i < r.steps; ++i) {
    add_books(w.steps[static_cast<std::size_t>(i)], r);
    if (i + 2 == sweep.footfall) r.flat_spent = r.spent;
  }
  if (w.fell) add_books(w.last, r);
  if (controlled != nullptr) r.control = controlled->figures();
  return r;
}

}  // namespace

std::vector<StepDownResult> sweep_step_down(const StepModel& walker, const VectorRef& x, const StepDownSweep& sweep) {
  if (sweep.steps <= sweep.footfall)
    throw Error(fmt::format("a walk of {} steps is over before what comes after footfall {} is seen", sweep.steps,
                            sweep.footfall));
  for (const double height : sweep.heights) StepDown{height, sweep.footfall}.validate();
  std::vector<StepDownResult> out(sweep.heights.size());
  const auto worker = [&] {
    return [&, map = std::make_shared<ReturnMap>(walker, ReturnMap::Options{sweep.tolerance})](int i) {
      out[static_cast<std::size_t>(i)] = take_step_down(*map, x, sweep, sweep.heights[static_cast<std::size_t>(i)]);
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
