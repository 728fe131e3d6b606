#include "amble/ports/bonds/behaviour.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"
#include "amble/ports/bonds/relations.hpp"
#include "amble/ports/bonds/tape.hpp"

namespace amble {

namespace {

using Dense = Eigen::MatrixXd;
using Column = Eigen::VectorXd;

constexpr int kMostIterations = 1000;  // an exponential law comes down by one power of e at each
constexpr double kConverged =
    1e-11;  // relative size of a step of Newton's method: the next would be its square
constexpr double kInvolved = 1e-6;  // part of a null vector that counts, beside its largest

/// A bond that joins two components without a junction.
BondComponent connection(const BondGraph& graph, const PortNames& names, int bond) {
  const Bond& b = graph.bonds()[bond];
  BondComponent out{
      fmt::format("{} to {}", described(graph.elements()[b.from]), described(graph.elements()[b.to])),
      -1,
      {}};
  for (int i = 0; i < b.dimension; ++i)
    for (const bool effort : {true, false})
      out.relations.push_back({Expression::variable(names.of(bond, false, i, effort)),
                               Expression::variable(names.of(bond, true, i, effort))});
  return out;
}

BondComponent signals_of(const BondGraph& graph, const PortNames& names) {
  BondComponent out{"signals", -1, {}};
  for (const BondSignalDescription& s : graph.signals())
    out.relations.push_back(
        {Expression::variable(s.integrated ? s.name + "'" : s.name), names.interpret(s.value)});
  return out;
}

std::vector<std::string> unknowns_of(const BondGraph& graph, const PortNames& names,
                                     const std::vector<BondState>& states) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(out, name) == out.end()) out.push_back(name);
  };
  for (int b = 0; b < static_cast<int>(graph.bonds().size()); ++b)
    for (int i = 0; i < graph.bonds()[b].dimension; ++i)
      for (const bool head : {false, true}) add(names.of(b, head, i, true)), add(names.of(b, head, i, false));
  for (const BondState& s : states) add(s.name + "'");
  for (const BondSignalDescription& s : graph.signals())
    if (!s.integrated) add(s.name);
  return out;
}

}  // namespace

BondRelations bond_relations(const BondGraph& graph) {
  check_no_mechanism(graph, "the behavioural representation");
  const PortNames names(graph, true);
  const RelationWriter writer(graph, names);
  BondRelations out{{}, all_states(graph), {}};
  out.unknowns = unknowns_of(graph, names, out.states);
  for (const bool junctions : {false, true})
    for (std::size_t i = 0; i < graph.elements().size(); ++i)
      if (const BondElement& e = graph.elements()[i]; e.is_junction() == junctions)
        out.components.push_back({described(e), static_cast<int>(i), writer.of(e)});
  for (int b = 0; b < static_cast<int>(graph.bonds().size()); ++b)
    if (names.of(b, true, 0, true) != names.of(b, false, 0, true))
      out.components.push_back(connection(graph, names, b));
  if (!graph.signals().empty()) out.components.push_back(signals_of(graph, names));
  return out;
}

std::string behaviour_text(const BondGraph& graph) {
  std::string out = fmt::format("behaviour of bond graph '{}'\n", graph.name());
  for (const BondComponent& c : bond_relations(graph).components) {
    out += fmt::format("  {}\n", c.title);
    for (const BondRelation& r : c.relations) out += fmt::format("    {}\n", r.text());
  }
  return out;
}

struct BondBehaviour::Memory {
  explicit Memory(BondGraph g);

  void write_slopes(const std::vector<Expression>& residuals);
  std::vector<Expression> powers();
  bool newton();
  bool find_step();
  void factor();
  void residual();
  void solve();
  double scaled_residual() const { return row_scale.cwiseProduct(r).norm(); }
  [[noreturn]] void trouble() const;
  std::string involved(const Column& left_null) const;

  struct Place {
    int row, col;
  };

  BondGraph graph;
  PortNames names;
  BondRelations relations;
  std::vector<std::string> inputs;  // t, states, unknowns
  std::vector<int> component_of;    // of each relation
  std::vector<int> powered, rate_places;
  int known = 0, size = 0;
  Tape residual_tape, slope_tape, power_tape;
  std::vector<Place> places;  // of the slopes that are not zero
  std::vector<double> slope_values;
  bool linear = true;    // in the unknowns: one step of Newton's method solves them
  bool constant = true;  // the slopes are the same at every instant: one factorisation does
  bool factored = false, regular = false;
  Column numbers, z, r, step, trial, largest, row_scale, column_scale;
  Dense J;
  Eigen::FullPivLU<Dense> lu;
  OwnedVector rates, unknowns, power_values;
};

