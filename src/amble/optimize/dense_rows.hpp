#pragma once

#include "amble/optimize/row_program.hpp"

namespace amble {

/// Solves a RowProgram with the dense solver: slower, and surer where rows nearly depend on each other. Multipliers and
/// proofs are those of the rows. Allocates nothing after construction.
class DenseRows {
 public:
  /// `slacks`: how many rows or bounds may be soft inequalities at once.
  DenseRows(int most_variables, int capacity, int slacks, const RowSettings& settings = {});

  const RowResult& solve(RowProgram& program);

 private:
  void put_row(int r, RowProgram& program, int k);
  void put_slack(int r, double softness);
  void take_result(RowProgram& program);
  double value_of(RowProgram& program, int k) const;

  int most_variables_, slacks_, used_ = 0;
  QuadraticProgram dense_;
  QpSolver solver_;
  RowResult result_;
};

}  // namespace amble
