#pragma once

#include "amble/ports/bonds/behaviour.hpp"
#include "amble/simulation/bond_motion.hpp"

namespace amble {

/// A bond graph without a mechanism, moved by its behaviour: at each instant all relations are solved
/// together, without causality. x are the states of BondRelations, then supplied, delivered and dissipated
/// energy as in BondFlow.
class BehaviourFlow : public BondMotion {
 public:
  /// Throws an Error for a graph with a mechanism, and for relations that are singular at the start.
  explicit BehaviourFlow(const BondGraph& graph);

  const Mechanism* mechanism() const override { return nullptr; }
  int size() const override { return behaviour_.size() + 3 * entries(); }
  int active() const override { return behaviour_.size(); }
  void rates(double t, const double* q, const double* x, double* v, double* xdot) override;

  const BondBehaviour& behaviour() const { return behaviour_; }
  const BondGraph& graph() const override { return behaviour_.graph(); }
  std::vector<std::string> state_names() const override;
  OwnedVector start(const VectorRef& v) const override;
  void set(double t, const double* q, const double* x) override;

  /// Nothing: all that is stored has an entry.
  double energy(const VectorRef& q, const VectorRef& x) override;
  double stored() const override;
  int entries() const override { return static_cast<int>(behaviour_.powered().size()); }
  double delivered(int entry, const VectorRef& x) const override {
    return x[behaviour_.size() + 3 * entry + 1];
  }
  OwnedVector stored(double t, const VectorRef& q, const VectorRef& x) override;
  Ledger ledger(double t, const VectorRef& q, const VectorRef& x, double initial,
                const OwnedVector& stored_then) override;

 protected:
  double quantity(const std::string& name) const override { return behaviour_.value(name); }

 private:
  BondBehaviour behaviour_;
};

}  // namespace amble
