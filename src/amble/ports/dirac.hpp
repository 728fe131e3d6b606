#pragma once

#include "amble/ports/port_hamiltonian.hpp"

// The implicit form, DS Fig B.1: a power-continuous relation between the flows f and the efforts e of all ports, without
// a direction of computation.
namespace amble {

/// F f + E e = 0 with as many rows as ports. It is a Dirac structure when E F^T + F E^T = 0 and [F E] has full rank: then
/// e . f = 0 for all that it allows. Ports in the order storage (f = -xdot, e = dH/dx), resistive (f = -R e), open (f = u,
/// e = y).
struct DiracStructure {
  OwnedMatrix F, E;
  int storage = 0, resistive = 0, open = 0;
  int ports() const { return storage + resistive + open; }
};

/// How far it is from being one: the largest |E F^T + F E^T|, and how many rows [F E] lacks in rank.
struct DiracDefect {
  double power = 0.0;
  int rank = 0;
};
DiracDefect dirac_defect(const DiracStructure& structure);

/// The structure of an explicit system at a state; its resistive ports are those of R, then those of S with flow and effort
/// exchanged. `resistance` is what closes them: block diagonal of R and S.
DiracStructure dirac_structure(const PortHamiltonianTerms& terms);
OwnedMatrix resistance(const PortHamiltonianTerms& terms);

/// Two structures joined at open ports (f of one is -f of the other, e is the same): again a Dirac structure, over all
/// other ports. Throws an Error for ports that are not there.
DiracStructure compose(const DiracStructure& one, const std::vector<int>& one_ports, const DiracStructure& two,
                       const std::vector<int>& two_ports);

/// Flows of the storage (-xdot) and efforts of the open ports (y) for given dH/dx, resistance and u. Throws an Error when
/// the relation does not fix them: efforts of the storage depend on each other there.
struct DiracSolution {
  OwnedVector xdot, y;
};
DiracSolution solve(const DiracStructure& structure, const VectorRef& gradient, const OwnedMatrix& resistance,
                    const VectorRef& u);

}  // namespace amble
