#include "amble/ports/bonds/graph_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "amble/base/limits.hpp"
#include "amble/base/names.hpp"

namespace amble {

namespace {

bool is_name(const std::string& s) {
  const auto letter = [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; };
  return !s.empty() && letter(s[0]) &&
         std::all_of(s.begin(), s.end(), [&](unsigned char c) { return letter(c) || std::isdigit(c) != 0; });
}

}  // namespace

void BondGraphCompiler::problem(const std::string& what, const std::string& reason) {
  problems_.push_back({Severity::error, "", 0, what, reason});
}
void BondGraphCompiler::problem(const BondElement& e, const std::string& reason) { problem(described(e), reason); }
void BondGraphCompiler::stop_at_problems() const { throw_problems(problems_, Severity::error); }

/// One name, one thing: all of them may stand in expressions.
void BondGraphCompiler::check_name(const std::string& what, const std::string& name) {
  const std::string where = fmt::format("{} '{}'", what, name);
  if (!is_name(name)) return problem(where, "is not a name: expected letters, digits and _, a letter first");
  if (name == "t" || name == "e" || name == "f" || name == "pi")
    return problem(where, "has a name that expressions use for the time, effort, flow or a number");
  if (!names_.insert(name).second) problem(where, "has a name that is used before");
}

void BondGraphCompiler::read_element(const BondElementDescription& d) {
  check_name("element", d.name);
  const std::string where = fmt::format("element '{}'", d.name);
  const BondElementKind* kind = bond_element_kind(d.type);
  std::vector<std::string> symbols;
  for (const BondElementKind& k : bond_element_kinds()) symbols.push_back(k.symbol);
  if (kind == nullptr)
    return problem(
        where, fmt::format("is of type '{}': expected {}, or M and one of these", d.type, fmt::join(symbols, ", ")));
  BondElement e{.name = d.name, .type = kind->type, .symbol = d.type, .law = d.law, .value = d.value};
  if (e.is_storage() && d.type.starts_with('M'))
    return problem(where,
                   "is a modulated storage element: its energy would change without power through its port and the "
                   "balance would not close (DS B.2); let what changes it act through a port of its own");
  if (e.law.empty() && !kind->laws.empty()) e.law = kind->laws[0];
  if (!kind->laws.empty() && std::find(kind->laws.begin(), kind->laws.end(), e.law) == kind->laws.end())
    problem(where, fmt::format("has '{}', but {} has {}{}", e.law, kind->symbol, fmt::join(kind->laws, ", "),
                               suggestion(e.law, kind->laws)));
  if (e.value.empty() != kind->laws.empty()) problem(where, kind->laws.empty() ? "takes no value" : "has no value");
  if (kind->type == BondElementType::mechanism && d.mechanism == nullptr) problem(where, "has no mechanism");
  if (graph_.mechanism() != nullptr && kind->type == BondElementType::mechanism)
    problem(where, fmt::format("is a second mechanism, beside '{}': expected one", graph_.mechanism()->name));
  e.mechanism = d.mechanism;
  graph_.elements_.push_back(std::move(e));
}

/// Equations are found by following bonds and signals, one call for each.
void BondGraphCompiler::check_counts() {
  const auto check = [&](Limit which, double value, const char* what) {
    if (const std::string breach = limit_breach(which, value, what); !breach.empty())
      problem(fmt::format("bond graph '{}'", given_.name_), breach);
  };
  double bonds = 0.0, widest = 0.0;
  for (const BondDescription& b : given_.bonds_)
    bonds += b.dimension, widest = std::max<double>(widest, b.dimension);
  check(Limit::bond_dimension, widest, "the dimension of a bond");
  check(Limit::bond_elements, bonds, "the number of bonds, counted by their dimension,");
  check(Limit::bond_elements, static_cast<double>(given_.elements_.size()), "the number of elements");
  check(Limit::bond_elements, static_cast<double>(given_.signals_.size()), "the number of signals");
  check(Limit::bond_elements, static_cast<double>(given_.parameters_.size()), "the number of parameters");
  stop_at_problems();
}

void BondGraphCompiler::read_elements() {
  for (const auto& [name, value] : given_.parameters_) check_name("parameter", name);
  for (const BondElementDescription& d : given_.elements_) read_element(d);
  stop_at_problems();
}

/// The element at an end, -1 with a problem when there is none; "NAME.JOINT" names a joint of a mechanism.
int BondGraphCompiler::end_of(const BondDescription& bond, const std::string& name, std::string& joint) {
  const std::size_t dot = name.find('.');
  const std::string element = name.substr(0, dot);
  joint = dot == std::string::npos ? "" : name.substr(dot + 1);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < graph_.elements_.size(); ++i) {
    if (graph_.elements_[i].name == element) return static_cast<int>(i);
    names.push_back(graph_.elements_[i].name);
  }
  problem(fmt::format("bond from '{}' to '{}'", bond.from, bond.to),
          fmt::format("there is no element '{}'{}", element, suggestion(element, names)));
  return -1;
}

