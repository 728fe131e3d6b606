#include "amble/simulation/bond_port_hamiltonian_flow.hpp"

namespace amble {

BondPortHamiltonianFlow::BondPortHamiltonianFlow(const BondGraph& graph)
    : form_(port_hamiltonian(graph)), flow_(form_.system, form_.input), equations_(graph) {}

void BondPortHamiltonianFlow::rates(double t, const double* q, const double* x, double* v, double* xdot) {
  flow_.rates(t, q, x, v, xdot);
}

OwnedVector BondPortHamiltonianFlow::start(const VectorRef&) const { return flow_.start(form_.initial); }

void BondPortHamiltonianFlow::set(double t, const double*, const double* x) {
  equations_.evaluate({.t = t, .x = x});
}

double BondPortHamiltonianFlow::delivered(int entry, const VectorRef& x) const {
  return entry == 0 ? x[active()] : -x[active() + 1];
}

OwnedVector BondPortHamiltonianFlow::stored(double t, const VectorRef& q, const VectorRef& x) {
  set(t, q.data(), x.data());
  return OwnedVector(entries());
}

Ledger BondPortHamiltonianFlow::ledger(double, const VectorRef& q, const VectorRef& x, double initial,
                                       const OwnedVector&) {
  return flow_.ledger(q, x, initial);
}

}  // namespace amble
