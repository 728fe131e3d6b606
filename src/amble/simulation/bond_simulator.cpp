#include "amble/simulation/bond_simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"

namespace amble {

struct BondSimulator::Memory {
  Memory(const BondGraph& graph, const IntegratorOptions& options, BondRepresentation representation,
         const std::string& method)
      : motion(bond_motion(graph, representation)),
        flow(*motion),
        made(make_integrator(method, flow, options)),
        integrator(*made) {}

  void set() { flow.set(integrator.t(), integrator.q().data(), integrator.x().data()); }

  std::unique_ptr<BondMotion> motion;
  BondMotion& flow;
  std::unique_ptr<Integrator> made;
  Integrator& integrator;
  OwnedVector stored, before;
  double initial = 0.0, exchanged = 0.0;
};

BondSimulator::BondSimulator(const BondGraph& graph, const IntegratorOptions& options,
                             BondRepresentation representation, const std::string& method)
    : memory_(std::make_unique<Memory>(graph, options, representation, method)) {
  reset();
}
BondSimulator::BondSimulator(BondSimulator&&) noexcept = default;
BondSimulator::~BondSimulator() = default;

const BondGraph& BondSimulator::graph() const { return memory_->flow.graph(); }

void BondSimulator::reset(double t) {
  const Mechanism* m = memory_->flow.mechanism();
  reset(m == nullptr ? OwnedVector() : m->neutral(), OwnedVector(m == nullptr ? 0 : m->nv()), t);
}

void BondSimulator::reset(const VectorRef& q, const VectorRef& v, double t) {
  Memory& m = *memory_;
  m.integrator.set_state(t, q, m.flow.start(v));
  m.before = m.integrator.x();
  m.initial = m.flow.energy(m.integrator.q(), m.integrator.x()), m.exchanged = 0.0;
  m.stored = m.flow.stored(t, m.integrator.q(), m.integrator.x());
}

void BondSimulator::step_towards(double end) {
  Memory& m = *memory_;
  m.before = m.integrator.x();
  m.integrator.step(end);
  for (int i = 0; i < m.flow.entries(); ++i)
    m.exchanged += std::abs(m.flow.delivered(i, m.integrator.x()) - m.flow.delivered(i, m.before));
}

void BondSimulator::advance(double end) {
  if (!(end >= t()) || !std::isfinite(end))
    throw Error(fmt::format("a run to {} s is asked for, but it is at {} s", end, t()));
  memory_->integrator.start_run(end);
  while (t() < end) step_towards(end);
}

double BondSimulator::t() const { return memory_->integrator.t(); }
const OwnedVector& BondSimulator::q() const { return memory_->integrator.q(); }
OwnedVector BondSimulator::v() const { return memory_->integrator.x().head(memory_->flow.first_state()); }
std::vector<std::string> BondSimulator::state_names() const { return memory_->flow.state_names(); }
OwnedVector BondSimulator::states() const {
  const auto n = static_cast<Eigen::Index>(state_names().size());
  return memory_->integrator.x().segment(memory_->flow.first_state(), n);
}

double BondSimulator::value(const std::string& name) {
  memory_->set();
  return memory_->flow.value(name);
}

double BondSimulator::value_at(double t, const std::string& name) {
  Memory& m = *memory_;
  OwnedVector q = m.integrator.q(), x = m.integrator.x();
  m.integrator.interpolate(t, q, x);
  m.flow.set(t, q.data(), x.data());
  return m.flow.value(name);
}

double BondSimulator::energy() {
  memory_->set();
  return memory_->flow.stored() + memory_->flow.energy(memory_->integrator.q(), memory_->integrator.x());
}

bool BondSimulator::has_books() const { return memory_->flow.has_books(); }

Ledger BondSimulator::ledger() {
  Memory& m = *memory_;
  if (!has_books())
    throw Error(fmt::format(
        "bond graph '{}' has no books in its port-Hamiltonian form: a resistor lies between a source "
        "and storage",
        graph().name()));
  Ledger out = m.flow.ledger(t(), m.integrator.q(), m.integrator.x(), m.initial, m.stored);
  out.exchanged = m.exchanged;
  return out;
}

double BondSimulator::largest_gap() {
  double out = 0.0;
  for (const LedgerEntry& e : ledger().entries) out = std::max(out, std::abs(e.gap()));
  return out;
}

const IntegratorReport& BondSimulator::report() const { return memory_->integrator.report(); }

}  // namespace amble
