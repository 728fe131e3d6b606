#include "amble/ports/bonds/element_types.hpp"

#include <algorithm>

#include "amble/ports/bonds/domain.hpp"

namespace amble {

std::span<const BondElementKind> bond_element_kinds() {
  using enum BondElementType;
  static const std::vector<BondElementKind> kKinds{
      {inertia, "I", {"inertance", "energy"}, 1, 0},
      {compliance, "C", {"compliance", "stiffness", "energy"}, 1, 0},
      {field, "IC", {"energy"}, 1, 0},
      {resistor, "R", {"resistance", "conductance", "effort", "flow"}, 1, 1},
      {thermal_resistor, "RS", {"resistance", "conductance", "effort", "flow"}, 2, 2},
      {effort_source, "Se", {"effort"}, 1, 1},
      {flow_source, "Sf", {"flow"}, 1, 1},
      {transformer, "TF", {"flow_ratio", "effort_ratio"}, 2, 2},
      {gyrator, "GY", {"impedance", "admittance"}, 1, 2},
      {zero_junction, "0", {}, 1, 0},
      {one_junction, "1", {}, 1, 0},
      {mechanism, "mechanism", {}, 0, 0},
  };
  return kKinds;
}

const BondElementKind* bond_element_kind(const std::string& symbol) {
  const std::span<const BondElementKind> all = bond_element_kinds();
  const auto named = [&](const std::string& s) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const BondElementKind& k) { return k.symbol == s; });
    return found == all.end() ? nullptr : &*found;
  };
  if (const BondElementKind* kind = named(symbol)) return kind;
  const BondElementKind* kind = symbol.starts_with('M') ? named(symbol.substr(1)) : nullptr;
  return kind != nullptr && !kind->laws.empty() ? kind : nullptr;
}

std::vector<TwoPortLaw> two_port_laws(const BondElement& e) {
  const bool one = e.ports.size() == 1;
  if (e.law == "flow_ratio") return {{1, false, 0, false, false}, {0, true, 1, true, true}};
  if (e.law == "effort_ratio") return {{1, true, 0, true, false}, {0, false, 1, false, true}};
  if (e.law == "impedance" && one) return {{0, true, 0, false, false}};
  if (e.law == "impedance") return {{1, true, 0, false, false}, {0, true, 1, false, true}};
  if (one) return {{0, false, 0, true, false}};
  return {{0, false, 1, true, false}, {1, false, 0, true, true}};
}

std::string state_unit(const BondGraph& graph, const BondPort& port) {
  const std::string& domain = graph.bonds()[port.bond].domain;
  if (domain.empty()) return "";
  return port.effort_state ? bond_domain(domain).momentum_unit : bond_domain(domain).displacement_unit;
}

}  // namespace amble
