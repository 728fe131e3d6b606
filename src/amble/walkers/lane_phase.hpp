#pragma once

#include <limits>
#include <memory>

#include "amble/walkers/step_model.hpp"

namespace amble {

/// A phase of a step for as many states as a core has lanes, side by side: number i of the state in `lane` is
/// x[i * lanes() + lane]. What is in one lane has no effect on another. Where a state is not finite, or has
/// no acceleration, results are not numbers; nothing throws. It has memory of its own: one object a thread.
class LanePhase {
 public:
  virtual ~LanePhase() = default;
  virtual int lanes() const = 0;

  /// As those of StepPhase, m numbers a lane.
  virtual void accelerations(const double* x, double* a) = 0;
  /// The guard, then the ways to fail: 1 + failures() numbers a lane.
  virtual void guards(const double* x, double* values) = 0;
  /// Above zero in states where the end of the phase counts; a number a lane.
  virtual void counting(const double* x, double* values) = 0;
  /// 2 m_next numbers a lane.
  virtual void reset(const double* x, double* next) = 0;
};

/// Any phase, one lane after another.
class OneByOneLanes final : public LanePhase {
 public:
  /// `phase` must outlive this; its next phase has `next_freedoms` coordinates.
  OneByOneLanes(StepPhase& phase, int next_freedoms, int lanes);
  int lanes() const override { return lanes_; }
  void accelerations(const double* x, double* a) override;
  void guards(const double* x, double* values) override;
  void counting(const double* x, double* values) override;
  void reset(const double* x, double* next) override;

 private:
  template <class F>
  void each(const double* x, double* results, int size, const F& f);

  StepPhase& phase_;
  int lanes_, next_;
  std::vector<double> x_, result_;
};

}  // namespace amble
