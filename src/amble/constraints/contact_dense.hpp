#pragma once

#include <vector>

#include "amble/dynamics/view.hpp"

// The equations of contacts by dense matrices, whatever the rank of their rows; of no interest to callers.
namespace amble {

/// M a = right + J^T f, J a = goal. All memory is taken when it is made.
class DenseContacts {
 public:
  using Matrix = Eigen::Map<RowMatrix>;

  /// Rows are redundant as ContactOptions says.
  DenseContacts(int nv, int rows, double redundancy);

  /// False when M is not positive definite.
  bool factor(const Matrix& M, const Matrix& J);
  int rank() const { return rank_; }

  /// What J a - goal leaves, relative to 1 and the size of the goal, at its largest, and the row where that is.
  struct Residual {
    double size = 0.0;
    int row = 0;
  };
  /// Takes each column of `right` to a, and of `goal` to the smallest f.
  Residual solve(Matrix right, Matrix goal);

  /// Some y with J y = f, for an f that solve() gave.
  void source(const double* f, double* y);
  /// Adds to `to` the part of `from` that is orthogonal to all J y.
  void add_beyond_rows(const Matrix& from, Matrix to);

 private:
  void find_rank();
  void find_row_basis();
  void solve_one();

  int nv_, rows_, rank_ = 0;
  double redundancy_;
  Eigen::MatrixXd L_, Z_;          // M = L L^T; Z = L^-1 J^T
  Eigen::MatrixXd Q_, R_, rest_;   // Z = Q R; what of each column, in units of its length, is not yet in Q
  Eigen::MatrixXd Q_row_, R_row_;  // R^T = Q_row R_row
  std::vector<int> pivots_;        // R of these columns is triangular
  Eigen::VectorXd y_, goal_, s_;   // one right-hand side: L^-1 right, goal, and how far along Q
};

}  // namespace amble