void BondGraphCompiler::attach(int bond, bool head, const std::string& joint) {
  Bond& b = graph_.bonds_[bond];
  BondElement& e = graph_.elements_[b.end(head)];
  BondPort port{.bond = bond, .in = head};
  if (e.type != BondElementType::mechanism && !joint.empty())
    return problem(e, fmt::format("has no port '{}'", joint));
  if (e.type == BondElementType::mechanism) {
    try {
      port.joint = e.mechanism->joint_index(joint);
      const Slice v = e.mechanism->v_slice(joint);
      port.first = v.start;
      if (v.size != b.dimension)
        problem(e, fmt::format("joint '{}' has {} velocities, but its bond has the dimension {}", joint, v.size,
                               b.dimension));
    } catch (const Error& error) {
      return problem(e, fmt::format("its ports are its joints, as '{}.JOINT': {}", e.name, error.what()));
    }
    for (const BondPort& other : e.ports)
      if (other.joint == port.joint)
        problem(e, fmt::format("joint '{}' has two bonds: a 1-junction joins them", joint));
  }
  e.ports.push_back(port);
}

void BondGraphCompiler::read_bonds() {
  for (const BondDescription& d : given_.bonds_) {
    const std::string what = fmt::format("bond from '{}' to '{}'", d.from, d.to);
    std::string joint_from, joint_to;
    Bond b{.name = d.name, .from = end_of(d, d.from, joint_from), .to = end_of(d, d.to, joint_to)};
    b.dimension = d.dimension, b.domain = d.domain;
    if (!d.name.empty()) check_name("bond", d.name);
    if (d.dimension < 1) problem(what, fmt::format("has the dimension {}: expected 1 or more", d.dimension));
    if (b.from >= 0 && b.from == b.to) problem(what, "joins an element to itself");
    if (b.from < 0 || b.to < 0) continue;
    const int index = static_cast<int>(graph_.bonds_.size());
    graph_.bonds_.push_back(b);
    attach(index, false, joint_from), attach(index, true, joint_to);
  }
  stop_at_problems();
}

/// The port in before the port out, where the two have roles of their own; then the bonds learn their places.
void BondGraphCompiler::order_ports(BondElement& e) {
  using enum BondElementType;
  if (e.type == transformer || e.type == gyrator || e.type == thermal_resistor)
    std::stable_partition(e.ports.begin(), e.ports.end(), [](const BondPort& p) { return p.in; });
  for (std::size_t i = 0; i < e.ports.size(); ++i) {
    Bond& b = graph_.bonds_[e.ports[i].bond];
    (e.ports[i].in ? b.to_port : b.from_port) = static_cast<int>(i);
  }
}

void BondGraphCompiler::check_bonds_of(const BondElement& e, const BondElementKind& kind) {
  const int n = static_cast<int>(e.ports.size());
  if (n >= kind.least_bonds && (kind.most_bonds == 0 || n <= kind.most_bonds)) return check_direction(e);
  const std::string expected = kind.most_bonds == 0 ? fmt::format("at least {}", kind.least_bonds)
                               : kind.most_bonds == kind.least_bonds
                                   ? fmt::format("{}", kind.least_bonds)
                                   : fmt::format("{} or {}", kind.least_bonds, kind.most_bonds);
  problem(e, fmt::format("has {} bonds: expected {}{}", n, expected, n > 1 ? "; a junction joins several" : ""));
}

