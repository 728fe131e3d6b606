#pragma once

#include "amble/simulation/bond_representation.hpp"
#include "amble/simulation/integrators.hpp"

namespace amble {

/// A bond graph run in time, with its books of energy.
class BondSimulator {
 public:
  /// `method`: one of integrator_names(). Throws an Error for a graph that has no such representation, or that the
  /// integrator does not take.
  explicit BondSimulator(const BondGraph& graph, const IntegratorOptions& options = {},
                         BondRepresentation representation = BondRepresentation::block,
                         const std::string& method = "rkmk45");
  BondSimulator(BondSimulator&&) noexcept;
  ~BondSimulator();

  const BondGraph& graph() const;
  /// Starts at the graph's initial values; a mechanism at `q` and `v`, or neutral and at rest.
  void reset(double t = 0.0);
  void reset(const VectorRef& q, const VectorRef& v, double t = 0.0);
  /// Throws an Error with the time of what goes wrong; the state is then the last good one.
  void advance(double end);
  /// One step of the integrator, no further than `end`.
  void step_towards(double end);

  double t() const;
  std::vector<std::string> state_names() const;
  OwnedVector states() const;    ///< of the graph
  const OwnedVector& q() const;  ///< of the mechanism
  OwnedVector v() const;
  /// Now: of a signal, or see BondEquations::value().
  double value(const std::string& name);
  /// Within the last step.
  double value_at(double t, const std::string& name);
  /// Energy of storage and mechanism (J).
  double energy();
  /// False in the port-Hamiltonian form when a resistor lies between a source and storage.
  bool has_books() const;
  /// Throws an Error when there are none.
  Ledger ledger();
  /// The largest |supplied - delivered - stored - dissipated| of an element so far (J).
  double largest_gap();
  const IntegratorReport& report() const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace amble
