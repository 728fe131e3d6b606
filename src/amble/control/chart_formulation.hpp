#pragma once

#include "amble/control/whole_body_solver.hpp"
#include "amble/dynamics/coordinates/chart_dynamics.hpp"

namespace amble::detail {

/// BK (37) and (38): the unknowns are second derivatives of chart coordinates, a = T qddot + Tdot qdot, and the equation of
/// motion is that of ChartDynamics; tasks and contacts are the same rows, seen through T. Dense, and it allocates: to
/// compare with, not to run at 1 kHz.
class ChartFormulation : public WholeBodySolver {
 public:
  ChartFormulation(WholeBodyProgram& program, const Mechanism& mechanism, const WholeBodySettings& settings);

  void set_state(const MotionState& at) override;

 protected:
  const RowResult& solve_quickly(RowProgram& rows, int, WholeBodyResult& result) override { return solve_surely(rows, result); }
  const RowResult& solve_surely(RowProgram& rows, WholeBodyResult& result) override;

 private:
  struct Sizes {
    int chart, forces, multipliers, slacks;
    int all() const { return chart + forces + multipliers + slacks; }
  };
  Sizes sizes_of(RowProgram& rows) const;
  /// Row k of the program in (a, f), through T: its numbers, and what Tdot qdot gives along it.
  double seen(RowProgram& rows, int k, Eigen::RowVectorXd& out) const;
  int put_rows(RowProgram& rows, const Sizes& n, QuadraticProgram& out) const;
  int put_motion(const Sizes& n, int row, QuadraticProgram& out) const;
  void put_constraints(const Sizes& n, int row, QuadraticProgram& out) const;
  bool is_driven(const ChartBlock& block) const;

  WholeBodyProgram& program_;
  bool multiplier_;
  double tolerance_;
  ChartCoordinates coordinates_;
  ChartDynamics dynamics_;
  OwnedVector q_chart_, qdot_chart_;
  Eigen::MatrixXd T_, M_, A_, G_;
  Eigen::VectorXd rest_, gamma_, carried_;  // N qdot - weight; gamma; Tdot qdot
  RowResult result_;
};

}  // namespace amble::detail
