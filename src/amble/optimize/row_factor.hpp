#pragma once

#include <vector>

#include "amble/optimize/row_program.hpp"

namespace amble::detail {

/// The rows of a RowProgram that take part, in units where its curvature is one: x = D^-1/2 z, row i is w_i = s_i r_i
/// D^-1/2 with s_i such that |w_i|^2 + s_i^2 softness_i = 1. Their products W W' + softness = U'U are kept factored. For
/// given rows the optimum is the solution of
///     z + D^-1/2 g + W'y = 0,    W z - s^2 softness y = s bound.
class RowFactor {
 public:
  RowFactor(int variables, int capacity);

  const dense::DenseKernels& kernels() const { return kernels_; }

  /// Nothing takes part; x stays.
  void start(RowProgram& program);
  /// Puts constraint k on the list for factor(): 0 for an equation or a wish, else the side that pushes.
  void list(int k, int side);
  /// Factors what is listed; rows that follow from those before leave the list.
  void factor();

  int count() const { return static_cast<int>(active_.size()); }
  int constraint(int i) const { return active_[i]; }
  int side(int i) const { return sides_[i]; }
  bool takes_part(int k) const { return place_[k] >= 0; }
  double multiplier(int i) const { return units_[i] * y_of(i); }
  void set_multiplier(int k, double y);

  /// Brings x and the multipliers to the optimum for the rows that take part, as far as rounding lets one step.
  /// Returns how far the equations were from holding, relative to the numbers they are sums of.
  double refine();

  /// Looks at constraint k, which does not take part: how multipliers change with its own, and what is new in it.
  void look_at(int k);
  double rate(int i) const { return units_[i] * rates_of(i) / unit_; }
  double new_part() const { return new_part_ / (unit_ * unit_); }
  bool is_independent() const;
  /// The multiplier of the constraint looked at grows by t, the others follow, and x.
  void move(double t);
  /// The constraint looked at joins.
  void add(int k, int side, double multiplier);
  void drop(int i);

  /// x in the program's units.
  void put_x(double* x);
  void set_x(const double* x);

 private:
  double y_of(int i) const { return const_cast<dense::Line&>(y_)[i]; }
  double rates_of(int i) const { return const_cast<dense::Line&>(r_)[i]; }
  double put_row(int k, double* w, double& softness);
  void solve_transposed(double* r);
  void solve(double* r);

  const dense::DenseKernels& kernels_;
  RowProgram* program_ = nullptr;
  int most_, n_ = 0, width_ = 0;
  std::vector<int> active_, sides_, place_;
  std::vector<double> units_, softness_;  // s_i, and s_i^2 softness_i
  dense::Grid W_, U_;
  dense::Line z_, g_, root_, y_, r_, u_, step_, b_;
  double unit_ = 1.0, looked_softness_ = 0.0, new_part_ = 0.0;
};

}  // namespace amble::detail
