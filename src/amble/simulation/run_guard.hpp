#pragma once

#include <string>

#include "amble/simulation/flow.hpp"

namespace amble {

/// Watches a run: a state with a number that is not finite, a velocity beyond the limit 'state_growth' or a
/// coordinate beyond 'length' is refused, and a run that goes nowhere is ended. Of a flow of first order only
/// coordinates have a bound, since its numbers have no common unit. Allocates nothing but for the report.
class RunGuard {
 public:
  /// `flow` must outlive this.
  explicit RunGuard(Flow& flow);

  /// A motion starts here. Throws an Error for a state that is beyond the limits.
  void start(double t, const OwnedVector& q, const VectorRef& x);
  /// Of a step from one state to another. Throws an Error with the worst number, when, and where the energy
  /// came from.
  void check(double t0, const OwnedVector& q0, const OwnedVector& x0, double t, const OwnedVector& q,
             const OwnedVector& x) const;
  /// Throws an Error when the last steps, as many as the limit 'stalled_steps', did not advance time
  /// noticeably.
  void note_progress(double t0, double t);
  /// "the velocity of joint 'knee' stops being finite", by the first such number of d (nv) or x.
  std::string not_finite(const VectorRef& d, const VectorRef& x) const;

 private:
  bool good(const double* q, const double* x) const;
  std::string growth(const char* verb, const double* q, const double* x) const;
  std::string velocity_name(int i) const;
  double energy(const double* q, const double* x) const;

  Flow& flow_;
  const Mechanism* mechanism_;
  int nq_, nv_, velocities_;  // how many of x are velocities
  double t_start_ = 0.0, initial_ = 0.0;
  OwnedVector q_first_, x_first_;
  int stalled_ = 0;
};

}  // namespace amble
