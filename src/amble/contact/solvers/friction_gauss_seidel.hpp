#pragma once

#include "amble/contact/solvers/scaled_friction.hpp"

namespace amble {

/// Projected Gauss-Seidel: one block after another is solved exactly for what the others are (a contact with its true
/// cone), on y = Y f, so that a sweep costs in proportion to the depth of the links and no matrix is formed. Converges
/// slowly where heavy stands on light; in return any number of contacts will do.
class FrictionGaussSeidel final : public FrictionSolver {
 public:
  explicit FrictionGaussSeidel(const FrictionOptions& options = {});

  const char* name() const override { return "gauss_seidel"; }
  void reserve(int dimension, int blocks, int rows) override;
  const FrictionSolution& solve(const FrictionProblem& problem, std::span<const double> guess = {}) override;

 private:
  FrictionOptions options_;
  ScaledFriction scaled_;
  FrictionSolution solution_;
};

}  // namespace amble
