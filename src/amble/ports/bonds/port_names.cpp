#include "amble/ports/bonds/port_names.hpp"

#include <fmt/format.h>

namespace amble {

PortNames::PortNames(const BondGraph& graph, bool own) : graph_(graph), own_(own) { name_bonds(); }

/// For bonds between junctions: their name, or of both ends. No two have the same, nor that of an element.
void PortNames::name_bonds() {
  std::set<std::string> taken;
  for (const BondElement& e : graph_.elements()) taken.insert(e.name);
  for (const Bond& b : graph_.bonds()) {
    std::string name =
        b.name.empty() ? fmt::format("{}_{}", graph_.elements()[b.from].name, graph_.elements()[b.to].name)
                       : b.name;
    while (!taken.insert(name).second) name += "_";
    bonds_.push_back(name);
  }
}

std::string PortNames::of_element(const BondElement& e, int port, int component, bool effort) const {
  const int n = graph_.bonds()[e.ports[port].bond].dimension;
  const char which = effort ? 'e' : 'f';
  if (e.ports.size() == 1) return fmt::format("{}.{}", e.name, bond_quantity(which, component, n));
  if (n == 1) return fmt::format("{}.{}{}", e.name, which, port + 1);
  return fmt::format("{}.{}{}_{}", e.name, which, port + 1, component + 1);
}

std::string PortNames::of(int bond, bool head, int component, bool effort) const {
  const Bond& b = graph_.bonds()[bond];
  const auto component_at = [&](bool end, bool single) {
    const BondElement& e = graph_.elements()[b.end(end)];
    return !e.is_junction() && (!single || e.ports.size() == 1);
  };
  const auto named = [&](bool end) {
    return of_element(graph_.elements()[b.end(end)], end ? b.to_port : b.from_port, component, effort);
  };
  for (const bool single : {true, false})
    for (const bool end : {head, !head})
      if (component_at(end, single && !own_)) return named(end);
  return fmt::format("{}.{}", bonds_[bond], bond_quantity(effort ? 'e' : 'f', component, b.dimension));
}

std::string PortNames::at(const BondElement& e, int port, int component, bool effort) const {
  return of(e.ports[port].bond, own_ ? e.ports[port].in : true, component, effort);
}

std::string PortNames::meaning(const std::string& name) const {
  const std::size_t dot = name.rfind('.');
  const int bond = dot == std::string::npos ? -1 : graph_.bond_of(name.substr(0, dot));
  if (bond < 0) return name;
  const bool head = !own_ || graph_.elements()[graph_.bonds()[bond].to].name == name.substr(0, dot);
  const int n = graph_.bonds()[bond].dimension;
  for (int i = 0; i < n; ++i)
    for (const bool effort : {true, false})
      if (name.substr(dot + 1) == bond_quantity(effort ? 'e' : 'f', i, n)) return of(bond, head, i, effort);
  return name;
}

Expression PortNames::interpret(const Expression& expression,
                                const std::map<std::string, Expression>& local) const {
  std::map<std::string, Expression> values = local;
  for (const std::string& name : expression.variables())
    if (!values.contains(name)) values[name] = Expression::variable(meaning(name));
  return expression.substitute(values);
}

}  // namespace amble
