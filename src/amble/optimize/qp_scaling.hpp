#pragma once

#include "amble/optimize/kernels/grid.hpp"
#include "amble/optimize/quadratic_program.hpp"

namespace amble::detail {

/// A program in units that suit it, x = column * x_scaled: H has a diagonal of about one, the largest number
/// of a row is about one. All factors are powers of two, so that nothing is rounded. Constraints have one
/// numbering: the rows of A, those of C (together G), then the bounds of variables.
class ScaledProgram {
 public:
  ScaledProgram(int variables, int equalities, int rows);

  /// False when a number is not finite.
  bool load_matrices(const QuadraticProgram& program);
  /// After load_matrices(). False when a number is not finite or bounds cross.
  bool load_vectors(const QuadraticProgram& program);

  const int n, equalities, m;  ///< m: rows of G
  const int width;             ///< n, padded
  const dense::DenseKernels& kernels;
  dense::Grid H, G;
  dense::Line g, lower, upper, column, row;  ///< lower and upper: m + n; row: m

  int constraints() const { return m + n; }
  bool is_equality(int k) { return lower[k] == upper[k]; }
  /// The original unit of constraint k is this many of ours.
  double unit(int k) { return k < m ? row[k] : 1.0 / column[k - m]; }
  /// Constraint k at x.
  double value(int k, const double* x);
  /// y += c times the gradient of constraint k.
  void add_gradient(int k, double c, double* y);

 private:
  bool put_rows(const QuadraticProgram& program);
  void choose_columns(const QuadraticProgram& program);
  void balance_flat_columns(const QuadraticProgram& program);
  const double* row_of(const QuadraticProgram& program, int k) const;

  dense::Line peak_;
};

}  // namespace amble::detail
