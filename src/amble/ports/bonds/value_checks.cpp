#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "amble/base/names.hpp"
#include "amble/ports/bonds/graph_compiler.hpp"

namespace amble {

namespace {

using enum BondElementType;
using Dense = Eigen::MatrixXd;

Dense matrix_of(const std::vector<std::vector<double>>& rows) {
  Dense out(rows.size(), rows.empty() ? 0 : rows[0].size());
  for (Eigen::Index i = 0; i < out.rows(); ++i)
    for (Eigen::Index j = 0; j < out.cols(); ++j) out(i, j) = rows[i][j];
  return out;
}

bool symmetric(const Dense& m) {
  return (m - m.transpose()).cwiseAbs().maxCoeff() <= 1e-12 * m.cwiseAbs().maxCoeff();
}

/// "e" or "f" of the element's own port, as its law calls them.
std::set<std::string> own_quantities(const BondElement& e, int dimension) {
  std::set<std::string> out;
  if (e.is_resistor() && (e.law == "effort" || e.law == "flow"))
    for (int i = 0; i < dimension; ++i) out.insert(bond_quantity(e.law == "effort" ? 'f' : 'e', i, dimension));
  return out;
}

}  // namespace

int BondGraphCompiler::dimension(const BondElement& e, int port) const {
  return graph_.bonds_[e.ports[port].bond].dimension;
}

/// The value with parameters put in; empty when it depends on more.
std::vector<std::vector<double>> BondGraphCompiler::numbers(const BondElement& e) const {
  std::vector<std::vector<double>> out;
  for (const std::string& name : e.value.variables())
    if (!graph_.parameters_.contains(name)) return {};
  for (int i = 0; i < e.value.rows(); ++i) {
    out.emplace_back();
    for (int j = 0; j < e.value.cols(); ++j) out.back().push_back(e.value(i, j).evaluate(graph_.parameters_));
  }
  return out;
}

void BondGraphCompiler::check_dimensions(const BondElement& e) {
  if (!e.is_junction()) return;
  for (std::size_t k = 1; k < e.ports.size(); ++k)
    if (dimension(e, static_cast<int>(k)) != dimension(e, 0))
      return problem(
          e, fmt::format("joins bonds of dimension {} and {}", dimension(e, 0), dimension(e, static_cast<int>(k))));
}

void BondGraphCompiler::check_shape(const BondElement& e, int rows, int cols, bool may_be_single) {
  if (e.value.rows() == rows && e.value.cols() == cols) return;
  if (may_be_single && e.value.rows() == 1 && e.value.cols() == 1) return;
  problem(e, fmt::format("its {} has {} x {} entries: expected {} x {}", e.law, e.value.rows(), e.value.cols(), rows,
                         cols));
}

/// What depends on parameters alone is known now.
void BondGraphCompiler::check_finite(const BondElement& e) {
  for (const std::vector<double>& row : numbers(e))
    for (const double x : row)
      if (!std::isfinite(x))
        return problem(e, fmt::format("its {} {} is {}: expected finite numbers", e.law, e.value.text(), x));
}

void BondGraphCompiler::check_value(const BondElement& e) {
  if (e.value.empty() || e.is_storage()) return;
  const int n = dimension(e, 0), m = e.ports.size() > 1 ? dimension(e, 1) : n;
  const bool law = e.law == "effort" || e.law == "flow";
  if (law) return check_shape(e, n, 1, false);
  if (e.type == thermal_resistor && m != 1)
    return problem(e, fmt::format("its thermal bond has the dimension {}, not 1", m));
  if (e.is_resistor()) {
    check_shape(e, n, n, true);
    return check_passive(e);
  }
  e.law == "admittance" ? check_shape(e, n, m, n == m) : check_shape(e, m, n, n == m);
  if (e.ports.size() == 1) check_skew(e);
}

void BondGraphCompiler::check_passive(const BondElement& e) {
  const Dense R = matrix_of(numbers(e));
  if (R.size() == 0 || !problems_.empty()) return;
  const double least = Eigen::SelfAdjointEigenSolver<Dense>(R + R.transpose()).eigenvalues().minCoeff();
  if (!(least >= -1e-12 * R.cwiseAbs().maxCoeff()))
    problem(e, fmt::format("its {} {} would create energy: expected one that is not negative", e.law,
                           e.value.text()));
}

/// A gyrator of one bond, DS B.2: e = Y f with Y = -Y^T.
void BondGraphCompiler::check_skew(const BondElement& e) {
  const int n = dimension(e, 0);
  if (!problems_.empty()) return;
  if (e.value.rows() != n || n < 2)
    return problem(e, "has one bond, which makes sense for a multi-bond and a skew-symmetric matrix alone");
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
      if (!(e.value(i, j) + e.value(j, i)).is_zero())
        return problem(
            e, fmt::format(
                   "entries ({}, {}) and ({}, {}) are {} and {}: with one bond the matrix must be skew-symmetric",
                   i + 1, j + 1, j + 1, i + 1, e.value(i, j).text(), e.value(j, i).text()));
}

// ---- storage

void BondGraphCompiler::name_states(BondElement& e, const BondElementDescription& d) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < e.ports.size(); ++k) {
    BondPort& port = e.ports[k];
    port.first = static_cast<int>(names.size());
    port.effort_state = e.type == inertia || (e.type == field && d.ports[k] == "I");
    if (port.effort_state && graph_.bonds_[port.bond].domain == "thermal")
      problem(e, "is in the thermal domain, where no integral of the effort stores energy");
    for (int i = 0; i < dimension(e, static_cast<int>(k)); ++i)
      names.push_back(fmt::format("{}_{}", port.effort_state ? 'p' : 'q', e.name));
  }
  if (names.size() > 1)
    for (std::size_t i = 0; i < names.size(); ++i) names[i] += fmt::format("_{}", i + 1);
  e.states = d.states.empty() ? names : d.states;
  if (e.states.size() != names.size())
    return problem(e, fmt::format("has {} names of states: expected {}", e.states.size(), names.size()));
  for (const std::string& name : e.states) check_name("state", name);
  e.initial_given = !d.initial.empty();
  e.initial = d.initial.empty() ? std::vector<double>(e.states.size(), 0.0) : d.initial;
  if (e.initial.size() != e.states.size())
    problem(e, fmt::format("has {} initial values: expected {}", e.initial.size(), e.states.size()));
}

