#pragma once

#include "amble/simulation/integrator.hpp"

namespace amble {

/// The symplectic scheme of Euler, of order 1 with fixed steps: x1 = x0 + h xdot(q0, x0), then q1 = q0 exp(h v) with
/// v that of x1. For a flow of second order that is v1 = v0 + h a(q0, v0), q1 = q0 exp(h v1), at one evaluation a
/// step; numbers without a mechanism are stepped explicitly. Integrals, which nothing depends on, are kept by the
/// trapezoidal rule. Owns its memory: no step allocates.
class SemiImplicitIntegrator : public Integrator {
 public:
  /// `flow` must outlive this.
  explicit SemiImplicitIntegrator(Flow& flow, const IntegratorOptions& options = {});

 protected:
  void take(double end, bool exactly) override;
  double longest_step() const override { return options_.step; }
  /// What a step to that time gives.
  void interpolate_inside(double t, OwnedVector& q, OwnedVector& x) const override;
  void forget_rates() override { start_rates_known_ = end_rates_known_ = false; }
  void rewind() override { end_rates_known_ = false; }
  bool keeps_books() const override { return false; }

 private:
  void evaluate(double t, const double* q, const double* x, OwnedVector& rates);
  void find_start_rates();
  /// Of the step to come from (t, q, x), taken for h only.
  void move(double t, double h, const OwnedVector& q, const OwnedVector& x, OwnedVector& q1, OwnedVector& x1) const;

  int active_;
  bool start_rates_known_ = false, end_rates_known_ = false;
  OwnedVector q_end_, x_end_, rates_, end_rates_, v_end_;
  mutable OwnedVector v_, d_, other_rates_;  // room for move()
};

}  // namespace amble
