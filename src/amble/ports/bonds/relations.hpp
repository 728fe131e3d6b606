#pragma once

#include "amble/ports/bonds/behaviour.hpp"
#include "amble/ports/bonds/port_names.hpp"

namespace amble {

/// What each element says of its ports, as the graph wrote it.
class RelationWriter {
 public:
  RelationWriter(const BondGraph& graph, const PortNames& names) : graph_(graph), names_(names) {}

  std::vector<BondRelation> of(const BondElement& e) const;

 private:
  std::vector<BondRelation> of_junction(const BondElement& e) const;
  std::vector<BondRelation> of_storage(const BondElement& e) const;
  std::vector<BondRelation> of_resistor(const BondElement& e) const;
  std::vector<BondRelation> of_source(const BondElement& e) const;
  std::vector<BondRelation> of_two_port(const BondElement& e) const;
  Expression law(const BondElement& e, int component, bool effort) const;
  Expression power(const BondElement& e, int port) const;
  Expression at(const BondElement& e, int port, int component, bool effort) const;
  int dimension(const BondElement& e, int port) const { return graph_.bonds()[e.ports[port].bond].dimension; }

  const BondGraph& graph_;
  const PortNames& names_;
};

/// The states of all storage, then those of integrated signals.
std::vector<BondState> all_states(const BondGraph& graph);
/// Throws an Error for a graph with a mechanism; `what` cannot have one.
void check_no_mechanism(const BondGraph& graph, const std::string& what);

}  // namespace amble
