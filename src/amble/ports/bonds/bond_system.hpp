#pragma once

#include "amble/ports/bonds/causality.hpp"

namespace amble {

/// A number that the equations carry on in time.
struct BondState {
  std::string name;
  double initial = 0.0;
  int element = -1;  ///< the storage it belongs to; -1 for an integrated signal
  std::string unit;  ///< empty when its domain is not known
};

/// A number found from an equation 0 = residual at every instant.
struct BondUnknown {
  std::string name;
  Expression residual;
};

/// Unknowns that were solved in closed form, in this order.
struct BondSolution {
  std::string name;
  Expression value;
};

/// The equations of a bond graph by its causality. Expressions are of t, the states, parameters, what is unknown, and
/// of a mechanism "NAME.JOINT.q", ".v" and ".a".
struct BondSystem {
  BondCausality causality;
  std::vector<BondState> states;      ///< the independent ones
  std::vector<Expression> rates;      ///< of the states
  std::vector<BondState> dependent;   ///< states that follow from the others
  std::vector<BondUnknown> unknowns;  ///< solved by Newton's method
  std::vector<BondSolution> solved;
  std::vector<Expression> tau;                ///< on the mechanism, nv
  std::vector<std::vector<Expression>> e, f;  ///< of each bond, by component
  std::vector<std::vector<int>> loops;        ///< elements of each algebraic loop
  bool needs_acceleration = false;            ///< of the mechanism: storage follows its joints
};

struct DeriveOptions {
  /// Sources stay variables "NAME.e" and "NAME.f" instead of their values.
  bool symbolic_sources = false;
};

/// Throws an Error with every conflict of the causality, and for equations that no method here solves.
BondSystem derive_equations(const BondGraph& graph, const DeriveOptions& options = {});

/// The variables of a mechanism, nv each or, for q, nq: empty where a joint has several coordinates.
std::vector<std::string> mechanism_variables(const BondElement& mechanism, char which);

}  // namespace amble