void BondGraphCompiler::read_storage(BondElement& e, const BondElementDescription& d) {
  if (e.type == field && d.ports.size() != e.ports.size())
    return problem(e, fmt::format("'ports' has {} words: expected \"I\" or \"C\" for each of its {} bonds",
                                  d.ports.size(), e.ports.size()));
  for (const std::string& port : d.ports)
    if (port != "I" && port != "C") return problem(e, fmt::format("'ports' has '{}': expected \"I\" or \"C\"", port));
  name_states(e, d);
  if (!problems_.empty()) return;
  if (e.law == "energy") {
    check_shape(e, 1, 1, true);
    e.energy = e.value(0);
  } else {
    e.energy = quadratic_energy(e);
  }
}

/// x^T K x / 2 with K the stiffness or the inverse of the inertance or compliance.
Expression BondGraphCompiler::quadratic_energy(const BondElement& e) {
  const int n = static_cast<int>(e.states.size());
  const auto x = [&](int i) { return Expression::variable(e.states[i]); };
  check_shape(e, n, n, true);
  Dense K = matrix_of(numbers(e));
  if (!problems_.empty()) return 0.0;
  if (K.size() == 0) {
    problem(e, fmt::format(
                   "its {} {} depends on more than parameters: a modulated storage element would change its energy "
                   "without power through its port (DS B.2)",
                   e.law, e.value.text()));
    return 0.0;
  }
  const bool inverted = e.law != "stiffness";
  if (!symmetric(K) || (inverted && Eigen::LLT<Dense>(K).info() != Eigen::Success)) {
    problem(e, fmt::format("its {} {} must be {}", e.law, e.value.text(),
                           K.size() == 1 ? "above zero"
                           : inverted    ? "symmetric and positive definite"
                                         : "symmetric"));
    return 0.0;
  }
  Expression H = 0.0;
  const bool diagonal = K.size() == 1 || Dense(K.diagonal().asDiagonal()) == K;
  if (!diagonal && inverted) K = Dense(K.llt().solve(Dense::Identity(n, n)));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (diagonal && i != j) continue;
      const Expression entry = diagonal   ? e.value.as_matrix(i, i)
                               : inverted ? Expression((K(i, j) + K(j, i)) / 2)
                                          : e.value(i, j);
      H += 0.5 * x(i) * x(j) * (diagonal && inverted ? 1.0 / entry : entry);
    }
  return H;
}

