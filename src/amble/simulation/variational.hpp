#pragma once

#include "amble/dynamics/dynamics.hpp"
#include "amble/ports/drive.hpp"

namespace amble {

/// A variational integrator of fixed steps and order 2, for every joint type: the discrete action of the midpoint rule on
/// the joints' own groups, L_d = h L(q0 exp(d/2), d/h) with q1 = q0 exp(d), is made stationary. It conserves momenta to
/// rounding, and the energy of a free motion stays within a band that does not grow: for motions of millions of steps,
/// where other schemes drift. Forces of a drive act at the midpoint. Owns its memory: no step allocates, unless the drive
/// does.
class VariationalIntegrator {
 public:
  /// Throws an Error for a step that is not above zero, and for a custom joint that does not move along d at a constant
  /// velocity.
  VariationalIntegrator(const Mechanism& mechanism, double step, Drive drive = {});
  VariationalIntegrator(VariationalIntegrator&&) noexcept;
  ~VariationalIntegrator();

  void set_state(double t, const VectorRef& q, const VectorRef& v);
  double t() const;
  const OwnedVector& q() const;
  /// M^-1 p of the discrete momentum.
  const OwnedVector& v() const;

  /// Throws an Error with the time when the step is too long for its equations to be solved, or nothing is finite.
  void step();
  void run(long steps);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace amble
