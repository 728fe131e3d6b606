#pragma once

#include "amble/optimize/qp_active_set.hpp"

namespace amble::detail {

/// Goldfarb and Idnani's method (1983) for one strictly convex program: the violated constraints join one
/// after another, and those that then would pull leave. The objective rises with every step, so that none is
/// repeated.
class DualMethod {
 public:
  DualMethod(ScaledProgram& program, Subspace& subspace, ActiveSet& active);

  enum class Outcome { optimal, infeasible, iteration_limit };
  /// x becomes the least of the quadratic whose gradient at x is `gradient`, under all constraints. Starts
  /// from the active set as it is.
  Outcome run(const double* gradient, double tolerance, int limit, double* x);

  int iterations = 0;      ///< constraints added or dropped, over all runs
  dense::Line proof;       ///< of infeasibility: multipliers of all constraints
  bool uncertain = false;  ///< a constraint was passed over in the last run, because of rounding

 private:
  struct Violation {
    int constraint = -1, side = 0;
    double amount = 0.0;  ///< value - bound: positive above, negative below
  };
  struct Block {
    double step = kInfinity;
    int index = -1;
  };
  void start(const double* gradient, double* x);
  void balance_equalities();
  void drop_pulling(double* x);
  Violation worst_violation(const double* x, double tolerance);
  double rounding(int k, const double* x);
  Block first_block(int side);
  Outcome take_in(const Violation& violation, int limit, double* x);
  bool proves_infeasible(int k, int side);
  bool redundant_rows_agree();

  ScaledProgram& program_;
  Subspace& subspace_;
  ActiveSet& active_;
  dense::Line step_, slope_, values_, equality_values_, y_, rest_, known_;
  std::vector<char> passed_over_;
};

}  // namespace amble::detail
