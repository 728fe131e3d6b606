#include <fmt/format.h>

#include <algorithm>

#include "amble/base/error.hpp"
#include "amble/ports/bonds/bond_equations.hpp"

namespace amble {

namespace {

std::string names(const BondGraph& graph, const std::vector<int>& elements) {
  std::vector<std::string> out;
  for (const int e : elements) out.push_back(described(graph.elements()[e]));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string dependence(const BondGraph& graph, const DependentStorage& d) {
  const BondElement& e = graph.elements()[d.element];
  return fmt::format("{} does not integrate (differential causality): its {} follows from {}", described(e),
                     e.ports[d.port].effort_state ? "flow" : "effort", names(graph, d.on));
}

std::string loop_text(const BondGraph& graph, const std::vector<int>& loop) {
  if (loop.empty()) return "an algebraic loop among junctions, TF and GY";
  if (loop.size() == 1)
    return fmt::format("an algebraic equation at {}: its law is used backwards, or it loops through itself",
                       names(graph, loop));
  return fmt::format("an algebraic loop through {}", names(graph, loop));
}

std::string solution_text(const BondSystem& system) {
  std::vector<std::string> closed, numerical;
  for (const BondSolution& s : system.solved) closed.push_back(s.name);
  for (const BondUnknown& u : system.unknowns) numerical.push_back(u.name);
  std::string out;
  if (!closed.empty()) out += fmt::format("  solved in closed form: {}\n", fmt::join(closed, ", "));
  if (!numerical.empty())
    out += fmt::format("  solved at every instant by Newton's method: {}\n", fmt::join(numerical, ", "));
  return out;
}

std::string states_text(const BondEquations& equations) {
  const BondSystem& s = equations.system();
  std::string out = s.states.empty() ? "" : "states\n";
  for (const BondState& x : s.states) {
    const std::string of = x.element < 0 ? "signal" : described(equations.graph().elements()[x.element]);
    out += fmt::format("  {:<12} {}{}, {:g} at first\n", x.name, of, x.unit.empty() ? "" : ", " + x.unit, x.initial);
  }
  return out;
}

std::string forces_text(const BondEquations& equations) {
  const BondElement* m = equations.graph().mechanism();
  if (m == nullptr) return "";
  std::string out = fmt::format("forces on mechanism '{}'\n", m->name);
  const std::vector<std::string> names = mechanism_variables(*m, 'v');
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t dot = names[i].rfind('.');
    out += fmt::format("  {}.tau{} = {}\n", names[i].substr(0, dot), names[i].substr(dot + 2),
                       equations.system().tau[i].text());
  }
  return out;
}

std::string energy_text(const BondGraph& graph) {
  std::vector<std::string> terms;
  for (const BondElement& e : graph.elements())
    if (e.is_storage() && !e.energy.is_zero()) terms.push_back(e.energy.text());
  return terms.empty() ? "" : fmt::format("energy\n  H = {}\n", fmt::join(terms, " + "));
}

}  // namespace

std::string causality_report(const BondGraph& graph) {
  const BondCausality causality = assign_causality(graph);
  std::string out = fmt::format("causality of bond graph '{}'\n", graph.name());
  for (const std::string& c : causality.conflicts) out += fmt::format("  conflict: {}\n", c);
  for (const DependentStorage& d : causality.dependent) out += fmt::format("  {}\n", dependence(graph, d));
  for (const std::string& note : causality.notes) out += fmt::format("  {}\n", note);
  if (!causality.conflicts.empty()) return out;
  const BondSystem system = derive_equations(graph);
  const bool storage = std::ranges::any_of(graph.elements(), [](const BondElement& e) { return e.is_storage(); });
  if (causality.dependent.empty() && storage) out += "  every storage element integrates\n";
  for (const std::vector<int>& loop : system.loops) out += fmt::format("  {}\n", loop_text(graph, loop));
  return out + solution_text(system);
}

std::string equations_text(const BondEquations& equations) {
  const BondSystem& s = equations.system();
  std::string out = states_text(equations);
  if (!s.states.empty()) out += "equations\n";
  for (std::size_t i = 0; i < s.states.size(); ++i)
    out += fmt::format("  {}' = {}\n", s.states[i].name, s.rates[i].text());
  for (const BondUnknown& u : s.unknowns) out += fmt::format("  0 = {}    for {}\n", u.residual.text(), u.name);
  if (!s.solved.empty()) out += "where\n";
  for (const BondSolution& x : s.solved) out += fmt::format("  {} = {}\n", x.name, x.value.text());
  return out + forces_text(equations) + energy_text(equations.graph());
}

}  // namespace amble
