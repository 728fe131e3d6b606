#pragma once

#include "amble/ports/bonds/bond_graph.hpp"

// The block diagram of DS Example 1.2: what computes what, by causality.
namespace amble {

/// One signal and what it is computed from.
struct SignalBlock {
  enum class Kind {
    assignment,  ///< output = value
    equation,    ///< output is such that 0 = value: a law used backwards
    derivative   ///< output = d/dt value: of storage that cannot integrate
  };
  Kind kind = Kind::assignment;
  std::string output;
  Expression value;
  std::string title;  ///< whose block it is: "R 'coil'"

  std::string text() const;
};

/// state = initial + the integral of the signal "state'".
struct IntegratorBlock {
  std::string state;
  double initial = 0.0;
};

struct BlockDiagram {
  std::vector<SignalBlock> blocks;  ///< in an order in which they can be computed, up to loops
  std::vector<IntegratorBlock> integrators;
  std::vector<std::vector<std::string>>
      loops;  ///< signals that depend on themselves, each time all of a loop
};

/// Throws an Error for a graph with a mechanism or with a conflict of its causality.
BlockDiagram block_diagram(const BondGraph& graph);
std::string block_diagram_text(const BondGraph& graph);

}  // namespace amble
