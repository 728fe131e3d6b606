#pragma once

#include "amble/ports/bonds/port_hamiltonian_form.hpp"
#include "amble/simulation/bond_motion.hpp"
#include "amble/simulation/port_hamiltonian_flow.hpp"

namespace amble {

/// A linear bond graph, moved by its matrices J, R and g and the energy of its states. The books have two
/// entries: what the sources supply and what is dissipated.
class BondPortHamiltonianFlow : public BondMotion {
 public:
  /// Throws an Error as port_hamiltonian(graph) does.
  explicit BondPortHamiltonianFlow(const BondGraph& graph);

  const Mechanism* mechanism() const override { return nullptr; }
  int size() const override { return flow_.size(); }
  int active() const override { return flow_.active(); }
  void rates(double t, const double* q, const double* x, double* v, double* xdot) override;

  const BondPortHamiltonian& form() const { return form_; }
  const BondGraph& graph() const override { return equations_.graph(); }
  std::vector<std::string> state_names() const override { return form_.matrices.states; }
  OwnedVector start(const VectorRef& v) const override;
  void set(double t, const double* q, const double* x) override;

  /// H.
  double energy(const VectorRef& q, const VectorRef& x) override { return flow_.energy(q, x); }
  double stored() const override { return 0.0; }
  bool has_books() const override { return form_.collocated; }
  int entries() const override { return has_books() ? 2 : 0; }
  double delivered(int entry, const VectorRef& x) const override;
  OwnedVector stored(double t, const VectorRef& q, const VectorRef& x) override;
  Ledger ledger(double t, const VectorRef& q, const VectorRef& x, double initial,
                const OwnedVector& stored_then) override;

 protected:
  /// Efforts and flows are read off the graph at these states.
  double quantity(const std::string& name) const override { return equations_.value(name); }

 private:
  BondPortHamiltonian form_;
  PortHamiltonianFlow flow_;
  BondEquations equations_;
};

}  // namespace amble
