#pragma once

#include "amble/control/whole_body_program.hpp"
#include "amble/optimize/dense_rows.hpp"

namespace amble::detail {

/// Level after level, and what gives way when constraints contradict each other.
class WholeBodySolver {
 public:
  WholeBodySolver(WholeBodyProgram& program, const WholeBodySettings& settings);
  virtual ~WholeBodySolver() = default;

  /// Comes before solve(), for formulations that need more of the state than the rows have.
  virtual void set_state(const MotionState& at) { (void)at; }
  /// Fills all of `result` but torques and what belongs to tasks. x() is then (a, f).
  void solve(RowProgram& rows, WholeBodyResult& result);
  const OwnedVector& x() const { return x_; }

 protected:
  /// One program, at the index-th level; and by the dense solver, which takes longer.
  virtual const RowResult& solve_quickly(RowProgram& rows, int index, WholeBodyResult& result);
  virtual const RowResult& solve_surely(RowProgram& rows, WholeBodyResult& result);

 private:
  const RowResult& solve_level(RowProgram& rows, int index, WholeBodyResult& result);
  bool solve_first(RowProgram& rows, int level, WholeBodyResult& result);
  bool relax(RowProgram& rows, const OwnedVector& proof, WholeBodyResult& result);
  bool relax_limits(RowProgram& rows, const OwnedVector& proof, double least, WholeBodyResult& result);
  bool relax_contacts(RowProgram& rows, const OwnedVector& proof, double least, WholeBodyResult& result);
  bool take(const RowResult& found, WholeBodyResult& result);
  void find_amounts(RowProgram& rows, WholeBodyResult& result) const;

  WholeBodyProgram& program_;
  double softness_, tolerance_;
  std::vector<RowSolver> solvers_;
  DenseRows dense_;
  OwnedVector x_, everything_;
};

}  // namespace amble::detail
