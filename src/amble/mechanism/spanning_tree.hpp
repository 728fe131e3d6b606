#pragma once

#include <vector>

#include "amble/mechanism/description.hpp"

namespace amble {

/// The kinematic graph of a description, DS 2.2: bodies are nodes, joints are edges from parent to child. Every body
/// gets one parent joint, by the shortest way from the world (ties: the file's order); joints left over close loops.
struct SpanningTree {
  std::vector<int> body_order;    ///< bodies depth first, children in the order of their joints
  std::vector<int> parent_joint;  ///< by body; -1 for a root, which is fixed to the world
  std::vector<int> cut_joints;    ///< joints that close loops, in the file's order
};

/// Adds a problem for every group of bodies that no chain of joints connects to the world.
SpanningTree spanning_tree(const ModelDescription& description, Problems& problems);

}  // namespace amble
