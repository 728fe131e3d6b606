#pragma once

#include "amble/ports/bonds/bond_system.hpp"

namespace amble {

/// Finds every effort and flow by asking the element that causality makes compute it. What is asked for while it is
/// being found closes an algebraic loop: it becomes an unknown with an equation of its own.
class BondDerivation {
 public:
  BondDerivation(const BondGraph& graph, const DeriveOptions& options);
  BondSystem run();

 private:
  struct Variable {
    int bond = 0, component = 0;
    bool effort = true;
    auto operator<=>(const Variable&) const = default;
  };
  struct Found {
    Expression value;
    bool done = false, torn = false;
  };
  // derivation.cpp: efforts and flows
  Expression find(const Variable& variable);
  Expression of_port(const BondElement& e, int port, int component, bool effort);
  Expression at(const BondElement& e, int port, int component, bool effort);
  Expression computed(const BondElement& e, int port, int component, bool effort);
  Expression of_junction(const BondElement& e, int port, int component, bool effort);
  Expression of_storage(const BondElement& e, int port, int component);
  Expression of_resistor(const BondElement& e, int component, bool effort);
  Expression inverse_law(const BondElement& e, int component, bool effort);
  Expression heat(const BondElement& e);
  Expression of_two_port(const BondElement& e, int port, int component, bool effort);
  Expression of_source(const BondElement& e, int component);
  Expression interpret(const Expression& expression, const std::map<std::string, Expression>& local = {});
  Expression meaning(const std::string& name);
  std::string name_of(const Variable& v) const;
  int dimension(const BondElement& e, int port) const { return graph_.bonds()[e.ports[port].bond].dimension; }
  int index(const BondElement& e) const { return static_cast<int>(&e - graph_.elements().data()); }
  bool dependent(const BondElement& e, int port) const;
  void note_loop(const Variable& v);

  // assembly.cpp: states and what is unknown
  void find_all();
  void collect_states();
  void add_state(const BondElement& e, int port, int component);
  void add_dependent_equations();
  Expression total_rate(const Expression& expression, const std::string& what);
  void collect_forces();
  void eliminate();
  bool eliminate_one();

  const BondGraph& graph_;
  DeriveOptions options_;
  BondSystem out_;
  std::map<Variable, Found> found_;
  std::vector<Variable> stack_;
  std::vector<std::function<void()>> pending_;
  std::map<std::string, Expression> signals_;
  std::set<std::string> inverted_;
  std::vector<std::pair<std::string, Expression>> constraints_;  // dependent state and dH/dx - what it must be
};

}  // namespace amble
