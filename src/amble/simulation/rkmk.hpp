#pragma once

#include <functional>

#include "amble/simulation/flow.hpp"

namespace amble {

/// How exact an adaptive integrator is asked to be.
struct IntegratorOptions {
  /// On the error of one step, relative to 1 + |x| and, for configurations, in their own units.
  double tolerance = 1e-10;
  double first_step = 0.0;    ///< s; 0 lets the integrator find one
  double longest_step = 0.0;  ///< s; 0 means no bound
  long most_steps = 10'000'000;
};

/// What a run took.
struct IntegratorReport {
  long steps = 0, rejected = 0, evaluations = 0;
  double shortest_step = 0.0, longest_step = 0.0;
};

/// Runge-Kutta-Munthe-Kaas of order 5 with error control (the pair of Dormand and Prince). A step is taken in the
/// local coordinates of the configuration's own groups, q = F_q0(d) with d' = S(d)^-1 v (DS (2.72)), so the state
/// stays on its manifold by construction; numbers are stepped as they are. Owns its memory: no step allocates.
class MuntheKaasIntegrator {
 public:
  /// `flow` must outlive this.
  explicit MuntheKaasIntegrator(Flow& flow, const IntegratorOptions& options = {});

  /// Takes the state; q is empty for a flow without a mechanism.
  void set_state(double t, const VectorRef& q, const VectorRef& x);
  double t() const { return t_; }
  const OwnedVector& q() const { return q_; }
  const OwnedVector& x() const { return x_; }

  /// One step forward, no further than `end`, as long as the tolerance allows. Throws an Error with the time when the
  /// state stops being finite, steps shrink to nothing, or there are too many.
  void step(double end);
  /// Steps until `end`; `watch`, if any, sees the state after each.
  void run(double end, const std::function<void()>& watch = {});

  /// The state at a time within the last step, by an interpolant of order 4 in the same local coordinates. What
  /// Flow::after_step() did to the end of the step is not in it, but at its end. Throws an Error for any other time.
  void interpolate(double t, OwnedVector& q, OwnedVector& x) const;

  /// What the length of the next step depends on beside the state: a motion that is taken up again with it goes on as if
  /// it had not stopped. set_state() forgets it.
  struct Pace {
    double step = 0.0;  ///< s; 0 lets the integrator find one
    double error = 1.0;
  };
  Pace pace() const { return {h_, last_error_}; }
  void set_pace(const Pace& pace) { h_ = pace.step, last_error_ = pace.error; }

  const IntegratorReport& report() const { return report_; }

 private:
  static constexpr int kStages = 7;

  double laid_step(double h, bool tried) const;
  bool attempt(double h);
  double error_of(double h);
  void evaluate(int stage, double t, const double* q, const double* x, const double* d);
  void start();
  void take_over_rates();

  Flow& flow_;
  const Mechanism* mechanism_;
  IntegratorOptions options_;
  int nv_;
  double t_ = 0.0, h_ = 0.0, error_ = 0.0, last_error_ = 1.0;
  bool first_rates_known_ = false, end_rates_known_ = false;
  std::string refusal_;  // what the flow said of the last point that it refused
  double t_start_ = 0.0;  // of the last step
  OwnedVector q_start_, x_start_;
  OwnedVector q_, x_, q_stage_, x_stage_, d_, v_;
  OwnedMatrix d_rates_, x_rates_;  // a column for each stage
  mutable OwnedVector interpolated_;  // room for interpolate()
  OwnedVector d_error_, x_error_;
  IntegratorReport report_;
};

}  // namespace amble
