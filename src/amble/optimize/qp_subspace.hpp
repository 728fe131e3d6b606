#pragma once

#include <vector>

#include "amble/optimize/qp_scaling.hpp"

namespace amble::detail {

/// What the equalities leave free, in coordinates where the curvature is one: x = particular + J u, J'H J =
/// 1, A J = 0.
class Subspace {
 public:
  explicit Subspace(ScaledProgram& program);

  /// Brings the equalities to the form x_basic = ... (Gauss and Jordan, the largest number of a row as
  /// pivot). Rows that follow from those before are put aside.
  void eliminate();

  enum class Curvature { positive, missing, negative };
  /// Finds J for H + lent 1 (the one in free coordinates). `missing`, with lent = 0: some curvature is zero
  /// but for rounding; nothing is found then.
  Curvature factor(double lent);

  int rank() const { return static_cast<int>(pivots_.size()); }
  int freedom() const { return program_.n - rank(); }
  const std::vector<int>& pivots() const { return pivots_; }  ///< the equalities that count
  const std::vector<int>& redundant() const { return redundant_; }
  /// The sum of squares of all numbers in J, whichever way it is turned.
  double size() const { return size_; }

  /// One row for each free direction: the columns of J. Rotations of them are as good.
  dense::Rows J() { return static_cast<dense::Rows>(J_).first(freedom()); }
  /// x such that pivot equality j has the value values[j] and free coordinates are zero.
  void particular(const double* values, double* x);
  /// y[j] of the pivots such that gradient + sum y[j] a_j vanishes on basic variables.
  void multipliers(const double* gradient, double* y);
  /// s[j] such that constraint k is sum s[j] a_j, on basic variables.
  void combination(int k, double* s);
  /// The largest component of `slope` along free directions of the scaled program.
  double free_slope(const double* slope);

 private:
  void insert(int k);
  void reduced_row(int j, double* h);
  bool factor_reduced(double lent);
  void find_directions();

  ScaledProgram& program_;
  std::vector<int> pivots_, redundant_, basic_, free_;
  std::vector<char> is_basic_;
  dense::Grid Y_, T_, X_, H_basic_, U_, J_;
  dense::Line c_, s_, h_;
  double size_ = 0.0;
};

}  // namespace amble::detail