void BondGraphCompiler::check_energy(const BondElement& e) {
  if (e.energy.has_rough_derivative())
    problem(e, "its energy uses a function without derivatives: efforts and flows are its exact derivatives");
  for (const std::string& name : e.energy.variables()) {
    if (graph_.parameters_.contains(name) || std::find(e.states.begin(), e.states.end(), name) != e.states.end())
      continue;
    std::vector<std::string> may = e.states;
    for (const auto& [parameter, value] : graph_.parameters_) may.push_back(parameter);
    const bool known = known_names().contains(name);
    problem(e, known
                   ? fmt::format(
                         "its energy depends on '{}', which is not its own state: a modulated storage element would "
                         "change its energy without power through its port (DS B.2)",
                         name)
                   : fmt::format("its energy has '{}', which nothing is called{}", name, suggestion(name, may)));
  }
}

// ---- names in expressions

std::set<std::string> BondGraphCompiler::known_names() const {
  std::set<std::string> out{"t"};
  for (const auto& [name, value] : graph_.parameters_) out.insert(name);
  for (const BondSignalDescription& s : graph_.signals_) out.insert(s.name);
  const auto add = [&](const std::string& name, int bond, const char* which) {
    const int n = graph_.bonds_[bond].dimension;
    for (const char* c = which; *c != '\0'; ++c)
      for (int i = 0; i < n; ++i) out.insert(name + "." + bond_quantity(*c, i, n));
  };
  for (const BondElement& e : graph_.elements_) {
    out.insert(e.states.begin(), e.states.end());
    if (e.type == mechanism)
      for (const std::string& joint : e.mechanism->joint_names()) {
        const Slice q = e.mechanism->q_slice(joint), v = e.mechanism->v_slice(joint);
        if (q.size == 1 && v.size == 1) out.insert(fmt::format("{}.{}.q", e.name, joint));
        for (int i = 0; i < v.size; ++i)
          out.insert(fmt::format("{}.{}.{}", e.name, joint, bond_quantity('v', i, v.size)));
      }
    else if (e.is_junction())
      add(e.name, e.ports[0].bond, e.type == zero_junction ? "e" : "f");
    else if (e.ports.size() == 1)
      add(e.name, e.ports[0].bond, "ef");
  }
  for (std::size_t i = 0; i < graph_.bonds_.size(); ++i)
    if (!graph_.bonds_[i].name.empty()) add(graph_.bonds_[i].name, static_cast<int>(i), "ef");
  return out;
}

void BondGraphCompiler::check_names_used(const std::string& what, const std::set<std::string>& used,
                                         const std::set<std::string>& known) {
  const std::vector<std::string> list(known.begin(), known.end());
  for (const std::string& name : used)
    if (!known.contains(name))
      problem(what, fmt::format("uses '{}', which nothing is called{}", name, suggestion(name, list)));
}

void BondGraphCompiler::check_signal_loops() {
  std::map<std::string, const BondSignalDescription*> values;
  for (const BondSignalDescription& s : graph_.signals_)
    if (!s.integrated) values[s.name] = &s;
  std::set<std::string> done, active;
  const std::function<void(const std::string&)> visit = [&](const std::string& name) {
    if (!values.contains(name) || done.contains(name)) return;
    if (!active.insert(name).second) return problem(fmt::format("signal '{}'", name), "is defined by itself");
    for (const std::string& used : values[name]->value.variables()) visit(used);
    active.erase(name), done.insert(name);
  };
  for (const auto& [name, s] : values) visit(name);
}

void BondGraphCompiler::note_modulation(BondElement& e) {
  if (e.is_storage() || e.value.empty()) return;
  const std::set<std::string> own = own_quantities(e, dimension(e, 0));
  for (const std::string& name : e.value.variables())
    if (!graph_.parameters_.contains(name) && !own.contains(name)) e.modulated_by.push_back(name);
  if (!e.modulated_by.empty() && !e.symbol.starts_with('M')) e.symbol = "M" + e.symbol;
}

}  // namespace amble
