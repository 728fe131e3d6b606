#pragma once

#include "amble/ports/bonds/bond_graph.hpp"

namespace amble {

/// What the efforts and flows of a graph are called in its representations.
class PortNames {
 public:
  /// `own`: each component has variables of its own, also where a bond joins two of them directly. Otherwise
  /// a bond has one name.
  PortNames(const BondGraph& graph, bool own);

  std::string of(int bond, bool head, int component, bool effort) const;
  std::string at(const BondElement& e, int port, int component, bool effort) const;
  /// What a name in an expression stands for: "NAME.f" of a junction or bond is that of a port; others are
  /// themselves.
  std::string meaning(const std::string& name) const;
  Expression interpret(const Expression& expression,
                       const std::map<std::string, Expression>& local = {}) const;

 private:
  std::string of_element(const BondElement& e, int port, int component, bool effort) const;
  void name_bonds();

  const BondGraph& graph_;
  bool own_;
  std::vector<std::string> bonds_;
};

}  // namespace amble
