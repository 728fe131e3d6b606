#pragma once

#include <vector>

#include "bench/state.hpp"
#include "bench/tree.hpp"

namespace amble::bench {

/// How a library writes the velocity of free and ball joints. Ours is linear first, both parts in body axes.
struct Convention {
  bool angular_first = false;
  bool angular_in_parent = false;  ///< angular velocity in the axes of the frame that the joint starts from
  bool linear_in_parent = false;
};

/// The states as a peer wants them, and its results as we do. With v' = T v, where T consists of rotations and
/// permutations: a' = T a + Tdot v, tau' = T tau, M' = T M T^T.
class Conversion {
 public:
  /// `starts`: the peer's first velocity index of each link.
  Conversion(const Tree& tree, const std::vector<State>& states, const Convention& convention,
             const std::vector<int>& starts);

  Eigen::VectorXd velocity(int state) const;
  Eigen::VectorXd acceleration(int state) const;
  Eigen::VectorXd force(int state) const;
  Eigen::MatrixXd our_acceleration(int state, const Eigen::VectorXd& a) const;
  Eigen::MatrixXd our_force(int state, const Eigen::VectorXd& tau) const;
  Eigen::MatrixXd our_mass_matrix(int state, const Eigen::MatrixXd& M) const;

 private:
  std::vector<State> states_;
  std::vector<Eigen::MatrixXd> T_;
  std::vector<Eigen::VectorXd> Tdot_v_;
};

/// The rotation X_FM of a free or ball joint at q.
Eigen::Matrix3d rotation_at(const TreeLink& link, const Eigen::VectorXd& q);

}  // namespace amble::bench
