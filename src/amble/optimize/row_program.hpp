#pragma once

#include <memory>
#include <vector>

#include "amble/base/owned.hpp"
#include "amble/optimize/kernels/grid.hpp"
#include "amble/optimize/quadratic_program.hpp"

// Quadratic programs with little curvature of their own and many rows, as whole-body control has them, a thousand times
// a second with numbers that hardly change.
namespace amble {

/// minimise  1/2 x'diag(d) x + g'x + sum_k dist(r_k x, [lower_k, upper_k])^2 / (2 softness_k).
/// A row without softness is a constraint; with it, a wish of weight 1 / softness. Bounds of variables are rows of their own.
/// Sizes are capacities: between start() and solving any number of rows up to `capacity` is added, without allocating.
/// A row has a name, a number below the capacity that no other row has, by which a solver knows it again.
class RowProgram {
 public:
  RowProgram(int most_variables, int capacity);

  /// That many variables, no rows, open bounds, zero g, unit d.
  void start(int variables);
  /// One more row: its numbers, zero at first, to be filled in (variables() of them). An Error beyond the capacity.
  double* add_row(int name, double lower, double upper, double softness = 0.0);

  int variables() const { return variables_; }
  int capacity() const { return capacity_; }
  int most_variables() const { return static_cast<int>(d.size()); }
  int rows() const { return rows_; }
  int width() const { return dense::padded(variables_); }
  double* row(int k) { return values_[k]; }
  int name(int k) const { return names_[k]; }
  dense::Rows matrix() { return static_cast<dense::Rows>(values_).first(rows_); }

  OwnedVector d, g;                                    ///< d above zero
  OwnedVector lower, upper, softness;                  ///< of rows
  OwnedVector x_lower, x_upper, x_softness;            ///< of variables

  /// Constraints in one numbering: rows, then bounds of variables.
  int constraints() const { return rows_ + variables_; }
  double lower_of(int k) const { return k < rows_ ? lower[k] : x_lower[k - rows_]; }
  double upper_of(int k) const { return k < rows_ ? upper[k] : x_upper[k - rows_]; }
  double softness_of(int k) const { return k < rows_ ? softness[k] : x_softness[k - rows_]; }

 private:
  int variables_, capacity_, rows_ = 0;
  dense::Grid values_;
  std::vector<int> names_;
};

struct RowSettings {
  double tolerance = 1e-9;  ///< of QpCertificate::residual()
  int iterations = 200;     ///< constraints added or dropped, at most
  int dense_iterations = 0; ///< of DenseRows; 0: as QpSettings say
  void validate() const;
};

/// What a solve found. Multipliers are as QpMultipliers say; of a soft row the force (r x - bound) / softness.
struct RowResult {
  QpStatus status = QpStatus::invalid;
  OwnedVector x;                ///< as long as the most variables; zero beyond those there are
  OwnedVector multipliers;      ///< of rows, then of bounds; of an infeasible program Farkas' proof
  QpCertificate certificate;
  int iterations = 0;           ///< constraints added or dropped
  int active = 0;               ///< inequalities that push
  bool solved() const { return status == QpStatus::solved; }
};

/// Goldfarb and Idnani's dual method in the space of rows: with diagonal curvature all that is factored is the matrix of
/// products of the rows that push, as small as they are few. Allocates
/// nothing after construction and throws nothing.
class RowSolver {
 public:
  RowSolver(int most_variables, int capacity, const RowSettings& settings = {});
  ~RowSolver();
  RowSolver(RowSolver&&) noexcept;
  RowSolver& operator=(RowSolver&&) noexcept;

  /// Status: solved, infeasible, iteration_limit, inaccurate or invalid. With `warm`, it starts from the rows
  /// that pushed the last time, known by their names. The result is the solver's own and valid until its next use.
  const RowResult& solve(RowProgram& program, bool warm = true);
  const RowResult& result() const;

 private:
  class Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace amble
