#include "amble/simulation/bond_representation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"
#include "amble/ports/bonds/block_diagram.hpp"
#include "amble/simulation/behaviour_flow.hpp"
#include "amble/simulation/bond_flow.hpp"
#include "amble/simulation/bond_port_hamiltonian_flow.hpp"

namespace amble {

const std::vector<std::string>& bond_representation_names() {
  static const std::vector<std::string> names = {"block", "behaviour", "port-hamiltonian"};
  return names;
}

BondRepresentation bond_representation(const std::string& name) {
  const std::vector<std::string>& names = bond_representation_names();
  const auto at = std::ranges::find(names, name);
  if (at == names.end())
    throw Error(fmt::format("there is no representation '{}': expected {}{}", name, fmt::join(names, ", "),
                            suggestion(name, names)));
  return static_cast<BondRepresentation>(at - names.begin());
}

std::string representation_text(const BondGraph& graph, BondRepresentation representation) {
  if (representation == BondRepresentation::behaviour) return behaviour_text(graph);
  return representation == BondRepresentation::port_hamiltonian ? port_hamiltonian_text(graph)
                                                                : block_diagram_text(graph);
}

std::unique_ptr<BondMotion> bond_motion(const BondGraph& graph, BondRepresentation representation) {
  if (representation == BondRepresentation::behaviour) return std::make_unique<BehaviourFlow>(graph);
  if (representation == BondRepresentation::port_hamiltonian)
    return std::make_unique<BondPortHamiltonianFlow>(graph);
  return std::make_unique<BondFlow>(graph);
}

}  // namespace amble
