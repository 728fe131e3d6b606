#pragma once

#include <Eigen/Cholesky>

#include "amble/control/whole_body_program.hpp"

namespace amble::detail {

/// The motion for a tick that has no answer: driven joints come to rest within some 0.1 s, and the held
/// contacts carry the weight. Closed form, so that it exists whatever made the program fail; allocates
/// nothing after construction.
///
///   a_J = -v_J / T,   f = least squares of J_U' f = h_U + M_UJ a_J within the friction cones,   M_UU a_U =
///   J_U' f - h_U - M_UJ a_J
///
/// J: driven velocities, U: the others, h: bias. Without contacts that is free fall with a rigid posture.
class HoldingMotion {
 public:
  explicit HoldingMotion(const WholeBodyProgram& program);

  /// (a, f) for the state that the program was last assembled at.
  const OwnedVector& find(const MotionState& at, const WholeBodyProgram& program);

 private:
  void find_wanted(const MotionState& at, const WholeBodyProgram& program);
  void find_forces(const WholeBodyProgram& program);
  void find_free_accelerations(const MotionState& at, const WholeBodyProgram& program);

  std::vector<int> free_;  // velocities that nothing drives
  OwnedVector x_;
  Eigen::MatrixXd square_;  // |U| x |U|
  Eigen::LLT<Eigen::MatrixXd> factor_;
  Eigen::VectorXd wanted_, solution_;  // generalized forces on U
};

}  // namespace amble::detail
