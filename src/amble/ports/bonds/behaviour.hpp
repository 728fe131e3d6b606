#pragma once

#include "amble/ports/bonds/bond_equations.hpp"

// The behavioural representation of DS Example 1.2: components with variables of their own and relations
// between these that hold, whichever of them one may want to compute. No causality is asked for or used.
namespace amble {

/// left = right, of numbers and not an assignment.
struct BondRelation {
  Expression left, right;

  std::string text() const { return left.text() + " = " + right.text(); }
};

/// An element by itself, a junction, what joins two components directly, or the signals.
struct BondComponent {
  std::string title;  ///< "R 'coil'"
  int element = -1;   ///< -1 when it is none
  std::vector<BondRelation> relations;
};

/// As many relations as unknowns: the efforts and flows of all ports, the rates "NAME'" of the states, and
/// signals. Expressions are of these, of t, the states and parameters.
struct BondRelations {
  std::vector<std::string> unknowns;
  std::vector<BondState>
      states;  ///< of all storage, in the order of the elements, then of integrated signals
  std::vector<BondComponent> components;
};

/// Calls the quantities of an element with one bond "NAME.e" and "NAME.f", of one with several "NAME.e1", ...
/// Throws an Error for a graph with a mechanism.
BondRelations bond_relations(const BondGraph& graph);
/// The relations, component by component.
std::string behaviour_text(const BondGraph& graph);

/// The relations, all solved together at any instant by Newton's method with exact derivatives. Not for
/// several threads at once. Dependent storage makes them singular: what one state is then follows from
/// another, so that their rates are not determined by the relations alone.
class BondBehaviour {
 public:
  /// Throws an Error for a graph with a mechanism.
  explicit BondBehaviour(BondGraph graph);
  BondBehaviour(BondBehaviour&&) noexcept;
  ~BondBehaviour();

  const BondGraph& graph() const;
  const BondRelations& relations() const;
  int size() const { return static_cast<int>(relations().states.size()); }
  OwnedVector initial() const;

  /// Throws an Error naming the components whose relations contradict or repeat each other, when they do, and
  /// the graph and the time when Newton's method finds nothing.
  void evaluate(double t, const double* x);
  const OwnedVector& rates() const;     ///< of the states
  const OwnedVector& unknowns() const;  ///< all of them, as relations().unknowns

  /// As those of BondEquations.
  const std::vector<int>& powered() const;
  BondPower power(std::size_t powered) const;
  double stored(std::size_t powered) const;
  /// Of t, a state, an unknown, or "NAME.e", "NAME.f" of a junction or bond. Throws an Error with the nearest
  /// name.
  double value(const std::string& name) const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace amble
