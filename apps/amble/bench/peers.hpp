#pragma once

#include <functional>

#include "bench/peer.hpp"
#include "bench/task.hpp"

namespace amble::bench {

/// The peers that this build has and this machine can open; notes say why others are missing.
struct Peers {
  std::vector<const PeerModule*> modules;
  Notes notes;
};
const Peers& peers();

/// Our result of a function at a state; empty when there is nothing to compare.
using OurResult = std::function<Eigen::MatrixXd(const std::string& what, int state)>;

/// What every peer offers for a robot. Before anything is timed, each function's result is compared with
/// ours: a peer that cannot hold the robot, or that computes something else, becomes a note. Peers without loops are
/// passed over where the tree has some.
std::vector<Task> peer_tasks(const Tree& tree, const std::vector<State>& states, const OurResult& ours, Notes& notes);

}  // namespace amble::bench