BondBehaviour::Memory::Memory(BondGraph g)
    : graph(std::move(g)), names(graph, true), relations(bond_relations(graph)) {
  inputs = {"t"};
  for (const BondState& s : relations.states) inputs.push_back(s.name);
  known = static_cast<int>(inputs.size()), size = static_cast<int>(relations.unknowns.size());
  inputs.insert(inputs.end(), relations.unknowns.begin(), relations.unknowns.end());
  std::vector<Expression> residuals;
  for (std::size_t c = 0; c < relations.components.size(); ++c)
    for (const BondRelation& relation : relations.components[c].relations) {
      residuals.push_back(relation.left - relation.right);
      component_of.push_back(static_cast<int>(c));
    }
  residual_tape = Tape(residuals, inputs, graph.parameters());
  write_slopes(residuals);
  power_tape = Tape(powers(), inputs, graph.parameters());
  for (const BondState& s : relations.states)
    rate_places.push_back(static_cast<int>(std::ranges::find(inputs, s.name + "'") - inputs.begin()) - known);
  numbers = Column::Zero(known + size);
  z = r = step = trial = largest = row_scale = column_scale = Column::Zero(size);
  J = Dense::Zero(size, size);
  rates = OwnedVector(relations.states.size()), unknowns = OwnedVector(size);
  power_values = OwnedVector(4 * powered.size());
}

void BondBehaviour::Memory::write_slopes(const std::vector<Expression>& residuals) {
  std::vector<Expression> slopes;
  for (std::size_t i = 0; i < residuals.size(); ++i)
    for (const std::string& name : residuals[i].variables()) {
      const auto at = std::find(inputs.begin() + known, inputs.end(), name);
      if (at == inputs.end()) continue;
      slopes.push_back(residuals[i].derivative(name));
      places.push_back({static_cast<int>(i), static_cast<int>(at - inputs.begin()) - known});
      for (const std::string& used : slopes.back().variables()) {
        constant = constant && graph.parameters().contains(used);
        linear = linear && std::find(inputs.begin() + known, inputs.end(), used) == inputs.end();
      }
    }
  slope_tape = Tape(slopes, inputs, graph.parameters());
  slope_values.resize(slopes.size());
}

/// Supplied, delivered, dissipated, stored, for each element that has a power.
std::vector<Expression> BondBehaviour::Memory::powers() {
  std::vector<Expression> out;
  for (std::size_t n = 0; n < graph.elements().size(); ++n) {
    const BondElement& e = graph.elements()[n];
    if (!(e.is_storage() || e.is_source() || e.is_resistor())) continue;
    powered.push_back(static_cast<int>(n));
    Expression in = 0.0;
    for (std::size_t k = 0; k < e.ports.size(); ++k)
      for (int i = 0; i < graph.bonds()[e.ports[k].bond].dimension; ++i)
        in += Expression(e.ports[k].in ? 1.0 : -1.0) *
              Expression::variable(names.at(e, static_cast<int>(k), i, true)) *
              Expression::variable(names.at(e, static_cast<int>(k), i, false));
    out.push_back(e.is_source() ? -in : Expression(0.0));
    out.push_back(-in);
    out.push_back(e.type == BondElementType::resistor ? in : Expression(0.0));
    out.push_back(e.energy);
  }
  return out;
}

void BondBehaviour::Memory::residual() {
  numbers.tail(size) = z;
  residual_tape.evaluate(numbers.data(), r.data());
}

/// Rows and columns brought to the same size first: efforts and flows come in units that differ by many
/// powers of ten.
void BondBehaviour::Memory::factor() {
  slope_tape.evaluate(numbers.data(), slope_values.data());
  J.setZero();
  for (std::size_t k = 0; k < places.size(); ++k) J(places[k].row, places[k].col) = slope_values[k];
  const auto inverse = [](double x) { return x > 0.0 ? 1.0 / x : 1.0; };
  for (int i = 0; i < size; ++i) row_scale[i] = inverse(J.row(i).cwiseAbs().maxCoeff());
  J = row_scale.asDiagonal() * J;
  for (int i = 0; i < size; ++i) column_scale[i] = inverse(J.col(i).cwiseAbs().maxCoeff());
  J = J * column_scale.asDiagonal();
  factored = J.allFinite();
  if (factored) regular = lu.compute(J).isInvertible();
}

bool BondBehaviour::Memory::find_step() {
  if (!factored || !constant) factor();
  if (!factored) return false;
  step = column_scale.cwiseProduct(-lu.solve(Column(row_scale.cwiseProduct(r))));
  return step.allFinite();
}

