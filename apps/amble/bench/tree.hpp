#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace amble {
class Mechanism;
}

namespace amble::bench {

/// One moving link and the joint that carries it. The link's frame N is that of its joint, whose axis is z.
struct TreeLink {
  std::string joint, type;  ///< type: a name of joints/list.hpp
  int parent = -1;          ///< a link before this one; -1 is the world
  int q = 0, v = 0;         ///< where its coordinates start
  int nq = 0, nv = 0;
  double pitch = 0.0;  ///< helical: metres per radian
  double angle = 0.0;  ///< universal: between its axes, z and another in the xz-plane
  Eigen::Matrix3d R_PN;
  Eigen::Vector3d p_PN;
  double mass = 0.0;
  Eigen::Vector3d com;
  Eigen::Matrix3d inertia;  ///< about the centre of mass
  double armature = 0.0;
};

/// A frame on link B that moves on a frame of link A as a joint of this type would let it; the axis is z of both.
struct TreeLoop {
  std::string name, type;  ///< type: as pair_constraint() takes it
  int link_a = -1, link_b = -1;
  Eigen::Matrix3d R_A, R_B;
  Eigen::Vector3d p_A, p_B;
};

/// A mechanism as any dynamics library can be told it: bodies that move together fused, plain numbers only, because
/// peers are compiled apart.
struct Tree {
  Eigen::Vector3d gravity;
  int nq = 0, nv = 0;
  std::vector<TreeLink> links;
  std::vector<TreeLoop> loops = {};  ///< empty where a mechanism is measured without its loops
};

/// Throws an Error when joints follow others, which no peer has as such.
Tree tree_of(const Mechanism& mechanism);
/// What closes the mechanism.
std::vector<TreeLoop> loops_of(const Mechanism& mechanism);

}  // namespace amble::bench
