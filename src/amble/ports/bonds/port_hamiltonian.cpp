#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>

#include "amble/base/error.hpp"
#include "amble/ports/bonds/bond_equations.hpp"

namespace amble {

namespace {

using Dense = Eigen::MatrixXd;
using Names = std::vector<std::string>;

void check_linear(const BondGraph& graph) {
  for (const BondElement& e : graph.elements()) {
    if (e.type == BondElementType::mechanism)
      throw Error(fmt::format("{} is not linear: no matrices J, R, g", described(e)));
    if (!e.modulated_by.empty() && !e.is_source())
      throw Error(
          fmt::format("{} is modulated by '{}': no constant matrices J, R, g", described(e), e.modulated_by[0]));
    if (e.type == BondElementType::thermal_resistor)
      throw Error(fmt::format("{} is not linear: no matrices J, R, g", described(e)));
  }
}

/// The derivatives of expressions, which must be constant.
Dense slopes(const std::vector<Expression>& of, const Names& by, const BondGraph& graph) {
  Dense out(of.size(), by.size());
  for (std::size_t i = 0; i < of.size(); ++i)
    for (std::size_t j = 0; j < by.size(); ++j) {
      const Expression slope = of[i].derivative(by[j]);
      for (const std::string& name : slope.variables())
        if (!graph.parameters().contains(name))
          throw Error(fmt::format("bond graph '{}' is not linear: {} depends on '{}'; no constant matrices J, R, g",
                                  graph.name(), slope.text(), name));
      out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = slope.evaluate(graph.parameters());
    }
  return out;
}

Names source_names(const BondGraph& graph) {
  Names out;
  for (const BondElement& e : graph.elements()) {
    if (!e.is_source()) continue;
    const int n = graph.bonds()[e.ports[0].bond].dimension;
    for (int i = 0; i < n; ++i)
      out.push_back(e.name + "." + bond_quantity(e.type == BondElementType::effort_source ? 'e' : 'f', i, n));
  }
  return out;
}

/// Linear equations, what is unknown eliminated: z = Zx x + Zu u.
struct Solved {
  Dense Zx, Zu;
};

Solved solve(const BondSystem& s, const Names& x, const Names& u, const Names& z, const BondGraph& graph) {
  std::vector<Expression> residuals;
  for (const BondUnknown& unknown : s.unknowns) residuals.push_back(unknown.residual);
  if (z.empty()) return {Dense::Zero(0, x.size()), Dense::Zero(0, u.size())};
  const Eigen::FullPivLU<Dense> lu(slopes(residuals, z, graph));
  if (!lu.isInvertible())
    throw Error(fmt::format("the algebraic loops of bond graph '{}' have no unique solution", graph.name()));
  return {-lu.solve(slopes(residuals, x, graph)), -lu.solve(slopes(residuals, u, graph))};
}

/// What all storage holds, by independent states.
Dense energy_hessian(const BondSystem& s, const Names& x, const Names& u, const Names& z, const Solved& by,
                     const BondGraph& graph) {
  std::map<std::string, Expression> values;
  for (const BondSolution& solution : s.solved) values[solution.name] = solution.value;
  Expression H = 0.0;
  for (const BondElement& e : graph.elements()) H += e.energy.substitute(values);
  Names all = x;
  all.insert(all.end(), z.begin(), z.end());
  std::vector<Expression> gradient;
  for (const std::string& name : all) gradient.push_back(H.derivative(name));
  const Dense W = slopes(gradient, all, graph);
  Dense P(all.size(), x.size());
  P << Dense::Identity(x.size(), x.size()), by.Zx;
  const bool driven = std::ranges::any_of(u, [&](const std::string& name) { return H.depends_on(name); });
  if (driven || (!z.empty() && !u.empty() && (W.rightCols(z.size()) * by.Zu).norm() > 1e-12 * W.norm()))
    throw Error(fmt::format(
        "storage of bond graph '{}' follows a source: its energy depends on that, so there is no such form",
        graph.name()));
  return P.transpose() * W * P;
}

}  // namespace

PortHamiltonianMatrices port_hamiltonian_matrices(const BondGraph& graph) {
  check_linear(graph);
  const BondSystem s = derive_equations(graph, {.symbolic_sources = true});
  Names x, z;
  std::vector<Expression> rates;
  for (std::size_t i = 0; i < s.states.size(); ++i)
    if (s.states[i].element >= 0) x.push_back(s.states[i].name), rates.push_back(s.rates[i]);
  for (const BondUnknown& unknown : s.unknowns) z.push_back(unknown.name);
  if (x.empty())
    throw Error(fmt::format("bond graph '{}' has no storage that integrates: no matrices J, R, g", graph.name()));
  const Names u = source_names(graph);
  const Solved by = solve(s, x, u, z, graph);
  const Dense Q = energy_hessian(s, x, u, z, by, graph), fz = slopes(rates, z, graph);
  const Eigen::FullPivLU<Dense> energy(Q);
  if (!energy.isInvertible())
    throw Error(fmt::format("bond graph '{}' has storage that stores nothing: dH/dx does not tell its states apart",
                            graph.name()));
  const Dense A = (slopes(rates, x, graph) + fz * by.Zx) * energy.inverse();
  return {.interconnection = Dense((A - A.transpose()) / 2),
          .dissipation = Dense(-(A + A.transpose()) / 2),
          .input = Dense(slopes(rates, u, graph) + fz * by.Zu),
          .energy_hessian = Q,
          .states = x,
          .sources = u};
}

}  // namespace amble
