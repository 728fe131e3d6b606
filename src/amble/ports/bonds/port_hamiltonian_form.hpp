#pragma once

#include "amble/ports/bonds/bond_equations.hpp"
#include "amble/ports/port_hamiltonian.hpp"

namespace amble {

/// A linear graph as the system of DS (B.1). Its ports are its sources: u what they set, y what the graph
/// answers.
struct BondPortHamiltonian {
  PortHamiltonianMatrices matrices;
  OwnedMatrix feedthrough;  ///< K + S: y = g^T dH/dx + (K + S) u
  /// True when the graph's y is that of the definition, so that y . u is the power supplied. A resistor
  /// between a source and storage makes it differ: the motion is that of the graph all the same, but K and S
  /// are then left zero.
  bool collocated = true;
  PortHamiltonianPtr system;
  OwnedVector initial;                                  ///< of the states
  std::function<void(double t, OwnedVector& u)> input;  ///< what the sources set at a time
};
/// Throws an Error as port_hamiltonian_matrices() does, and for an integrated signal, for sources that depend
/// on more than the time, and for laws with a constant part.
BondPortHamiltonian port_hamiltonian(const BondGraph& graph);

/// The matrices, with the names of states and sources.
std::string port_hamiltonian_text(const BondGraph& graph);

}  // namespace amble
