#include <fmt/format.h>

#include <algorithm>

#include "amble/base/error.hpp"
#include "amble/ports/bonds/derivation.hpp"
#include "amble/ports/bonds/element_types.hpp"

namespace amble {

/// Resistors first, so that algebraic loops are cut at them.
void BondDerivation::find_all() {
  for (const BondElement& e : graph_.elements())
    for (int i = 0; e.is_resistor() && i < dimension(e, 0); ++i) at(e, 0, i, !out_.causality.effort_in(e.ports[0]));
  for (int b = 0; b < static_cast<int>(graph_.bonds().size()); ++b)
    for (int i = 0; i < graph_.bonds()[b].dimension; ++i) find({b, i, true}), find({b, i, false});
  for (std::size_t k = 0; k < pending_.size(); ++k) pending_[k]();
}

void BondDerivation::add_state(const BondElement& e, int port, int component) {
  const BondPort& p = e.ports[port];
  const int k = p.first + component;
  const BondState state{e.states[k], e.initial[k], index(e), state_unit(graph_, p)};
  if (!dependent(e, port)) {
    out_.states.push_back(state);
    out_.rates.push_back(at(e, port, component, p.effort_state));
    return;
  }
  if (e.initial_given)
    throw Error(fmt::format("{} is given an initial value, but has none of its own: other elements determine its {}",
                            described(e), p.effort_state ? "flow" : "effort"));
  out_.dependent.push_back(state);
  constraints_.emplace_back(state.name, e.energy.derivative(state.name) - at(e, port, component, !p.effort_state));
}

void BondDerivation::collect_states() {
  for (const BondElement& e : graph_.elements())
    for (std::size_t k = 0; e.is_storage() && k < e.ports.size(); ++k)
      for (int i = 0; i < dimension(e, static_cast<int>(k)); ++i) add_state(e, static_cast<int>(k), i);
  for (const BondSignalDescription& s : graph_.signals()) {
    if (!s.integrated) continue;
    out_.states.push_back({s.name, s.initial, -1, ""});
    out_.rates.push_back(interpret(s.value));
  }
}

/// d/dt of an expression of states, the time and a mechanism's motion; `what` is the storage that needs it.
Expression BondDerivation::total_rate(const Expression& expression, const std::string& what) {
  std::map<std::string, Expression> rate{{"t", 1.0}};
  for (const auto& [name, value] : graph_.parameters()) rate[name] = 0.0;
  for (std::size_t i = 0; i < out_.states.size(); ++i) rate[out_.states[i].name] = out_.rates[i];
  for (const BondState& s : out_.dependent) rate[s.name] = Expression::variable(s.name + "'");
  std::set<std::string> velocities;
  if (const BondElement* m = graph_.mechanism()) {
    const std::vector<std::string> q = mechanism_variables(*m, 'q'), v = mechanism_variables(*m, 'v'),
                                   a = mechanism_variables(*m, 'a');
    for (std::size_t i = 0; i < v.size(); ++i) rate[v[i]] = Expression::variable(a[i]);
    velocities.insert(v.begin(), v.end());
    for (const std::string& joint : m->mechanism->joint_names())
      if (const Slice at = m->mechanism->q_slice(joint); !q[at.start].empty())
        rate[q[at.start]] = Expression::variable(v[m->mechanism->v_slice(joint).start]);
  }
  if (options_.symbolic_sources)
    for (const BondElement& e : graph_.elements())
      for (int i = 0; e.is_source() && i < dimension(e, 0); ++i) rate[of_source(e, i).text()] = 0.0;
  Expression out = 0.0;
  for (const std::string& name : expression.variables()) {
    const auto found = rate.find(name);
    if (found == rate.end())
      throw Error(fmt::format(
          "storage state '{}' follows from '{}', which is itself the solution of an equation: its rate is not "
          "known; give one of the elements in between a storage of its own",
          what, name));
    out_.needs_acceleration = out_.needs_acceleration || velocities.contains(name);
    out += expression.derivative(name) * found->second;
  }
  return out;
}

/// Storage that does not integrate: its state and its rate are unknown, its constraint and the rate of that are the
/// equations.
void BondDerivation::add_dependent_equations() {
  for (const auto& [state, constraint] : constraints_) {
    out_.unknowns.push_back({state, constraint});
    out_.unknowns.push_back({state + "'", total_rate(constraint, state)});
  }
}

void BondDerivation::collect_forces() {
  const BondElement* m = graph_.mechanism();
  if (m == nullptr) return;
  out_.tau.assign(m->mechanism->nv(), Expression(0.0));
  for (std::size_t k = 0; k < m->ports.size(); ++k)
    for (int i = 0; i < dimension(*m, static_cast<int>(k)); ++i)
      out_.tau[m->ports[k].first + i] = at(*m, static_cast<int>(k), i, true);
}

/// Solves one equation that has one unknown, linearly, and puts the solution into the others.
bool BondDerivation::eliminate_one() {
  std::set<std::string> names;
  for (const BondUnknown& u : out_.unknowns) names.insert(u.name);
  const auto free = [&](const Expression& e) {
    return std::ranges::none_of(e.variables(), [&](const std::string& v) { return names.contains(v); });
  };
  for (std::size_t k = 0; k < out_.unknowns.size(); ++k) {
    const BondUnknown u = out_.unknowns[k];
    const Expression slope = u.residual.derivative(u.name), rest = u.residual.substitute({{u.name, 0.0}});
    if (slope.is_zero() || !free(slope) || !free(rest)) continue;
    out_.solved.push_back({u.name, -rest / slope});
    out_.unknowns.erase(out_.unknowns.begin() + static_cast<std::ptrdiff_t>(k));
    for (BondUnknown& other : out_.unknowns)
      other.residual = other.residual.substitute({{u.name, out_.solved.back().value}});
    return true;
  }
  return false;
}

void BondDerivation::eliminate() {
  while (eliminate_one()) continue;
  for (const BondUnknown& u : out_.unknowns)
    if (u.residual.is_zero())
      throw Error(fmt::format("nothing in bond graph '{}' determines '{}': its junctions form a ring of their own",
                              graph_.name(), u.name));
  std::map<std::string, Expression> values;
  for (const BondSolution& s : out_.solved) values[s.name] = s.value;
  const auto put_in = [&](std::vector<Expression>& all) {
    for (Expression& e : all) e = e.substitute(values);
  };
  put_in(out_.rates), put_in(out_.tau);
  for (auto& bond : out_.e) put_in(bond);
  for (auto& bond : out_.f) put_in(bond);
}

BondSystem BondDerivation::run() {
  find_all();
  collect_states();
  add_dependent_equations();
  collect_forces();
  for (int b = 0; b < static_cast<int>(graph_.bonds().size()); ++b) {
    out_.e.emplace_back(), out_.f.emplace_back();
    for (int i = 0; i < graph_.bonds()[b].dimension; ++i)
      out_.e[b].push_back(find({b, i, true})), out_.f[b].push_back(find({b, i, false}));
  }
  eliminate();
  return std::move(out_);
}

}  // namespace amble
