#pragma once

#include "amble/constraints/constraint.hpp"

namespace amble {

/// A constraint whose multipliers act along rows B of their own instead of A: M a + bias = tau + B^T lambda,
/// A a + gamma = 0. Friction that goes with a normal force. They do work.
class SlidingConstraint : public Constraint {
 public:
  using Constraint::Constraint;
  /// Fills B, rows x nv numbers row by row. `given`: what ConstrainedDynamics::set_given() gave it, else
  /// null.
  virtual void put_force_rows(const ConstraintKinematics& at, const double* given, double* B) const = 0;
};

}  // namespace amble
