#pragma once

#include "amble/dynamics/kernels/kernels.hpp"
#include "amble/dynamics/kinematics.hpp"

// What Kernels::kinematics writes, read as the pose and the Jacobians of a place; of no interest to callers.
namespace amble {

/// The numbers of one state, `stride` apart: those of several may lie side by side.
struct KinematicsNumbers {
  const double *poses, *columns, *column_rates;
  Eigen::Index stride;
};

/// Places are from the origin of the node's root, which is exact far from the world's.
struct RootedPose {
  Matrix3<double> R = Matrix3<double>::Identity();
  Vector3<double> p = Vector3<double>::Zero(), root = Vector3<double>::Zero();
  Pose in_world() const { return Pose(SO3<double>(R), root + p); }
};

/// Node 0 is the world.
inline RootedPose node_pose(const KinematicsNumbers& x, int node) {
  RootedPose at;
  if (node == 0) return at;
  const double* from = x.poses + kernels::kPose * node * x.stride;
  for (int k = 0; k < 9; ++k) at.R(k / 3, k % 3) = from[k * x.stride];
  for (int k = 0; k < 3; ++k) at.p[k] = from[(9 + k) * x.stride], at.root[k] = from[(12 + k) * x.stride];
  return at;
}

/// A place as the kernels know it, to be read in any number of states.
class PlaceReader {
 public:
  /// The workspace, at any state, must outlive this.
  PlaceReader(const Mechanism& mechanism, Workspace& work, std::string_view place,
              const JacobianOptions& options = {});

  Pose pose(const KinematicsNumbers& x) const { return point(x).in_world(); }
  /// 6 x nv into J, row by row.
  void jacobian(const KinematicsNumbers& x, double* J) const;
  /// For the state with velocities v.
  void jacobian_dot(const KinematicsNumbers& x, const double* v, double* J_dot) const;

 private:
  RootedPose point(const KinematicsNumbers& x) const {
    const RootedPose n = node_pose(x, node_);
    return {n.R * X_NP_.rotation().matrix(), n.p + n.R * X_NP_.translation(), n.root};
  }

  Workspace::Memory& memory_;
  int node_;
  Pose X_NP_;
  JacobianFrame frame_;
};

}  // namespace amble
