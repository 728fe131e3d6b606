#include "amble/ports/bonds/relations.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/ports/bonds/element_types.hpp"

namespace amble {

using enum BondElementType;

Expression RelationWriter::at(const BondElement& e, int port, int component, bool effort) const {
  return Expression::variable(names_.at(e, port, component, effort));
}

std::vector<BondRelation> RelationWriter::of(const BondElement& e) const {
  if (e.is_junction()) return of_junction(e);
  if (e.is_storage()) return of_storage(e);
  if (e.is_resistor()) return of_resistor(e);
  if (e.is_source()) return of_source(e);
  return of_two_port(e);
}

/// One quantity is the same at all ports; of the other, as much comes in as goes out.
std::vector<BondRelation> RelationWriter::of_junction(const BondElement& e) const {
  const bool common_effort = e.type == zero_junction;
  std::vector<BondRelation> out;
  for (int i = 0; i < dimension(e, 0); ++i) {
    BondRelation balance{0.0, 0.0};
    for (std::size_t k = 0; k < e.ports.size(); ++k) {
      const int port = static_cast<int>(k);
      if (k > 0) out.push_back({at(e, port - 1, i, common_effort), at(e, port, i, common_effort)});
      (e.ports[k].in ? balance.left : balance.right) += at(e, port, i, !common_effort);
    }
    out.push_back(balance);
  }
  return out;
}

std::vector<BondRelation> RelationWriter::of_storage(const BondElement& e) const {
  std::vector<BondRelation> out;
  for (std::size_t k = 0; k < e.ports.size(); ++k)
    for (int i = 0; i < dimension(e, static_cast<int>(k)); ++i) {
      const BondPort& p = e.ports[k];
      const std::string& state = e.states[p.first + i];
      out.push_back({at(e, static_cast<int>(k), i, !p.effort_state), e.energy.derivative(state)});
      out.push_back({Expression::variable(state + "'"), at(e, static_cast<int>(k), i, p.effort_state)});
    }
  return out;
}

/// What a resistor's value says of its effort, or of its flow.
Expression RelationWriter::law(const BondElement& e, int component, bool effort) const {
  const int n = dimension(e, 0);
  if (e.law == "effort" || e.law == "flow") {
    std::map<std::string, Expression> local;
    for (int j = 0; j < n; ++j) local[bond_quantity(effort ? 'f' : 'e', j, n)] = at(e, 0, j, !effort);
    return names_.interpret(e.value(component), local);
  }
  Expression out = 0.0;
  for (int j = 0; j < n; ++j) out += names_.interpret(e.value.as_matrix(component, j)) * at(e, 0, j, !effort);
  return out;
}

std::vector<BondRelation> RelationWriter::of_resistor(const BondElement& e) const {
  const bool effort = e.law == "resistance" || e.law == "effort";
  std::vector<BondRelation> out;
  for (int i = 0; i < dimension(e, 0); ++i) out.push_back({at(e, 0, i, effort), law(e, i, effort)});
  if (e.type == thermal_resistor) out.push_back({power(e, 1), power(e, 0)});
  return out;
}

Expression RelationWriter::power(const BondElement& e, int port) const {
  Expression out = 0.0;
  for (int i = 0; i < dimension(e, port); ++i) out += at(e, port, i, true) * at(e, port, i, false);
  return out;
}

std::vector<BondRelation> RelationWriter::of_source(const BondElement& e) const {
  std::vector<BondRelation> out;
  for (int i = 0; i < dimension(e, 0); ++i)
    out.push_back({at(e, 0, i, e.type == effort_source), names_.interpret(e.value(i))});
  return out;
}

std::vector<BondRelation> RelationWriter::of_two_port(const BondElement& e) const {
  std::vector<BondRelation> out;
  for (const TwoPortLaw& r : two_port_laws(e))
    for (int i = 0; i < dimension(e, r.port_a); ++i) {
      Expression sum = 0.0;
      for (int j = 0; j < dimension(e, r.port_b); ++j) {
        const Expression entry = r.transposed ? e.value.as_matrix(j, i) : e.value.as_matrix(i, j);
        sum += names_.interpret(entry) * at(e, r.port_b, j, r.effort_b);
      }
      out.push_back({at(e, r.port_a, i, r.effort_a), sum});
    }
  return out;
}

std::vector<BondState> all_states(const BondGraph& graph) {
  std::vector<BondState> out;
  for (std::size_t n = 0; n < graph.elements().size(); ++n) {
    const BondElement& e = graph.elements()[n];
    for (const BondPort& p : e.ports)
      for (int i = 0; e.is_storage() && i < graph.bonds()[p.bond].dimension; ++i)
        out.push_back(
            {e.states[p.first + i], e.initial[p.first + i], static_cast<int>(n), state_unit(graph, p)});
  }
  for (const BondSignalDescription& s : graph.signals())
    if (s.integrated) out.push_back({s.name, s.initial, -1, ""});
  return out;
}

void check_no_mechanism(const BondGraph& graph, const std::string& what) {
  if (const BondElement* m = graph.mechanism())
    throw Error(fmt::format("bond graph '{}' has {}: {} is for graphs without one", graph.name(),
                            described(*m), what));
}

}  // namespace amble
