#pragma once

#include "amble/ports/bonds/bond_graph.hpp"
#include "amble/ports/ledger.hpp"
#include "amble/simulation/flow.hpp"

namespace amble {

/// A bond graph as it is run: what its representations have in common. x is the velocity of the mechanism, if
/// there is one, then the states, then integrals for the books.
class BondMotion : public Flow {
 public:
  virtual const BondGraph& graph() const = 0;
  virtual std::vector<std::string> state_names() const = 0;
  /// Where the states begin in x.
  virtual int first_state() const { return 0; }
  /// x at the start: the graph's initial values, no energy has flowed yet. `v` is empty without a mechanism.
  virtual OwnedVector start(const VectorRef& v) const = 0;
  /// Brings value() to this instant.
  virtual void set(double t, const double* q, const double* x) = 0;
  /// Of a signal, or any quantity that the representation has. Throws an Error with the nearest name.
  double value(const std::string& name) const;

  /// What is stored beside the entries: in a mechanism, or in a system that has one energy.
  virtual double energy(const VectorRef& q, const VectorRef& x) = 0;
  /// What the graph's elements store beside energy(), as set() left it.
  virtual double stored() const = 0;
  /// False when the representation does not know the power of the sources.
  virtual bool has_books() const { return true; }
  virtual int entries() const = 0;
  virtual double delivered(int entry, const VectorRef& x) const = 0;
  /// What each entry stores at a state.
  virtual OwnedVector stored(double t, const VectorRef& q, const VectorRef& x) = 0;
  /// The books since a start with this energy() and these stores.
  virtual Ledger ledger(double t, const VectorRef& q, const VectorRef& x, double initial,
                        const OwnedVector& stored_then) = 0;

 protected:
  virtual double quantity(const std::string& name) const = 0;
};

}  // namespace amble
