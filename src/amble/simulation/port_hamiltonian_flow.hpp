#pragma once

#include "amble/ports/ledger.hpp"
#include "amble/ports/port_hamiltonian.hpp"
#include "amble/simulation/flow.hpp"

namespace amble {

/// A port-Hamiltonian system under an input. x are the system's numbers, then what its ports supplied and what it
/// dissipated since the start (J).
class PortHamiltonianFlow : public Flow {
 public:
  /// u at a time; it fills `u`, which is zero.
  using Input = std::function<void(double t, OwnedVector& u)>;

  explicit PortHamiltonianFlow(PortHamiltonianPtr system, Input input = {});
  const Mechanism* mechanism() const override { return system_->mechanism(); }
  int size() const override { return system_->numbers() + 2; }
  int active() const override { return system_->numbers(); }
  void rates(double t, const double* q, const double* x, double* v, double* xdot) override;

  /// The whole state for numbers of the system, at the start of a motion.
  OwnedVector start(const VectorRef& numbers) const;
  double energy(const VectorRef& q, const VectorRef& x);
  /// The books since a start with this energy: one entry for the ports, one for what is dissipated.
  Ledger ledger(const VectorRef& q, const VectorRef& x, double initial);

 private:
  const PortHamiltonianTerms& evaluate(const double* q, const double* x);

  PortHamiltonianPtr system_;
  Input input_;
  PortHamiltonianTerms terms_;
  OwnedVector u_;
};

}  // namespace amble
