#include "amble/ports/bonds/derivation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "amble/base/error.hpp"
#include "amble/ports/bonds/element_types.hpp"

namespace amble {

using enum BondElementType;

namespace {

BondCausality checked_causality(const BondGraph& graph) {
  BondCausality out = assign_causality(graph);
  if (!out.conflicts.empty())
    throw Error(
        fmt::format("bond graph '{}' has a causality conflict: {}", graph.name(), fmt::join(out.conflicts, "; ")));
  return out;
}

}  // namespace

BondDerivation::BondDerivation(const BondGraph& graph, const DeriveOptions& options)
    : graph_(graph), options_(options) {
  out_.causality = checked_causality(graph);
}

/// As a reader would call it: of the element with one bond at its end, or of the bond.
std::string BondDerivation::name_of(const Variable& v) const {
  const Bond& b = graph_.bonds()[v.bond];
  const std::string which = bond_quantity(v.effort ? 'e' : 'f', v.component, b.dimension);
  for (const int end : {b.from, b.to}) {
    const BondElement& e = graph_.elements()[end];
    if (e.ports.size() == 1 && !e.is_junction()) return fmt::format("{}.{}", e.name, which);
  }
  const std::string bond =
      b.name.empty() ? fmt::format("{}_{}", graph_.elements()[b.from].name, graph_.elements()[b.to].name) : b.name;
  return fmt::format("{}.{}", bond, which);
}

bool BondDerivation::dependent(const BondElement& e, int port) const {
  return out_.causality.effort_in(e.ports[port]) != e.ports[port].effort_state;
}

Expression BondDerivation::find(const Variable& v) {
  const auto known = found_.find(v);
  if (known != found_.end() && !known->second.done && !known->second.torn) {
    known->second.torn = true;
    known->second.value = Expression::variable(name_of(v));
    note_loop(v);
  }
  if (known != found_.end()) return known->second.value;
  found_[v] = {};
  stack_.push_back(v);
  const Bond& b = graph_.bonds()[v.bond];
  const bool head_gets_effort = out_.causality.strokes[v.bond] == BondCausality::Stroke::head;
  const bool asks_head = v.effort != head_gets_effort;
  const BondElement& e = graph_.elements()[b.end(asks_head)];
  const Expression value = computed(e, asks_head ? b.to_port : b.from_port, v.component, v.effort);
  stack_.pop_back();
  Found& here = found_[v];
  if (here.torn)
    out_.unknowns.push_back({name_of(v), here.value - value});
  else
    here.value = value;
  here.done = true;
  return here.value;
}

void BondDerivation::note_loop(const Variable& v) {
  std::vector<int> elements;
  for (auto at = std::find(stack_.begin(), stack_.end(), v); at != stack_.end(); ++at) {
    const Bond& b = graph_.bonds()[at->bond];
    for (const int end : {b.from, b.to}) {
      const bool there = std::find(elements.begin(), elements.end(), end) != elements.end();
      if (graph_.elements()[end].is_resistor() && !there) elements.push_back(end);
    }
  }
  out_.loops.push_back(elements);
}

/// The effort or flow of the bond at a port.
Expression BondDerivation::at(const BondElement& e, int port, int component, bool effort) {
  return find({e.ports[port].bond, component, effort});
}

Expression BondDerivation::computed(const BondElement& e, int port, int component, bool effort) {
  if (e.is_junction()) return of_junction(e, port, component, effort);
  if (e.is_storage()) return of_storage(e, port, component);
  if (e.is_resistor()) return port == 0 ? of_resistor(e, component, effort) : heat(e);
  if (e.is_source()) return of_source(e, component);
  if (e.type == mechanism) return Expression::variable(mechanism_variables(e, 'v')[e.ports[port].first + component]);
  return of_two_port(e, port, component, effort);
}

Expression BondDerivation::of_source(const BondElement& e, int component) {
  if (options_.symbolic_sources)
    return Expression::variable(
        fmt::format("{}.{}", e.name, bond_quantity(e.type == effort_source ? 'e' : 'f', component, dimension(e, 0))));
  return interpret(e.value(component));
}

/// The common quantity from the bond that brings it, or the balance of the other.
Expression BondDerivation::of_junction(const BondElement& e, int port, int component, bool effort) {
  const bool common_effort = e.type == zero_junction;
  if (effort == common_effort) {
    for (std::size_t k = 0; k < e.ports.size(); ++k)
      if (out_.causality.effort_in(e.ports[k]) == common_effort) return at(e, static_cast<int>(k), component, effort);
    throw Error(fmt::format("{} has no bond that brings its {}", described(e), effort ? "effort" : "flow"));
  }
  Expression sum = 0.0;
  for (std::size_t k = 0; k < e.ports.size(); ++k) {
    if (static_cast<int>(k) == port) continue;
    const Expression other = at(e, static_cast<int>(k), component, effort);
    sum = e.ports[k].in == e.ports[port].in ? sum - other : sum + other;
  }
  return sum;
}

Expression BondDerivation::of_storage(const BondElement& e, int port, int component) {
  const std::string& state = e.states[e.ports[port].first + component];
  return dependent(e, port) ? Expression::variable(state + "'") : e.energy.derivative(state);
}

/// e = R f, f = G e, or a law; where causality asks for the other quantity a single number is divided by.
Expression BondDerivation::of_resistor(const BondElement& e, int component, bool effort) {
  const int n = dimension(e, 0);
  const bool gives_effort = e.law == "resistance" || e.law == "effort", single = e.value.rows() * e.value.cols() == 1;
  const bool law = e.law == "effort" || e.law == "flow";
  if (gives_effort != effort && (law || !single)) return inverse_law(e, component, effort);
  if (gives_effort != effort) return at(e, 0, component, !effort) / interpret(e.value(0));
  if (!law) {
    Expression out = 0.0;
    for (int j = 0; j < n; ++j)
      if (const Expression entry = e.value.as_matrix(component, j); !entry.is_zero())
        out += interpret(entry) * at(e, 0, j, !effort);
    return out;
  }
  std::map<std::string, Expression> local;
  for (int j = 0; j < n; ++j) local[bond_quantity(effort ? 'f' : 'e', j, n)] = at(e, 0, j, !effort);
  return interpret(e.value(component), local);
}

/// The quantity that a law is a function of becomes unknown, and the law its equation.
Expression BondDerivation::inverse_law(const BondElement& e, int component, bool effort) {
  const int n = dimension(e, 0);
  const auto unknown = [this, &e, effort](int i) {
    return Expression::variable(name_of({e.ports[0].bond, i, effort}));
  };
  if (inverted_.insert(e.name).second) {
    out_.loops.push_back({index(e)});
    pending_.emplace_back([this, &e, n, effort, unknown] {
      const bool law = e.law == "effort" || e.law == "flow";
      for (int i = 0; i < n; ++i) {
        std::map<std::string, Expression> local;
        Expression value = 0.0;
        for (int j = 0; j < n; ++j) {
          local[bond_quantity(effort ? 'e' : 'f', j, n)] = unknown(j);
          if (!law) value += interpret(e.value(i, j)) * unknown(j);
        }
        if (law) value = interpret(e.value(i), local);
        out_.unknowns.push_back({name_of({e.ports[0].bond, i, effort}), value - at(e, 0, i, !effort)});
      }
    });
  }
  return unknown(component);
}

/// T S' = e f: what is lost at one side appears as heat at the other, whichever way the power goes.
Expression BondDerivation::heat(const BondElement& e) {
  Expression power = 0.0;
  for (int i = 0; i < dimension(e, 0); ++i) power += at(e, 0, i, true) * at(e, 0, i, false);
  return power / at(e, 1, 0, true);
}

Expression BondDerivation::of_two_port(const BondElement& e, int port, int component, bool effort) {
  const std::vector<TwoPortLaw> all = two_port_laws(e);
  for (const TwoPortLaw& r : all) {
    if (r.port_a != port || r.effort_a != effort) continue;
    Expression out = 0.0;
    for (int j = 0; j < dimension(e, r.port_b); ++j) {
      const Expression entry = r.transposed ? e.value.as_matrix(j, component) : e.value.as_matrix(component, j);
      if (!entry.is_zero()) out += interpret(entry) * at(e, r.port_b, j, r.effort_b);
    }
    return out;
  }
  for (const TwoPortLaw& r : all)
    if (r.port_b == port && r.effort_b == effort)
      return at(e, r.port_a, component, r.effort_a) / interpret(e.value(0));
  throw Error(fmt::format("{} cannot give out what causality asks of it", described(e)));
}

/// An expression of the graph with signals and quantities of elements put in.
Expression BondDerivation::interpret(const Expression& expression, const std::map<std::string, Expression>& local) {
  std::map<std::string, Expression> values = local;
  for (const std::string& name : expression.variables())
    if (!values.contains(name)) values[name] = meaning(name);
  return expression.substitute(values);
}

Expression BondDerivation::meaning(const std::string& name) {
  for (const BondSignalDescription& s : graph_.signals()) {
    if (s.name != name || s.integrated) continue;
    if (!signals_.contains(name)) signals_[name] = interpret(s.value);
    return signals_[name];
  }
  const std::size_t dot = name.rfind('.');
  const int bond = dot == std::string::npos ? -1 : graph_.bond_of(name.substr(0, dot));
  if (bond < 0) return Expression::variable(name);
  const std::string which = name.substr(dot + 1);
  return find({bond, which.size() == 1 ? 0 : std::stoi(which.substr(1)) - 1, which[0] == 'e'});
}

std::vector<std::string> mechanism_variables(const BondElement& e, char which) {
  const Mechanism& m = *e.mechanism;
  std::vector<std::string> out(which == 'q' ? m.nq() : m.nv());
  for (const std::string& joint : m.joint_names()) {
    const Slice v = m.v_slice(joint), q = m.q_slice(joint);
    if (which == 'q' && q.size == 1 && v.size == 1) out[q.start] = fmt::format("{}.{}.q", e.name, joint);
    for (int i = 0; which != 'q' && i < v.size; ++i)
      out[v.start + i] = fmt::format("{}.{}.{}", e.name, joint, bond_quantity(which, i, v.size));
  }
  return out;
}

BondSystem derive_equations(const BondGraph& graph, const DeriveOptions& options) {
  return BondDerivation(graph, options).run();
}

}  // namespace amble
