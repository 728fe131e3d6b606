#pragma once

#include "amble/simulation/bond_motion.hpp"

namespace amble {

/// The three of DS Example 1.2, all from one graph.
enum class BondRepresentation {
  block,            ///< assignments in the order of causality
  behaviour,        ///< relations, solved together without causality; not with a mechanism
  port_hamiltonian  ///< matrices J, R, g and an energy; of a linear graph
};

/// "block", "behaviour", "port-hamiltonian".
const std::vector<std::string>& bond_representation_names();
/// Throws an Error with the nearest name.
BondRepresentation bond_representation(const std::string& name);

/// As text.
std::string representation_text(const BondGraph& graph, BondRepresentation representation);
/// To be run. Throws an Error for a graph that has no such representation.
std::unique_ptr<BondMotion> bond_motion(const BondGraph& graph, BondRepresentation representation);

}  // namespace amble
