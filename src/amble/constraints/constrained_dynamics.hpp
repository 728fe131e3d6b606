#pragma once

#include <span>

#include "amble/constraints/constraint.hpp"
#include "amble/dynamics/dynamics.hpp"

// Mechanisms under constraints: M a + bias = tau + A^T lambda, A v = b, A a + gamma = 0. ZB 3, DS 2.4.
namespace amble {

/// Three ways to the same accelerations.
enum class ConstraintMethod {
  multipliers,        ///< lambda from A M^-1 A^T, DS (2.94)
  pseudo_velocities,  ///< on a basis of the velocities that A allows, ZB (21), (22)
  reduced_momenta,    ///< momenta p = S alpha with A M^-1 S = 0, DS Theorem 2.21
};

struct ConstrainedOptions {
  /// Brings back what an integrator lets slip (1/s): A a + gamma = -damping (A v - b) as DS (2.95) has it, and for
  /// rows with a phi(q) also -damping (A v - b) - damping^2 phi (Baumgarte, critically damped).
  double damping = 0.0;
  /// Rows whose share not explained by others is smaller than this (relative, in the metric of M^-1) are redundant.
  /// Rows that repeat others only while a loop is closed have a share in proportion to what an integrator's stages
  /// leave open.
  double redundancy = 1e-6;
};

/// Constraints on a mechanism at a state. Owns its memory; one per thread.
class ConstrainedDynamics {
 public:
  /// Throws an Error when there is no constraint.
  ConstrainedDynamics(const Mechanism& mechanism, std::vector<ConstraintPtr> constraints,
                      const ConstrainedOptions& options = {});
  ConstrainedDynamics(ConstrainedDynamics&&) noexcept;
  ~ConstrainedDynamics();

  const Mechanism& mechanism() const;
  std::span<const ConstraintPtr> constraints() const;
  int rows() const;
  /// "closure: force along x (N)", for a row of A.
  std::string row_name(int row) const;
  bool holonomic(int row) const;

  /// The state that everything below is about; it need not fulfil the constraints.
  void set_state(const VectorRef& q, const VectorRef& v);
  /// The time from the next set_state() on (s), for constraints that change with it; 0 at first.
  void set_time(double t);
  /// Numbers that a SlidingConstraint (by its place) reads at each set_state() to come: it says which. They are not copied.
  void set_given(int constraint, const double* numbers);
  const OwnedRowMatrix& A() const;
  /// B of M a + bias = tau + B^T lambda: A, but for the rows of a SlidingConstraint.
  const OwnedRowMatrix& force_rows() const;
  const OwnedVector& gamma() const;      ///< A a + gamma is d/dt (A v - b)
  const OwnedVector& violation() const;  ///< phi(q), zero for rows without
  OwnedVector velocity_error() const;    ///< A v - b

  /// How many rows are independent here, and which of the others repeat them; both in the metric of M^-1.
  int rank() const;
  std::vector<int> redundant_rows() const;
  /// How far this is from a singular configuration: what is new in the direction of the least independent row (0 to
  /// 1), times how long the most shrunken row is beside what it was at its longest, both in the metric of M^-1.
  /// `longest`, one number for each row and zero at first, is updated.
  double regularity(OwnedVector& longest) const;

  /// Accelerations under forces of the joints and wrenches from outside. Redundant rows share their force (the
  /// smallest lambda). Throws an Error when rows contradict each other, naming them and the smallest residual; and where
  /// sliding constraints leave no acceleration, or several (Painleve), which then is about the multipliers alone: other
  /// methods do not know such forces.
  const OwnedVector& accelerations(const VectorRef& tau, std::span<const ExternalWrench> external = {},
                                   ConstraintMethod method = ConstraintMethod::multipliers);
  /// lambda of the last accelerations(): the force along each row that holds it.
  const OwnedVector& multipliers() const;

  /// Velocities near `v` that fulfil A v = b: the nearest in the metric M, as after a plastic impact.
  OwnedVector project_velocity(const VectorRef& v);
  /// Moves q to where phi = 0 (the largest |phi| at most `tolerance`; the nearest such place in the metric M, to
  /// first order) and v to what A allows there, and takes them as the state. Throws an Error with the smallest
  /// residual when q is too far away for that.
  void project_state(OwnedVector& q, OwnedVector& v, double tolerance = 1e-13);
  /// The M-orthogonal projector onto the velocities that A allows, ZB 3.1; 1 - P is its complement. nv x nv.
  OwnedMatrix projector();
  /// A basis of the velocities that A allows, nv x (nv - rank), orthonormal.
  OwnedMatrix basis() const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

/// The constraints that the loops of a mechanism are.
std::vector<ConstraintPtr> loop_constraints(const Mechanism& mechanism);

}  // namespace amble
