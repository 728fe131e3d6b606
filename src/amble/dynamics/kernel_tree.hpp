#pragma once

#include <algorithm>
#include <vector>

#include "amble/dynamics/kernels/kernels.hpp"
#include "amble/mechanism/joints/joint.hpp"
#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// How many of a joint's velocities belong to one of its elementary motions.
inline int freedoms_of(Elementary motion, const Link& link) {
  const bool all = motion == Elementary::ball || motion == Elementary::free || motion == Elementary::custom;
  return all ? link.v.size : 1;
}

/// A mechanism as the kernels want it: every joint as its chain of elementary motions, one plain record each.
class KernelTree {
 public:
  explicit KernelTree(const Mechanism& mechanism);
  KernelTree(const KernelTree&) = delete;
  KernelTree& operator=(const KernelTree&) = delete;

  const kernels::Tree& tree() const { return tree_; }
  /// The node that carries a link's bodies, and the link's frame on it.
  int node_of_link(int link) const { return node_of_link_[link]; }
  const SO3<double>& turn_of_link(int link) const { return turn_of_link_[link]; }
  /// The same tree, weightless.
  kernels::Tree without_gravity() const {
    kernels::Tree still = tree_;
    std::fill_n(still.gravity, 3, 0.0);
    return still;
  }
  /// Where quaternions start in q.
  const std::vector<int>& quaternions() const { return quaternions_; }
  /// Links moved by custom joints, in the order of their blocks.
  const std::vector<int>& custom_links() const { return custom_links_; }

 private:
  void add_link(const Mechanism& mechanism, int link);
  void add_composite_masses();
  void add_columns();
  void add_inward();

  std::vector<kernels::Node> nodes_;
  std::vector<int> node_of_link_, quaternions_, custom_links_, column_v_, column_node_,
      column_depth_, column_end_, inward_, path_v_;
  std::vector<SO3<double>> turn_of_link_;
  std::vector<double> armature_;
  kernels::Tree tree_;
};

}  // namespace amble
