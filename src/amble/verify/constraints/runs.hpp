#pragma once

#include "amble/constraints/carried_constraints.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/simulation/motion_flows.hpp"
#include "amble/simulation/rkmk.hpp"
#include "amble/verify/constraints/models.hpp"

// A constrained mechanism followed through time.
namespace amble {

class ConstrainedRun {
 public:
  ConstrainedRun(const Motion& start, std::vector<ConstraintPtr> constraints, Drive drive = {},
                 double tolerance = 1e-12)
      : mechanism_(start.m),
        work_(mechanism_),
        flow_(ConstrainedDynamics(mechanism_, std::move(constraints)), std::move(drive)),
        run_(flow_, {.tolerance = tolerance}) {
    run_.set_state(0.0, start.q, start.v);
  }
  /// With what it carries.
  explicit ConstrainedRun(const Motion& start, double tolerance = 1e-12)
      : ConstrainedRun(start, constraints_of(start.m), {}, tolerance) {}

  ConstrainedRun& to(double t) {
    run_.run(t);
    return *this;
  }
  const OwnedVector& q() const { return run_.q(); }
  const OwnedVector& v() const { return run_.x(); }
  double q(const char* joint) const { return run_.q()[mechanism_.q_slice(joint).start]; }
  double v(const char* joint) const { return run_.x()[mechanism_.v_slice(joint).start]; }
  double energy() { return kinetic_energy(mechanism_, work_, q(), v()) + potential_energy(mechanism_, work_, q()); }
  /// The largest |phi(q)| after a step, before it was brought back.
  double worst_violation() const { return flow_.worst_violation(); }
  ConstrainedDynamics& dynamics() { return flow_.dynamics(); }

 private:
  Mechanism mechanism_;
  Workspace work_;
  ConstrainedFlow flow_;
  MuntheKaasIntegrator run_;
};

}  // namespace amble
