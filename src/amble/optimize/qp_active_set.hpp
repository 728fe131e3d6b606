#pragma once

#include <vector>

#include "amble/optimize/qp_subspace.hpp"

namespace amble::detail {

/// The inequalities that hold with equality, and J turned so that J_1' N = R is triangular, J_2' N = 0: the
/// columns of N are their gradients, J_1 the first count() rows of J. Multipliers are signed: positive at
/// upper bounds.
class ActiveSet {
 public:
  ActiveSet(ScaledProgram& program, Subspace& subspace);

  void clear();
  int count() const { return static_cast<int>(active_.size()); }
  int constraint(int i) const { return active_[i]; }
  int side(int i) const { return sides_[i]; }  ///< +1 at the upper bound, -1 at the lower
  double bound(int i);
  bool contains(int k) const { return is_active_[k]; }

  /// Looks at constraint k: d = J'c_k, its part d_2 that is new, and the rates r = R^-1 d_1 of the
  /// multipliers.
  void look_at(int k);
  double new_part() const { return new_part_; }  ///< |d_2|^2
  /// Whether d_2 is more than rounding.
  bool is_independent() const { return new_part_ > least_; }
  const double* rates() { return r_; }
  /// The constraint last looked at joins.
  void add(int k, int side);
  /// The i-th leaves; what was seen of the constraint last looked at stays true.
  void drop(int i);

  /// x += t J_2 d_2
  void move(double t, double* x);
  /// x += J_1 R^-T values - J_2 J_2' slope, and the multipliers of the least of slope'p + 1/2 p'H p under N'p
  /// = values.
  void settle(const double* values, const double* slope, double* x);

  dense::Line multipliers;

 private:
  void find_rates();
  void solve(double* r);
  void solve_transposed(double* r);
  dense::Rows J() { return subspace_.J(); }

  ScaledProgram& program_;
  Subspace& subspace_;
  std::vector<int> active_, sides_;
  std::vector<char> is_active_;
  dense::Grid R_;  // row i is column i of R
  dense::Line d_, r_, u_, w_, c_;
  double new_part_ = 0.0, least_ = 0.0, noise_ = 0.0;
};

}  // namespace amble::detail
