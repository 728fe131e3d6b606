#include "amble/ports/bonds/bond_equations.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"
#include "amble/ports/bonds/tape.hpp"

namespace amble {

namespace {

using Dense = Eigen::MatrixXd;
using Column = Eigen::VectorXd;

constexpr int kMostIterations = 1000;  // an exponential law comes down by one power of e at each
constexpr double kConverged = 1e-11;   // relative size of a step of Newton's method: the next would be its square

Expression power_of(const BondSystem& s, int bond) {
  Expression out = 0.0;
  for (std::size_t i = 0; i < s.e[bond].size(); ++i) out += s.e[bond][i] * s.f[bond][i];
  return out;
}

/// Power into an element through its ports.
Expression power_into(const BondSystem& s, const BondElement& e) {
  Expression out = 0.0;
  for (const BondPort& p : e.ports) out = p.in ? out + power_of(s, p.bond) : out - power_of(s, p.bond);
  return out;
}

}  // namespace

struct BondEquations::Memory {
  explicit Memory(BondGraph g) : graph(std::move(g)), system(derive_equations(graph)) {
    name_inputs();
    write_tapes();
  }

  void name_inputs();
  void write_tapes();
  std::vector<Expression> powers();
  std::vector<Expression> energies() const;
  void take(const BondInstant& at);
  void solve(const BondInstant& at);
  bool newton(const BondInstant& at);
  bool find_step();
  void residual(const BondInstant& at);
  void slopes(const BondInstant& at);
  std::string trouble() const;

