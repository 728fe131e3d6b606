#pragma once

#include "amble/ports/bonds/bond_graph.hpp"

namespace amble {

/// A thing in the drawing: an element, or a signal that modulates one. Lengths are pixels.
struct DrawnNode {
  std::string symbol, value, name;  ///< the large word, what stands behind it or below, the small one
  bool beside = true;               ///< the value stands behind the symbol
  int element = -1;                 ///< -1 for a signal
  double width = 0.0, height = 0.0;
  double x = 0.0, y = 0.0;  ///< the middle
};

/// From one node to another without power.
struct DrawnSignal {
  int from = -1, to = -1;
  std::vector<double> path = {};  ///< x, y of the control points of cubic Bezier curves, one after the other
};

struct BondLayout {
  std::vector<DrawnNode> nodes;  ///< those of the elements come first, in their order
  std::vector<DrawnSignal> signals;
  double width = 0.0, height = 0.0;
};

/// Finds the places of all nodes. Junctions, TF and GY run from left to right, I, C and R hang above and below.
BondLayout lay_out(const BondGraph& graph);

/// What a program writes to its output when it reads `input`. Throws an Error when there is no such program or it
/// fails.
std::string output_of(const std::vector<std::string>& command, const std::string& input);

}  // namespace amble
