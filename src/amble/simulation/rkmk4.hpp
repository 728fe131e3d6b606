#pragma once

#include "amble/simulation/integrator.hpp"

namespace amble {

/// Runge-Kutta-Munthe-Kaas of order 4 with fixed steps: the classical scheme of Kutta in the local coordinates that
/// MuntheKaasIntegrator works in. Owns its memory: no step allocates.
class FixedMuntheKaasIntegrator : public Integrator {
 public:
  /// `flow` must outlive this.
  explicit FixedMuntheKaasIntegrator(Flow& flow, const IntegratorOptions& options = {});

 protected:
  void take(double end, bool exactly) override;
  double longest_step() const override { return options_.step; }
  /// By the interpolant of order 3 of the same stages.
  void interpolate_inside(double t, OwnedVector& q, OwnedVector& x) const override;

 private:
  static constexpr int kStages = 4;

  void evaluate(int stage, double t);

  OwnedVector q_stage_, x_stage_, d_, v_;
  OwnedMatrix d_rates_, x_rates_;     // a column for each stage
  mutable OwnedVector interpolated_;  // room for interpolate_inside()
};

}  // namespace amble
