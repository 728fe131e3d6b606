#pragma once

#include "amble/optimize/row_program.hpp"

namespace amble {

/// Solves a RowProgram with the dense solver: slower, and surer where rows nearly depend on each other. Multipliers and
/// proofs are those of the rows. Allocates nothing after construction.
class DenseRows {
 public:
  /// `slacks`: how many rows or bounds may be soft inequalities at once. Each is a variable more: programs with none, with few and with
  /// all of them have solvers of their own sizes.
  DenseRows(int most_variables, int capacity, int slacks, const RowSettings& settings = {});

  const RowResult& solve(RowProgram& program);

 private:
  void put_row(int r, RowProgram& program, int k);
  void put_slack(int r, double softness);
  void take_result(RowProgram& program);
  double value_of(RowProgram& program, int k) const;

  struct Sized {
    Sized(int most_variables, int slacks, int rows, const RowSettings& settings);
    int slacks;
    QuadraticProgram program;
    QpSolver solver;
  };
  Sized& fitting(const RowProgram& program);

  int most_variables_, used_ = 0;
  std::vector<Sized> sizes_;  // the smallest first
  Sized* at_ = nullptr;
  RowResult result_;
};

}  // namespace amble
