#include "amble/dynamics/kernel_tree.hpp"

#include <algorithm>

#include "amble/mechanism/joints/list.hpp"

namespace amble {

namespace {

using kernels::Move;
using kernels::Node;

Move move_of(Elementary motion) { return static_cast<Move>(motion); }
static_assert(static_cast<int>(Elementary::custom) == static_cast<int>(Move::custom));

void set_pose(Node& node, const Pose& X) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) node.R[3 * r + c] = X.rotation().matrix()(r, c);
    node.p[r] = X.translation()[r];
  }
}

void set_inertia(Node& node, const Inertia<double>& inertia) {
  const Matrix3<double>& I = inertia.about_origin();
  node.mass = inertia.mass();
  for (int k = 0; k < 3; ++k) node.h[k] = inertia.first_moment()[k];
  const double six[] = {I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2)};
  std::copy_n(six, 6, node.I);
}

}  // namespace

KernelTree::KernelTree(const Mechanism& m) {
  nodes_.emplace_back();
  node_of_link_.assign(m.links().size(), 0);
  turn_of_link_.resize(m.links().size());
  for (int link = 1; link < static_cast<int>(m.links().size()); ++link) add_link(m, link);
  add_composite_masses();
  add_columns();
  add_inward();
  armature_.assign(m.armature().data(), m.armature().data() + m.nv());
  for (Node& node : nodes_)
    for (int k = 0; k < node.freedoms && (node.move == Move::ball || node.move == Move::free); ++k)
      node.group_armature = node.group_armature || armature_[node.v + k] != 0.0;
  tree_.nodes = nodes_.data();
  tree_.count = static_cast<int>(nodes_.size());
  tree_.nq = m.nq(), tree_.nv = m.nv();
  tree_.customs = static_cast<int>(custom_links_.size());
  tree_.armature = armature_.data();
  tree_.column_v = column_v_.data(), tree_.column_node = column_node_.data();
  tree_.column_depth = column_depth_.data(), tree_.column_end = column_end_.data(), tree_.path_v = path_v_.data();
  tree_.inward = inward_.data();
  const Inertia<double>& fixed = m.links()[0].inertia;
  tree_.world_mass = fixed.mass();
  tree_.mass = fixed.mass() + nodes_[0].composite_mass;
  for (int k = 0; k < 3; ++k) tree_.gravity[k] = m.gravity()[k], tree_.world_h[k] = fixed.first_moment()[k];
  for (int c = 0; c < tree_.columns; ++c) tree_.coupled = tree_.coupled || column_v_[c] != c;
}

void KernelTree::add_link(const Mechanism& m, int index) {
  const Link& link = m.links()[index];
  const JointSteps chain = visit_joint(link.kind, link.parameters, [](const auto& j) { return j.steps(); });
  Pose X = Pose(turn_of_link_[link.parent]) * link.X_PN;
  int parent = node_of_link_[link.parent];
  for (int i = 0; i < chain.count; ++i) {
    Node node;
    node.parent = parent;
    node.root = parent == 0 ? static_cast<int>(nodes_.size()) : nodes_[parent].root;
    node.move = move_of(chain.steps[i].motion);
    node.freedoms = freedoms_of(chain.steps[i].motion, link);
    node.q = link.q.start + i, node.v = link.v.start + i;
    node.ratio = link.ratio, node.offset = link.offset, node.pitch = link.parameters.pitch;
    if (node.move == Move::turn || node.move == Move::helix) node.angle = tree_.angles++;
    if (node.move == Move::ball) quaternions_.push_back(node.q);
    if (node.move == Move::free) quaternions_.push_back(node.q + 3);
    if (node.move == Move::custom) {
      node.custom = static_cast<int>(custom_links_.size());
      custom_links_.push_back(index);
    }
    set_pose(node, X * Pose(chain.steps[i].R));
    X = Pose();
    parent = static_cast<int>(nodes_.size());
    nodes_.push_back(node);
  }
  node_of_link_[index] = parent;
  turn_of_link_[index] = chain.after;
  set_inertia(nodes_.back(), Pose(chain.after) * link.inertia);
}

void KernelTree::add_composite_masses() {
  for (Node& node : nodes_) node.composite_mass = node.mass;
  for (std::size_t i = nodes_.size() - 1; i > 0; --i)
    nodes_[nodes_[i].parent].composite_mass += nodes_[i].composite_mass;
}

void KernelTree::add_columns() {
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    const Node& parent = nodes_[node.parent];
    node.column = tree_.columns;
    tree_.columns += node.freedoms;
    node.end = tree_.columns;
    node.depth = node.parent == 0 ? 0 : parent.depth + parent.freedoms;
    tree_.longest_path = std::max(tree_.longest_path, node.depth + node.freedoms);
    const bool goes_on = node.parent > 0 && node.parent == static_cast<int>(i) - 1;
    node.path = goes_on ? parent.path : static_cast<int>(path_v_.size());  // a chain shares one path
    for (int k = 0; k < node.depth && !goes_on; ++k) path_v_.push_back(int(path_v_[parent.path + k]));
    for (int k = 0; k < node.freedoms; ++k) {
      path_v_.push_back(node.v + k), column_v_.push_back(node.v + k);
      column_node_.push_back(static_cast<int>(i)), column_depth_.push_back(node.depth + k);
    }
  }
  for (std::size_t i = nodes_.size() - 1; i > 0; --i)
    nodes_[nodes_[i].parent].end = std::max(nodes_[nodes_[i].parent].end, nodes_[i].end);
  for (int node : column_node_) column_end_.push_back(nodes_[node].end);
  for (std::size_t i = nodes_.size() - 1; i > 0; --i) {
    Node& parent = nodes_[nodes_[i].parent];
    nodes_[i].last_child = parent.leaf;
    parent.leaf = false;
  }
}

void KernelTree::add_inward() {
  std::vector<int> ancestors(nodes_.size(), 0);
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    ancestors[i] = ancestors[nodes_[i].parent] + 1;
    inward_.push_back(static_cast<int>(i));
  }
  // Of the same number, the last goes first, as in a sweep from the last node to the first (Node::last_child).
  std::sort(inward_.begin(), inward_.end(),
            [&](int a, int b) { return ancestors[a] != ancestors[b] ? ancestors[a] > ancestors[b] : a > b; });
}

}  // namespace amble
