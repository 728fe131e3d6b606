#pragma once

#include <limits>

#include "amble/constraints/constrained_dynamics.hpp"
#include "amble/dynamics/coordinates/chart_dynamics.hpp"
#include "amble/dynamics/coordinates/chart_switching.hpp"
#include "amble/ports/drive.hpp"
#include "amble/simulation/flow.hpp"

// One motion, three descriptions: velocities, momenta, chart coordinates. A drive gives the forces of the joints.
namespace amble {

/// What flows over a mechanism's own configuration have in common: nv numbers beside it.
class MechanismFlow : public Flow {
 public:
  const Mechanism* mechanism() const override { return &mechanism_; }
  int size() const override { return mechanism_.nv(); }

 protected:
  MechanismFlow(const Mechanism& mechanism, Drive drive);

  Mechanism mechanism_;
  Workspace work_;
  Drive drive_;
  OwnedVector q_, v_, tau_;
};

/// (q, v): x is v.
class VelocityFlow : public MechanismFlow {
 public:
  explicit VelocityFlow(const Mechanism& mechanism, Drive drive = {}) : MechanismFlow(mechanism, std::move(drive)) {}
  void rates(double t, const double* q, const double* x, double* v, double* xdot) override;
  bool second_order() const override { return true; }
  void check_forces() const override {}
  void forces(double t, const double* q, const double* x, double* tau, double* xdot) override;
};

/// (Q, p) of DS Theorem 2.18: x is p = M(Q) v.
class MomentumFlow : public MechanismFlow {
 public:
  explicit MomentumFlow(const Mechanism& mechanism, Drive drive = {}) : MechanismFlow(mechanism, std::move(drive)) {}
  void rates(double t, const double* q, const double* x, double* v, double* xdot) override;
};

/// (q, v) under constraints: x is v. After a step that left the constraints by more than `drift` (m, rad, m/s,
/// rad/s), the state is projected back.
///
/// Where a mechanism passes through a singular configuration (a parallelogram that lies flat) its constraints lose
/// rank for an instant and another branch of motion begins there, but the motion on its own branch is smooth. The
/// flow sees such a configuration coming and has steps laid across it, so that the motion is continued and never
/// evaluated there; an Error says so when the branches cannot be told apart on the other side.
class ConstrainedFlow : public Flow {
 public:
  explicit ConstrainedFlow(ConstrainedDynamics dynamics, Drive drive = {},
                           ConstraintMethod method = ConstraintMethod::multipliers, double drift = 1e-11);
  const Mechanism* mechanism() const override { return &dynamics_.mechanism(); }
  int size() const override { return dynamics_.mechanism().nv(); }
  void rates(double t, const double* q, const double* x, double* v, double* xdot) override;
  bool after_step(double t, double* q, double* x) override;
  void forgive(double t, const double* q, const double* x, double* q_error, double* x_error) override;
  double singular_time() const override { return singular_time_; }
  bool second_order() const override { return true; }

  ConstrainedDynamics& dynamics() { return dynamics_; }
  /// How often the state was brought back, and the largest |phi(q)| seen before.
  long projections() const { return projections_; }
  double worst_violation() const { return worst_; }
  /// How often a singular configuration was passed.
  long singularities_passed() const { return passed_; }

 private:
  void look_ahead(double t, double violation);
  void check_branch(double t, double violation) const;

  ConstrainedDynamics dynamics_;
  Drive drive_;
  ConstraintMethod method_;
  double drift_, worst_ = 0.0;
  long projections_ = 0, passed_ = 0;
  double singular_time_ = std::numeric_limits<double>::infinity();
  double straight_ =
      std::numeric_limits<double>::infinity();  // where a straight line through the last two values meets zero
  bool near_singular_ = false;
  double t_ = -std::numeric_limits<double>::infinity(), regularity_ = -1.0;  // after the last step; negative before
  OwnedVector longest_;  // rows so far, see ConstrainedDynamics::regularity()
  OwnedVector q_, v_, tau_;
};

/// BK's chart coordinates: x is (q_chart, qdot_chart), and there is no configuration beside it.
class ChartFlow : public Flow {
 public:
  /// With a switcher, three-parameter charts are left when they near their singularity; `switching` false keeps them.
  explicit ChartFlow(const ChartCoordinates& coordinates, Drive drive = {}, bool switching = true,
                     const ChartSwitchOptions& options = {});
  const Mechanism* mechanism() const override { return nullptr; }
  int size() const override { return 2 * coordinates().size(); }
  void rates(double t, const double* q, const double* x, double* v, double* xdot) override;
  bool after_step(double t, double* q, double* x) override;

  /// In the charts of now.
  const ChartCoordinates& coordinates() const { return switcher_.coordinates(); }
  std::span<const ChartSwitch> switches() const { return switcher_.log(); }
  /// As ChartDynamics has it; 1/s.
  void set_stabilisation_rate(double rate);
  /// x from the mechanism's own numbers, and back.
  OwnedVector state(const VectorRef& q, const VectorRef& v) const;
  OwnedVector configuration(const VectorRef& x) const;
  OwnedVector velocity(const VectorRef& x) const;

 private:
  ChartSwitcher switcher_;
  ChartDynamics dynamics_;
  Drive drive_;
  bool switching_;
  double stabilisation_rate_ = 0.0;
  OwnedVector tau_;
};

}  // namespace amble
