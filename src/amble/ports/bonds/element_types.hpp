#pragma once

#include "amble/ports/bonds/bond_graph.hpp"

namespace amble {

/// What is the same for all elements of a type.
struct BondElementKind {
  BondElementType type;
  std::string symbol;
  std::vector<std::string> laws;  ///< the first is meant when none is said
  int least_bonds, most_bonds;    ///< most 0: any number
};

std::span<const BondElementKind> bond_element_kinds();
/// By the symbol, which may have an M before it; null when there is none.
const BondElementKind* bond_element_kind(const std::string& symbol);

/// What TF and GY say, by their matrix X: effort or flow of port a = X, or X^T, times that of port b.
struct TwoPortLaw {
  int port_a;
  bool effort_a;
  int port_b;
  bool effort_b;
  bool transposed;
};
std::vector<TwoPortLaw> two_port_laws(const BondElement& element);

/// Of the state at a storage's port; empty where its domain is not known.
std::string state_unit(const BondGraph& graph, const BondPort& port);

}  // namespace amble
