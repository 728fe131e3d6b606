#pragma once

#include <optional>

#include "amble/control/walking/controlled_walker.hpp"
#include "amble/gait/walk.hpp"

namespace amble {

/// How a walker takes steps down of several heights that it does not expect, DS 5.2.3.
struct StepDownSweep {
  std::vector<double> heights;  ///< m, increasing
  int footfall = 5, steps = 20;
  double tolerance = 1e-10;  ///< of the integrator
  int threads = 0;           ///< 0: one per core
  std::function<bool(double)> watch = {};
};

/// A walk over one step down. Its books are those of all steps, one that ended in a fall included.
struct StepDownResult {
  double height = 0.0;
  bool survived = false;
  std::string failure;   ///< how it fell
  int steps = 0;         ///< completed
  double spent = 0.0;    ///< positive work of actuators (J)
  double residual = 0.0, exchanged = 0.0;  ///< of the books (J)
  double gravity = 0.0, lost = 0.0;        ///< what gravity gave, what impacts took (J)
  std::vector<std::string> laws = {};      ///< of its controller
  std::vector<double> law_work = {};       ///< what each delivered (J)
  /// Of a walker under a controller: along the whole walk, and along its steps before that footfall.
  std::optional<ControlFigures> control = {}, flat = {};
  double flat_spent = 0.0;  ///< J, before that footfall
};

/// Survival is not monotone: a walker may fall at a height and survive a larger one.
struct StepDownLimit {
  double sure = 0.0;   ///< this and every smaller height of the sweep was survived; below zero: not even the first
  double largest = 0.0;  ///< the largest that was
};

/// From the state `x` at each height. `survived`: all steps were made.
std::vector<StepDownResult> sweep_step_down(const StepModel& walker, const VectorRef& x, const StepDownSweep& sweep);
StepDownLimit limit_of(const std::vector<StepDownResult>& results);

}  // namespace amble