void BondGraphCompiler::check_direction(const BondElement& e) {
  if (e.is_junction()) return;
  if (e.is_source() && e.ports[0].in)
    return problem(e, "its bond must point away from it: turn the bond around and its sign");
  const bool through = e.ports.size() == 2 && !e.is_storage() && e.type != BondElementType::mechanism;
  if (through && !(e.ports[0].in && !e.ports[1].in))
    return problem(e, "one of its bonds must point to it and one away from it");
  if (e.is_source() || through) return;
  for (const BondPort& p : e.ports)
    if (!p.in) problem(e, "its bonds must point to it: turn the bond around");
}

void BondGraphCompiler::read_signals() {
  for (const BondSignalDescription& s : given_.signals_) {
    check_name("signal", s.name);
    graph_.signals_.push_back(s);
  }
}

/// Elements name the domain of their bonds; junctions and elements of one bond carry it on.
void BondGraphCompiler::spread_domains() {
  const auto take = [&](Bond& b, const std::string& domain, const std::string& why) {
    if (domain.empty() || b.domain == domain || !problems_.empty()) return false;
    if (!b.domain.empty()) {
      problem(fmt::format("bond from '{}' to '{}'", graph_.elements_[b.from].name, graph_.elements_[b.to].name),
              fmt::format("is {}, but {} makes it {}: a TF or GY goes from one domain to another", b.domain, why,
                          domain));
      return false;
    }
    b.domain = domain;
    return true;
  };
  for (std::size_t i = 0; i < given_.elements_.size(); ++i) {
    const BondElement& e = graph_.elements_[i];
    if (e.type == BondElementType::thermal_resistor) take(graph_.bonds_[e.ports[1].bond], "thermal", described(e));
    for (std::size_t k = 0; k < e.ports.size(); ++k)
      if (e.type != BondElementType::thermal_resistor || k == 0)
        take(graph_.bonds_[e.ports[k].bond], given_.elements_[i].domain, described(e));
  }
  for (bool changed = true; changed && problems_.empty();) {
    changed = false;
    for (const BondElement& e : graph_.elements_)
      for (const BondPort& p : e.ports)
        for (const BondPort& other : e.ports)
          if (e.is_junction() && take(graph_.bonds_[other.bond], graph_.bonds_[p.bond].domain, described(e)))
            changed = true;
  }
  for (const Bond& b : graph_.bonds_)
    if (!b.domain.empty()) bond_domain(b.domain);
}

BondGraph BondGraphCompiler::compile() {
  graph_.name_ = given_.name_, graph_.parameters_ = given_.parameters_;
  check_counts();
  if (given_.elements_.empty()) problem(fmt::format("bond graph '{}'", given_.name_), "has no element");
  read_elements();
  read_bonds();
  for (BondElement& e : graph_.elements_) {
    order_ports(e);
    const auto same = [&](const BondElementKind& k) { return k.type == e.type; };
    check_bonds_of(e, *std::find_if(bond_element_kinds().begin(), bond_element_kinds().end(), same));
  }
  read_signals();
  stop_at_problems();
  spread_domains();
  for (std::size_t i = 0; i < given_.elements_.size(); ++i) {
    BondElement& e = graph_.elements_[i];
    check_dimensions(e);
    check_finite(e);
    if (problems_.empty() && e.is_storage()) read_storage(e, given_.elements_[i]);
    if (problems_.empty()) check_value(e);
  }
  stop_at_problems();
  const std::set<std::string> known = known_names();
  for (BondElement& e : graph_.elements_) {
    if (e.is_storage()) check_energy(e);
    note_modulation(e);
    if (!e.is_storage()) check_names_used(described(e), {e.modulated_by.begin(), e.modulated_by.end()}, known);
  }
  for (const BondSignalDescription& s : graph_.signals_)
    check_names_used(fmt::format("signal '{}'", s.name), s.value.variables(), known);
  check_signal_loops();
  stop_at_problems();
  return std::move(graph_);
}

BondGraph BondGraphBuilder::build() const { return BondGraphCompiler(*this).compile(); }

}  // namespace amble
