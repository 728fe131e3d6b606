#pragma once

#include "amble/simulation/integrator.hpp"

namespace amble {

/// Runge-Kutta-Munthe-Kaas of order 5 with error control (the pair of Dormand and Prince). A step is taken in the
/// local coordinates of the configuration's own groups, q = F_q0(d) with d' = S(d)^-1 v (DS (2.72)), so the state
/// stays on its manifold by construction; numbers are stepped as they are. Owns its memory: no step allocates.
class MuntheKaasIntegrator : public Integrator {
 public:
  /// `flow` must outlive this.
  explicit MuntheKaasIntegrator(Flow& flow, const IntegratorOptions& options = {});

 protected:
  void take(double end, bool exactly) override;
  /// By an interpolant of order 4 in the same local coordinates.
  void interpolate_inside(double t, OwnedVector& q, OwnedVector& x) const override;
  void forget_rates() override { first_rates_known_ = end_rates_known_ = false; }
  void rewind() override { end_rates_known_ = false; }

 private:
  static constexpr int kStages = 7;

  bool attempt(double h);
  double error_of(double h);
  void evaluate(int stage, double t, const double* q, const double* x, const double* d);
  void start();
  void take_over_rates();
  void adapt(double h);
  void look_for_stiffness(double h);

  double error_ = 0.0;  // of the last attempt, in tolerances
  bool first_rates_known_ = false, end_rates_known_ = false;
  std::string refusal_;  // what the flow said of the last point that it refused
  int calm_steps_ = 0;   // since a stiff one
  OwnedVector q_stage_, x_stage_, d_, v_;
  OwnedVector d_before_, x_before_;  // of the stage before the last, at the same time
  OwnedMatrix d_rates_, x_rates_;  // a column for each stage
  mutable OwnedVector interpolated_;  // room for interpolate_inside()
  OwnedVector d_error_, x_error_;
};

}  // namespace amble