  BondGraph graph;
  BondSystem system;
  std::vector<int> powered;
  std::vector<std::string> inputs;
  int nv = 0, nq = 0, first_unknown = 0, unknowns = 0;
  Tape residual_tape, slope_tape, rate_tape, tau_tape, power_tape, energy_tape, quantity_tape;
  std::vector<int> first_quantity;  // of each bond: its efforts, then its flows
  Column numbers, z, r, step, trial, size, row_scale, column_scale;
  Dense J;
  std::vector<double> slope_values;
  OwnedVector rates, tau, acceleration, power_values, energy_values, quantities, unknown_values;
  Eigen::FullPivLU<Dense> lu;
  bool regular = false;
};

/// t, states, q, v, then what is unknown, a mechanism's accelerations among it.
void BondEquations::Memory::name_inputs() {
  inputs = {"t"};
  for (const BondState& s : system.states) inputs.push_back(s.name);
  const auto add = [&](const std::vector<std::string>& names) {
    inputs.insert(inputs.end(), names.begin(), names.end());
  };
  const BondElement* m = graph.mechanism();
  if (m != nullptr) nq = m->mechanism->nq(), nv = m->mechanism->nv();
  if (m != nullptr) add(mechanism_variables(*m, 'q')), add(mechanism_variables(*m, 'v'));
  first_unknown = static_cast<int>(inputs.size());
  for (const BondUnknown& u : system.unknowns) inputs.push_back(u.name);
  if (system.needs_acceleration) add(mechanism_variables(*m, 'a'));
  unknowns = static_cast<int>(inputs.size()) - first_unknown;
  numbers = Column::Zero(static_cast<Eigen::Index>(inputs.size()));
  z = r = step = trial = size = row_scale = column_scale = Column::Zero(unknowns);
  J = Dense::Zero(unknowns, unknowns);
}

std::vector<Expression> BondEquations::Memory::powers() {
  std::vector<Expression> out;
  for (int i = 0; i < static_cast<int>(graph.elements().size()); ++i) {
    const BondElement& e = graph.elements()[i];
    if (!(e.is_storage() || e.is_source() || e.is_resistor())) continue;
    powered.push_back(i);
    const Expression in = power_into(system, e);
    out.push_back(e.is_source() ? -in : Expression(0.0));
    out.push_back(-in);
    out.push_back(e.type == BondElementType::resistor ? in : Expression(0.0));
  }
  return out;
}

std::vector<Expression> BondEquations::Memory::energies() const {
  std::vector<Expression> out;
  std::map<std::string, Expression> values;
  for (const BondSolution& s : system.solved) values[s.name] = s.value;
  for (const int i : powered) out.push_back(graph.elements()[i].energy.substitute(values));
  return out;
}

void BondEquations::Memory::write_tapes() {
  const auto tape = [&](const std::vector<Expression>& outputs) { return Tape(outputs, inputs, graph.parameters()); };
  std::vector<Expression> residuals, slopes, all;
  for (const BondUnknown& u : system.unknowns) residuals.push_back(u.residual);
  if (system.needs_acceleration)
    for (const Expression& force : system.tau) residuals.push_back(-force);
  for (int k = first_unknown; k < static_cast<int>(inputs.size()); ++k)
    for (const Expression& e : residuals) slopes.push_back(e.derivative(inputs[k]));
  for (std::size_t b = 0; b < system.e.size(); ++b) {
    first_quantity.push_back(static_cast<int>(all.size()));
    all.insert(all.end(), system.e[b].begin(), system.e[b].end());
    all.insert(all.end(), system.f[b].begin(), system.f[b].end());
  }
  residual_tape = tape(residuals), slope_tape = tape(slopes), rate_tape = tape(system.rates),
  tau_tape = tape(system.tau);
  power_tape = tape(powers()), energy_tape = tape(energies()), quantity_tape = tape(all);
  slope_values.resize(slopes.size());
  rates = OwnedVector(system.states.size()), tau = OwnedVector(nv), acceleration = OwnedVector(nv);
  power_values = OwnedVector(3 * powered.size()), energy_values = OwnedVector(powered.size());
  quantities = OwnedVector(all.size()), unknown_values = OwnedVector(unknowns);
}

void BondEquations::Memory::take(const BondInstant& at) {
  double* to = numbers.data();
  *to++ = at.t;
  to = std::copy_n(at.x, system.states.size(), to);
  if (nv > 0) to = std::copy_n(at.v, nv, std::copy_n(at.q, nq, to));
}

/// r at z.
void BondEquations::Memory::residual(const BondInstant& at) {
  numbers.tail(unknowns) = z;
  residual_tape.evaluate(numbers.data(), r.data());
  if (!system.needs_acceleration) return;
  using Numbers = Eigen::Map<const Column>;
  r.tail(nv) += Eigen::Map<const Dense>(at.M, nv, nv) * z.tail(nv) - Numbers(at.force, nv);
}

void BondEquations::Memory::slopes(const BondInstant& at) {
  slope_tape.evaluate(numbers.data(), slope_values.data());
  J = Eigen::Map<const Dense>(slope_values.data(), unknowns, unknowns);
  if (system.needs_acceleration) J.bottomRightCorner(nv, nv) += Eigen::Map<const Dense>(at.M, nv, nv);
}

/// Rows and columns brought to the same size first: efforts and flows come in units that differ by many powers of
/// ten. Where exponential laws make J singular to rounding a step among those that fit still leads on; a solution
/// must be regular.
bool BondEquations::Memory::find_step() {
  if (!J.allFinite()) return false;
  for (int i = 0; i < unknowns; ++i) row_scale[i] = 1.0 / J.row(i).cwiseAbs().maxCoeff();
  J = row_scale.asDiagonal() * J;
  for (int i = 0; i < unknowns; ++i) column_scale[i] = 1.0 / J.col(i).cwiseAbs().maxCoeff();
  J = J * column_scale.asDiagonal();
  if (!J.allFinite()) return false;
  regular = lu.compute(J).isInvertible();
  step = column_scale.cwiseProduct(-lu.solve(Column(row_scale.cwiseProduct(r))));
  return step.allFinite();
}

/// From z on; each step is halved until the residual shrinks.
bool BondEquations::Memory::newton(const BondInstant& at) {
  residual(at);
  size = z.cwiseAbs();
  for (int i = 0; i < kMostIterations && r.allFinite(); ++i) {
    slopes(at);
    if (!find_step()) return false;
    size = size.cwiseMax(step.cwiseAbs());
    const double before = row_scale.cwiseProduct(r).norm();
    const bool last =
        ((step.cwiseAbs() - kConverged * size).array() <= 0.0).all() || step.norm() <= 1e-14 * (1.0 + z.norm());
    trial = z;
    for (double part = 1.0;; part /= 2) {
      z = trial + part * step;
      residual(at);
      if (last || (r.allFinite() && row_scale.cwiseProduct(r).norm() < before)) break;
      if (part < 1e-9) return regular && step.norm() <= 1e-9 * (1.0 + z.norm());  // at rounding
    }
    if (last) return regular && r.allFinite();
  }
  return false;
}

std::string BondEquations::Memory::trouble() const {
  std::vector<std::string> names(inputs.begin() + first_unknown, inputs.end());
  return fmt::format(
      "the equations for {} of bond graph '{}' have no solution that Newton's method finds at t = {} s",
      fmt::join(names, ", "), graph.name(), numbers[0]);
}

/// From the last solution, else from other places.
void BondEquations::Memory::solve(const BondInstant& at) {
  if (unknowns == 0 || newton(at)) return;
  for (const double start : {0.0, 1.0, -1.0}) {
    z.setConstant(start);
    if (newton(at)) return;
  }
  z.setZero();
  throw Error(trouble());
}

BondEquations::BondEquations(BondGraph graph) : memory_(std::make_unique<Memory>(std::move(graph))) {}
BondEquations::BondEquations(const BondEquations& other) : memory_(std::make_unique<Memory>(*other.memory_)) {}
BondEquations::BondEquations(BondEquations&&) noexcept = default;
BondEquations& BondEquations::operator=(BondEquations&&) noexcept = default;
BondEquations::~BondEquations() = default;

const BondGraph& BondEquations::graph() const { return memory_->graph; }
const BondSystem& BondEquations::system() const { return memory_->system; }
const OwnedVector& BondEquations::rates() const { return memory_->rates; }
const OwnedVector& BondEquations::tau() const { return memory_->tau; }
const OwnedVector& BondEquations::acceleration() const { return memory_->acceleration; }
const OwnedVector& BondEquations::unknowns() const { return memory_->unknown_values; }
const std::vector<int>& BondEquations::powered() const { return memory_->powered; }

std::vector<std::string> BondEquations::state_names() const {
  std::vector<std::string> out;
  for (const BondState& s : system().states) out.push_back(s.name);
  return out;
}

OwnedVector BondEquations::initial() const {
  OwnedVector out(size());
  for (int i = 0; i < size(); ++i) out[i] = system().states[i].initial;
  return out;
}

void BondEquations::evaluate(const BondInstant& at) {
  Memory& m = *memory_;
  m.take(at);
  m.solve(at);
  m.numbers.tail(m.unknowns) = m.z;
  m.unknown_values = m.z;
  if (m.system.needs_acceleration) m.acceleration = m.z.tail(m.nv);
  m.rate_tape.evaluate(m.numbers.data(), m.rates.data());
  m.tau_tape.evaluate(m.numbers.data(), m.tau.data());
  m.power_tape.evaluate(m.numbers.data(), m.power_values.data());
  m.energy_tape.evaluate(m.numbers.data(), m.energy_values.data());
  m.quantity_tape.evaluate(m.numbers.data(), m.quantities.data());
  for (int i = 0; i < size(); ++i)
    if (!std::isfinite(m.rates[i]))
      throw Error(fmt::format("the rate of '{}' in bond graph '{}' is {} at t = {} s", m.system.states[i].name,
                              m.graph.name(), m.rates[i], at.t));
}

BondPower BondEquations::power(std::size_t i) const {
  const double* p = memory_->power_values.data() + 3 * i;
  return {p[0], p[1], p[2]};
}
double BondEquations::stored(std::size_t i) const { return memory_->energy_values[static_cast<Eigen::Index>(i)]; }
double BondEquations::stored() const { return memory_->energy_values.sum(); }
double BondEquations::effort(int bond, int i) const {
  return memory_->quantities[memory_->first_quantity.at(bond) + i];
}
double BondEquations::flow(int bond, int i) const {
  return memory_->quantities[memory_->first_quantity.at(bond) + graph().bonds()[bond].dimension + i];
}

double BondEquations::value(const std::string& name) const {
  const Memory& m = *memory_;
  for (std::size_t i = 0; i < m.inputs.size(); ++i)
    if (m.inputs[i] == name && !name.empty()) return m.numbers[static_cast<Eigen::Index>(i)];
  std::vector<std::string> names = m.inputs;
  const auto found = [&](const std::string& of, int bond) {
    const int n = graph().bonds()[bond].dimension;
    for (int i = 0; i < 2 * n; ++i) {
      names.push_back(fmt::format("{}.{}", of, bond_quantity(i < n ? 'e' : 'f', i % n, n)));
      if (names.back() == name) return m.first_quantity[bond] + i;
    }
    return -1;
  };
  int at = -1;
  for (std::size_t b = 0; b < graph().bonds().size() && at < 0; ++b)
    if (!graph().bonds()[b].name.empty()) at = found(graph().bonds()[b].name, static_cast<int>(b));
  for (const BondElement& e : graph().elements())
    if (const int bond = graph().bond_of(e.name); bond >= 0 && at < 0) at = found(e.name, bond);
  if (at < 0)
    throw Error(fmt::format("bond graph '{}' has no quantity '{}'{}", graph().name(), name, suggestion(name, names)));
  return m.quantities[at];
}

OwnedVector BondEquations::rates_at(double t, const VectorRef& x) {
  if (graph().mechanism() != nullptr)
    throw Error(fmt::format("bond graph '{}' has a mechanism: its motion is needed too", graph().name()));
  if (x.size() != size())
    throw Error(
        fmt::format("the state has {} numbers, but bond graph '{}' has {}", x.size(), graph().name(), size()));
  const OwnedVector copy(x);
  evaluate({.t = t, .x = copy.data()});
  return rates();
}

}  // namespace amble
