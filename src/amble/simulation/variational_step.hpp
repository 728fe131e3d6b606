#pragma once

#include "amble/dynamics/dynamics.hpp"
#include "amble/ports/drive.hpp"

namespace amble {

/// One step of the variational integrator, of any length: the discrete action of the midpoint rule on the joints' own
/// groups, L_d = h L(q0 exp(d/2), d/h) with q1 = q0 exp(d), made stationary. Forces of a drive act at the midpoint:
/// it is called once for each iterate, last at the solution.
class VariationalStep {
 public:
  /// Throws an Error for a custom joint that does not move along d at a constant velocity.
  VariationalStep(const Mechanism& mechanism, Drive drive);

  void set_state(double t, const VectorRef& q, const VectorRef& v);
  /// Moves on by h. Throws an Error with the time when the step is too long for its equations to be solved, or
  /// nothing is finite.
  void take(double h);

  const Mechanism& mechanism() const { return mechanism_; }
  double t() const { return t_; }
  const OwnedVector& q() const { return q_; }
  /// M^-1 p of the discrete momentum.
  const OwnedVector& v() const { return v_; }
  /// Of the last step.
  const OwnedVector& d() const { return d_; }
  long evaluations() const { return evaluations_; }

 private:
  static constexpr int kKept = 10;

  void transpose(double scale, OwnedVector& x) const;
  void transpose_inverse(double scale, OwnedVector& x) const;
  void evaluate_middle(double h);
  int choose_step(int known);
  void solve_for_d(double h);

  Mechanism mechanism_;
  Workspace work_;
  Drive drive_;
  double t_ = 0.0, last_h_ = 0.0;
  long evaluations_ = 0;
  std::vector<int> turning_;
  OwnedVector q_, q_middle_, v_, p_, d_, half_, speed_, force_, pulled_, w_, residual_;
  OwnedVector change_;  // of v in the last step
  OwnedMatrix steps_;   // of the iteration, the last kKept
};

}  // namespace amble
