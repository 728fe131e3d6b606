#pragma once

#include <Eigen/Core>
#include <vector>

#include "amble/constraints/row_space.hpp"
#include "amble/dynamics/view.hpp"
#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// M = U U^T with U = L^T D^1/2, L as sparse as the tree (Featherstone 2008, 8.5): a row of constraints touches only
/// the joints between its two links and the world. Where joints follow others, every coordinate counts as the child
/// of the one before. Allocates once.
class MassFactor {
 public:
  explicit MassFactor(const Mechanism& mechanism);

  /// False when M, nv x nv, is not positive.
  bool compute(const MatrixView& M);
  /// U^-1 b in place, nv numbers. With a support: that of b, which becomes that of the result.
  void solve_inward(double* b) const;
  void solve_inward(double* b, Support& support) const;
  /// U^-T b in place: the two one after another are M^-1.
  void solve_outward(double* b) const;

 private:
  std::vector<int> parent_;  // the coordinate before, on the way to the world, or -1
  Eigen::MatrixXd L_;        // L by rows as columns: below the diagonal what is on the way to the world
  Eigen::VectorXd root_;     // 1 / sqrt(D)
};

}  // namespace amble
