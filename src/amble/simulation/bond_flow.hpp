#pragma once

#include "amble/ports/bonds/bond_equations.hpp"
#include "amble/ports/element.hpp"
#include "amble/simulation/bond_motion.hpp"

namespace amble {

/// A bond graph in motion. x is the velocity of its mechanism, if it has one, then the graph's states, then for each
/// element that has a power the energy that it was supplied, delivered and dissipated since the start (J): storage,
/// sources, resistors, then the springs, damping and friction that the mechanism carries.
class BondFlow : public BondMotion {
 public:
  /// Throws an Error for a graph with conflicts, and for a mechanism with loops or rolling wheels.
  explicit BondFlow(const BondGraph& graph);

  const Mechanism* mechanism() const override { return mechanism_.get(); }
  int size() const override { return first_quadrature_ + 3 * entries(); }
  void rates(double t, const double* q, const double* x, double* v, double* xdot) override;

  BondEquations& equations() { return equations_; }
  const BondEquations& equations() const { return equations_; }
  const BondGraph& graph() const override { return equations_.graph(); }
  std::vector<std::string> state_names() const override { return equations_.state_names(); }
  int first_state() const override { return nv_; }
  OwnedVector start(const VectorRef& v) const override;
  /// Brings equations() to this instant.
  void set(double t, const double* q, const double* x) override;

  /// Kinetic energy of the mechanism and its energy in gravity.
  double energy(const VectorRef& q, const VectorRef& x) override;
  double stored() const override { return equations_.stored(); }
  int entries() const override { return static_cast<int>(equations_.powered().size() + elements_.size()); }
  double delivered(int entry, const VectorRef& x) const override { return x[first_quadrature_ + 3 * entry + 1]; }
  OwnedVector stored(double t, const VectorRef& q, const VectorRef& x) override;
  Ledger ledger(double t, const VectorRef& q, const VectorRef& x, double initial,
                const OwnedVector& stored_then) override;

 protected:
  double quantity(const std::string& name) const override { return equations_.value(name); }

 private:
  void carry(double t, const double* q, const double* x);
  void set_graph(double t, const double* q, const double* x);
  const std::string& entry_name(int entry) const;

  BondEquations equations_;
  std::shared_ptr<const Mechanism> mechanism_;
  int nv_ = 0, first_quadrature_ = 0;
  std::unique_ptr<Workspace> work_;  // null without a mechanism
  std::vector<ElementPtr> elements_;
  PortFlows flows_;
  OwnedVector q_, v_, tau_, force_;
  OwnedMatrix M_, books_;  // books_: a column of supplied, delivered, dissipated, stored for each carried element
};

}  // namespace amble
