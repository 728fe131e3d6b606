#include "amble/ports/bonds/port_hamiltonian_form.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/ports/bonds/tape.hpp"

namespace amble {

namespace {

using Dense = Eigen::MatrixXd;
using Names = std::vector<std::string>;

constexpr double kSame = 1e-10;  // relative: how close y must be to g^T dH/dx + (K + S) u

void check_signals(const BondGraph& graph) {
  for (const BondSignalDescription& s : graph.signals())
    if (s.integrated)
      throw Error(fmt::format(
          "signal '{}' of bond graph '{}' is integrated: the port-Hamiltonian form has no such state", s.name,
          graph.name()));
}

Dense slopes(const std::vector<Expression>& of, const Names& by, const BondGraph& graph) {
  Dense out(of.size(), by.size());
  for (std::size_t i = 0; i < of.size(); ++i)
    for (std::size_t j = 0; j < by.size(); ++j)
      out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          of[i].derivative(by[j]).evaluate(graph.parameters());
  return out;
}

/// With everything at zero nothing may act: the matrices have no place for it.
void check_homogeneous(const BondGraph& graph, const BondSystem& s, const Names& u) {
  std::map<std::string, double> zero = graph.parameters();
  for (const BondState& x : s.states) zero[x.name] = 0.0;
  for (const BondUnknown& z : s.unknowns) zero[z.name] = 0.0;
  for (const std::string& name : u) zero[name] = 0.0;
  std::vector<Expression> all = s.rates;
  for (const BondUnknown& z : s.unknowns) all.push_back(z.residual);
  for (const auto* side : {&s.e, &s.f})
    for (const std::vector<Expression>& bond : *side) all.insert(all.end(), bond.begin(), bond.end());
  for (const Expression& e : all)
    if (const double rest = e.evaluate(zero); rest != 0.0)
      throw Error(fmt::format(
          "bond graph '{}' is not linear: {} is {} where all states and sources are zero; no matrices "
          "J, R, g",
          graph.name(), e.text(), rest));
}

/// What the graph answers to its sources, y = Yx x + Yu u.
struct Answer {
  Dense Yx, Yu;
};

Answer answer_of(const BondGraph& graph, const BondSystem& s, const Names& x, const Names& u) {
  std::vector<Expression> y, residuals;
  Names z;
  for (const BondUnknown& unknown : s.unknowns)
    z.push_back(unknown.name), residuals.push_back(unknown.residual);
  for (const BondElement& e : graph.elements())
    if (e.is_source()) {
      const auto& side = e.type == BondElementType::effort_source ? s.f : s.e;
      y.insert(y.end(), side[e.ports[0].bond].begin(), side[e.ports[0].bond].end());
    }
  Answer out{slopes(y, x, graph), slopes(y, u, graph)};
  if (z.empty() || y.empty()) return out;
  const Eigen::FullPivLU<Dense> lu(slopes(residuals, z, graph));
  const Dense yz = slopes(y, z, graph);
  out.Yx -= yz * lu.solve(slopes(residuals, x, graph));
  out.Yu -= yz * lu.solve(slopes(residuals, u, graph));
  return out;
}

/// A source's value with the signals in it put in: a function of the time.
Expression of_time(const BondGraph& graph, const BondElement& source, Expression value) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const BondSignalDescription& s : graph.signals())
      if (value.depends_on(s.name)) value = value.substitute({{s.name, s.value}}), changed = true;
  }
  for (const std::string& name : value.variables())
    if (name != "t" && !graph.parameters().contains(name))
      throw Error(
          fmt::format("{} depends on '{}': in the port-Hamiltonian form a source is a function of the time",
                      described(source), name));
  return value;
}

std::function<void(double, OwnedVector&)> input_of(const BondGraph& graph) {
  std::vector<Expression> values;
  for (const BondElement& e : graph.elements())
    for (int i = 0; e.is_source() && i < e.value.rows(); ++i) values.push_back(of_time(graph, e, e.value(i)));
  return [tape = Tape(values, {"t"}, graph.parameters())](double t, OwnedVector& u) mutable {
    if (tape.size() > 0) tape.evaluate(&t, u.data());
  };
}

Dense symmetric(const Dense& A) { return (A + A.transpose()) / 2; }
Dense skew(const Dense& A) { return (A - A.transpose()) / 2; }

std::string matrix_text(const std::string& name, const Dense& m) {
  std::string out;
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    out += fmt::format("  {:<4}", i == 0 ? name + " =" : "");
    for (Eigen::Index j = 0; j < m.cols(); ++j)
      out += fmt::format(" {:>10.6g}", m(i, j) == 0.0 ? 0.0 : m(i, j));
    out += "\n";
  }
  return out;
}

}  // namespace

BondPortHamiltonian port_hamiltonian(const BondGraph& graph) {
  check_signals(graph);
  BondPortHamiltonian out{.matrices = port_hamiltonian_matrices(graph)};
  const PortHamiltonianMatrices& m = out.matrices;
  const BondSystem s = derive_equations(graph, {.symbolic_sources = true});
  check_homogeneous(graph, s, m.sources);
  const Answer y = answer_of(graph, s, m.states, m.sources);
  const Dense expected = m.input.transpose() * m.energy_hessian;
  out.collocated = (y.Yx - expected).norm() <= kSame * (y.Yx.norm() + expected.norm());
  out.feedthrough = out.collocated ? y.Yu : Dense(Dense::Zero(y.Yu.rows(), y.Yu.cols()));
  out.system = port_hamiltonian(LinearPortHamiltonian{.Q = symmetric(m.energy_hessian),
                                                      .J = m.interconnection,
                                                      .R = m.dissipation,
                                                      .g = m.input,
                                                      .K = skew(out.feedthrough),
                                                      .S = symmetric(out.feedthrough)});
  out.initial = OwnedVector(m.states.size());
  for (std::size_t i = 0; i < m.states.size(); ++i)
    out.initial[static_cast<Eigen::Index>(i)] = s.states[i].initial;
  out.input = input_of(graph);
  return out;
}

std::string port_hamiltonian_text(const BondGraph& graph) {
  const BondPortHamiltonian form = port_hamiltonian(graph);
  const PortHamiltonianMatrices& m = form.matrices;
  std::string out = fmt::format("port-Hamiltonian form of bond graph '{}'\n", graph.name());
  out += "  x' = (J - R) dH/dx + g u,  H = x . Q x / 2\n";
  out += fmt::format("  x = ({})\n  u = ({})\n", fmt::join(m.states, ", "), fmt::join(m.sources, ", "));
  out += matrix_text("J", m.interconnection) + matrix_text("R", m.dissipation) + matrix_text("g", m.input) +
         matrix_text("Q", m.energy_hessian);
  if (!form.collocated)
    return out +
           "  a resistor lies between a source and storage: y is not g^T dH/dx + (K + S) u, and there are no "
           "books\n";
  if (form.feedthrough.size() > 0 && !form.feedthrough.isZero(0.0))
    out += matrix_text("K + S", form.feedthrough);
  return out;
}

}  // namespace amble
