#pragma once

#include <memory>

#include "amble/simulation/integrator.hpp"
#include "amble/simulation/variational_step.hpp"

namespace amble {

/// A variational integrator of fixed steps and order 2, for every joint type (see VariationalStep). It conserves
/// momenta to rounding, and the energy of a free motion stays within a band that does not grow: for motions of
/// millions of steps, where other schemes drift. Forces of a drive act at the midpoint. Owns its memory: no step
/// allocates, unless the drive does.
class VariationalIntegrator {
 public:
  /// Throws an Error for a step that is not above zero, and for a custom joint that does not move along d at a
  /// constant velocity.
  VariationalIntegrator(const Mechanism& mechanism, double step, Drive drive = {});
  void set_state(double t, const VectorRef& q, const VectorRef& v);
  double t() const { return step_.t(); }
  const OwnedVector& q() const { return step_.q(); }
  /// M^-1 p of the discrete momentum.
  const OwnedVector& v() const { return step_.v(); }

  /// Throws an Error with the time when the step is too long for its equations to be solved, or nothing is finite.
  void step();
  void run(long steps);

 private:
  VariationalStep step_;
  double h_;
  bool set_ = false;
};

/// The same scheme along a flow of second order on which forces alone act, constraints none: they act at the
/// midpoint, where integrals are taken, too; numbers of the flow's own follow by the explicit midpoint rule. A step
/// that an event or the end of a run cuts short is one of another length: it leaves the band of energy by what that
/// makes.
class VariationalFlowIntegrator : public Integrator {
 public:
  /// `flow` must outlive this. Throws an Error for a flow with constraints.
  explicit VariationalFlowIntegrator(Flow& flow, const IntegratorOptions& options = {});

 protected:
  void take(double end, bool exactly) override;
  double longest_step() const override { return options_.step; }
  /// The configuration by the cubic between the velocities at both ends, numbers linearly.
  void interpolate_inside(double t, OwnedVector& q, OwnedVector& x) const override;
  bool keeps_books() const override { return false; }

 private:
  void find_forces(double t, const OwnedVector& q, const OwnedVector& x, OwnedVector& tau);
  void predict_middle(double h);

  OwnedVector x_middle_, x_end_, rates_, v_start_, d_, tau_;
  mutable OwnedVector end_slope_, interpolated_;
  VariationalStep step_;
};

}  // namespace amble
