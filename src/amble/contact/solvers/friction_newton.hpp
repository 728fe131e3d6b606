#pragma once

#include "amble/contact/solvers/scaled_friction.hpp"
#include "amble/contact/solvers/small_linear.hpp"

namespace amble {

/// Newton's method on the natural map of the laws (Alart and Curnier 1991). At forces f and velocities u, f - u tells of
/// every block whether it is open, sticks or slides; with that fixed the laws are linear but for the direction of slip,
/// and the linear system has rows only for what is not open. Where forces are redundant they change as little as they
/// can (a proximal term, iterated away), so that from no forces a symmetric table stands on equal legs.
class FrictionNewton final : public FrictionSolver {
 public:
  explicit FrictionNewton(const FrictionOptions& options = {});

  const char* name() const override { return "newton"; }
  void reserve(int dimension, int blocks, int rows) override;
  const FrictionSolution& solve(const FrictionProblem& problem, std::span<const double> guess = {}) override;

 private:
  enum class Mode { stick, slide };
  struct Active {
    int block;
    int unknown, unknowns;  // where they are in the linear system
    Mode mode;
    double d[2];        // direction of the force of a sliding contact
    double compliance;  // across it
  };

  double target() const { return options_.tolerance * scaled_.scale(); }
  bool iterate(int steps);
  bool step();
  void choose_modes();
  void form_matrix();
  bool solve_linear();
  void settle();
  void keep_best(double natural);
  void restore_best();
  const double* gram(int i, int j);

  FrictionOptions options_;
  ScaledFriction scaled_;
  LinearSystem linear_;
  FrictionSolution solution_;
  std::vector<Active> active_;
  std::vector<double> G_, right_, best_, before_;
  std::vector<char> known_;  // which blocks of G_ are there
  double natural_ = 0.0, best_natural_ = 0.0;
  int solves_ = 0;
  bool symmetric_ = true;
};

}  // namespace amble