/// From z on; each step is halved until the residual shrinks. A solution must be regular.
bool BondBehaviour::Memory::newton() {
  residual();
  largest = z.cwiseAbs();
  for (int i = 0; i < kMostIterations && r.allFinite(); ++i) {
    if (!find_step()) return false;
    if (linear && !regular) return false;
    largest = largest.cwiseMax(step.cwiseAbs());
    const double before = scaled_residual();
    const bool last = linear || ((step.cwiseAbs() - kConverged * largest).array() <= 0.0).all() ||
                      step.norm() <= 1e-14 * (1.0 + z.norm());
    trial = z;
    for (double part = 1.0;; part /= 2) {
      z = trial + part * step;
      residual();
      if (last || (r.allFinite() && scaled_residual() < before)) break;
      if (part < 1e-9) return regular && step.norm() <= 1e-9 * (1.0 + z.norm());  // at rounding
    }
    if (last) return regular && r.allFinite();
  }
  return false;
}

/// From the last solution, else from other places.
void BondBehaviour::Memory::solve() {
  if (size == 0 || newton()) return;
  for (const double start : {0.0, 1.0, -1.0}) {
    z.setConstant(start);
    if (newton()) return;
  }
  trouble();
}

/// The components of relations that depend on each other.
std::string BondBehaviour::Memory::involved(const Column& left_null) const {
  std::vector<std::string> out;
  const double most = left_null.cwiseAbs().maxCoeff();
  for (int i = 0; i < size; ++i) {
    const BondComponent& c = relations.components[component_of[i]];
    const bool part = c.element >= 0 && !graph.elements()[c.element].is_junction();
    if (part && std::abs(left_null[i]) > kInvolved * most && std::ranges::find(out, c.title) == out.end())
      out.push_back(c.title);
  }
  return out.empty() ? "its junctions" : fmt::format("{}", fmt::join(out, ", "));
}

void BondBehaviour::Memory::trouble() const {
  if (!factored || regular)
    throw Error(fmt::format(
        "the {} relations of bond graph '{}' have no solution that Newton's method finds at t = {} s", size,
        graph.name(), numbers[0]));
  const Dense null = Eigen::FullPivLU<Dense>(J.transpose()).kernel();
  throw Error(fmt::format(
      "the behaviour of bond graph '{}' is singular at t = {} s: the relations of {} set the same quantity "
      "more than once (as dependent storage does), so they leave others open; causality solves this: use "
      "the block diagram",
      graph.name(), numbers[0], involved(null.col(0))));
}

BondBehaviour::BondBehaviour(BondGraph graph) : memory_(std::make_unique<Memory>(std::move(graph))) {}
BondBehaviour::BondBehaviour(BondBehaviour&&) noexcept = default;
BondBehaviour::~BondBehaviour() = default;

const BondGraph& BondBehaviour::graph() const { return memory_->graph; }
const BondRelations& BondBehaviour::relations() const { return memory_->relations; }
const OwnedVector& BondBehaviour::rates() const { return memory_->rates; }
const OwnedVector& BondBehaviour::unknowns() const { return memory_->unknowns; }
const std::vector<int>& BondBehaviour::powered() const { return memory_->powered; }

OwnedVector BondBehaviour::initial() const {
  OwnedVector out(size());
  for (int i = 0; i < size(); ++i) out[i] = relations().states[i].initial;
  return out;
}

void BondBehaviour::evaluate(double t, const double* x) {
  Memory& m = *memory_;
  m.numbers[0] = t;
  std::copy_n(x, size(), m.numbers.data() + 1);
  m.solve();
  m.numbers.tail(m.size) = m.z;
  m.unknowns = m.z;
  for (int i = 0; i < size(); ++i) m.rates[i] = m.z[m.rate_places[i]];
  m.power_tape.evaluate(m.numbers.data(), m.power_values.data());
}

BondPower BondBehaviour::power(std::size_t i) const {
  const double* p = memory_->power_values.data() + 4 * i;
  return {p[0], p[1], p[2]};
}
double BondBehaviour::stored(std::size_t i) const {
  return memory_->power_values[4 * static_cast<Eigen::Index>(i) + 3];
}

double BondBehaviour::value(const std::string& name) const {
  const Memory& m = *memory_;
  const auto at = std::ranges::find(m.inputs, m.names.meaning(name));
  if (at == m.inputs.end())
    throw Error(fmt::format("bond graph '{}' has no quantity '{}'{}", m.graph.name(), name,
                            suggestion(name, m.inputs)));
  return m.numbers[at - m.inputs.begin()];
}

}  // namespace amble
