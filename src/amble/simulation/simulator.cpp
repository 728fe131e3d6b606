#include "amble/simulation/simulator.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"
#include "amble/constraints/carried_constraints.hpp"
#include "amble/contact/joint_blocks.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/ports/carried_elements.hpp"
#include "amble/ports/touching.hpp"
#include "amble/simulation/stepped_contact.hpp"

namespace amble {

namespace {

template <class T>
std::vector<T> joined(std::vector<T> a, std::vector<T> b) {
  a.insert(a.end(), std::make_move_iterator(b.begin()), std::make_move_iterator(b.end()));
  return a;
}

/// What joints carry, as the integrator takes it.
std::vector<ElementPtr> carried(const Mechanism& m, const std::string& method) {
  return solves_elements(method) ? stepped_carried_elements(m) : carried_elements(m);
}

/// The row that is off most, in words.
std::string worst_row(const ConstrainedDynamics& dynamics, const OwnedVector& off) {
  Eigen::Index row = 0;
  const double size = off.cwiseAbs().maxCoeff(&row);
  return fmt::format("{} is off by {:.3g}", dynamics.row_name(static_cast<int>(row)), size);
}

/// Brings a start that is off by rounding onto the constraints.
void settle(ConstrainedDynamics& dynamics, double t, OwnedVector& q, OwnedVector& v) {
  constexpr double kRounding = 1e-6;
  dynamics.set_time(t);
  dynamics.set_state(q, v);
  if (const OwnedVector& off = dynamics.violation(); !(off.cwiseAbs().maxCoeff() <= kRounding))
    throw Error(fmt::format("the initial configuration breaks a constraint: {}; assemble() finds one that does not",
                            worst_row(dynamics, off)));
  if (const OwnedVector off = dynamics.velocity_error(); !(off.cwiseAbs().maxCoeff() <= kRounding * (1.0 + v.norm())))
    throw Error(fmt::format("the initial velocity breaks a constraint: {}; project_velocity() finds one that does not",
                            worst_row(dynamics, off)));
  dynamics.project_state(q, v);
}

}  // namespace

struct Simulator::Memory {
  Memory(const Mechanism& m, std::vector<ElementPtr> elements, std::vector<ConstraintPtr> constraints,
         const SimulatorOptions& options)
      : flow(m, joined(carried(m, options.method), std::move(elements)), joined(constraints_of(m), std::move(constraints)),
             options.constraints),
        integrator(make_integrator(options.method, flow, options.integrator)),
        work(m),
        q(m.nq()),
        v(m.nv()),
        x_before(flow.size()),
        stored(flow.elements().size()) {
    flow.book_scheme(!integrator->keeps_books());
  }

  void require_state() const {
    if (!set) throw Error("the simulator has no state yet: reset() comes first");
  }
  void start(double t, const OwnedVector& x);
  void add_exchanged();

  PortFlow flow;
  std::unique_ptr<Integrator> integrator;
  Workspace work;
  OwnedVector q, v, x_before, stored;  // `stored`: by the elements at the start
  double initial = 0.0, exchanged = 0.0;
  Clock clock;
  bool set = false;
};

Simulator::Simulator(const Mechanism& m, std::vector<ElementPtr> elements, std::vector<ConstraintPtr> constraints,
                     const SimulatorOptions& options)
    : memory_(std::make_unique<Memory>(m, std::move(elements), std::move(constraints), options)) {}
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;
Simulator::~Simulator() = default;

const Mechanism& Simulator::mechanism() const { return *memory_->flow.mechanism(); }
std::span<const ElementPtr> Simulator::elements() const { return memory_->flow.elements(); }
ConstrainedFlow* Simulator::constrained() { return memory_->flow.constrained(); }
const std::vector<RecordedEvent>& Simulator::events() const { return memory_->flow.events(); }
const IntegratorReport& Simulator::report() const { return memory_->integrator->report(); }
std::span<const SteppedContact> Simulator::contacts() const { return memory_->integrator->contacts(); }
const ContactReport* Simulator::contact_report() const { return memory_->integrator->contact_report(); }

std::vector<ContactForce> Simulator::contact_forces() {
  Memory& x = *memory_;
  x.require_state();
  std::vector<ContactForce> out;
  append_contact_forces(contacts(), out);
  x.flow.contact_forces(t(), q(), x.integrator->x(), out);
  return out;
}

GroundPtr Simulator::ground() const {
  for (const ElementPtr& element : elements())
    if (const auto* const touching = dynamic_cast<const Touching*>(element.get()); touching && touching->ground())
      return touching->ground();
  return nullptr;
}

// ---- a motion

void Simulator::Memory::start(double t, const OwnedVector& x) {
  integrator->set_state(t, q, x);
  clock = {t, 0.0};
  initial = flow.energy(q, v), exchanged = 0.0;
  stored = flow.stored(t, q, x);
  set = true;
}

void Simulator::reset(const VectorRef& q, const VectorRef& v, double t) {
  Memory& x = *memory_;
  x.set = false;
  mechanism().check_configuration(q, x.q);
  mechanism().check_velocity(v, "v");
  x.v = v;
  OwnedVector started = x.flow.start(t, x.q, x.v);
  if (ConstrainedFlow* constrained = x.flow.constrained()) {
    settle(constrained->dynamics(), t, x.q, x.v);
    started = x.flow.start(t, x.q, x.v);
  }
  x.start(t, started);
}

void Simulator::Memory::add_exchanged() {
  for (std::size_t i = 0; i < flow.elements().size(); ++i)
    exchanged += std::abs(flow.delivered(i, integrator->x()) - flow.delivered(i, x_before));
  exchanged += std::abs(flow.lost(integrator->x()) - flow.lost(x_before));
}

void Simulator::step_towards(double end) {
  Memory& x = *memory_;
  x.require_state();
  x.x_before = x.integrator->x();
  x.integrator->step(end);
  x.add_exchanged();
}

void Simulator::advance(double end) {
  memory_->require_state();
  if (!(end >= t()) || !std::isfinite(end))
    throw Error(fmt::format("a motion to {} s is asked for, but it is at {} s", end, t()));
  start_run(end);
  while (t() < end) step_towards(end);
}

void Simulator::start_run(double end) { memory_->integrator->start_run(end); }

/// By the sum of two numbers that loses nothing (Knuth, TAOCP 2, 4.2.2, theorem B).
void Simulator::Clock::add(double duration) {
  const auto add_exactly = [this](double b) {
    const double sum = t + b, of_b = sum - t;
    const double lost = (t - (sum - of_b)) + (b - of_b);
    t = sum;
    return lost;
  };
  rest += add_exactly(duration);
  rest = add_exactly(rest);
}

void Simulator::step(double duration) {
  Clock& clock = memory_->clock;
  if (clock.t != t()) clock = {t(), 0.0};
  clock.add(duration);
  advance(clock.t);
}

// ---- where it is

double Simulator::t() const { return memory_->integrator->t(); }
const OwnedVector& Simulator::q() const { return memory_->integrator->q(); }
OwnedVector Simulator::v() const { return memory_->integrator->x().head(mechanism().nv()); }

void Simulator::state_at(double t, OwnedVector& q, OwnedVector& v) const {
  Memory& x = *memory_;
  x.integrator->interpolate(t, q, x.x_before);
  v = x.x_before.head(mechanism().nv());
}

OwnedVector Simulator::accelerations() {
  Memory& x = *memory_;
  x.require_state();
  OwnedVector rates(x.flow.size());
  x.flow.rates(t(), q().data(), x.integrator->x().data(), x.v.data(), rates.data());
  return rates.head(mechanism().nv());
}

double Simulator::kinetic_energy() { return amble::kinetic_energy(mechanism(), memory_->work, q(), v()); }
double Simulator::potential_energy() { return amble::potential_energy(mechanism(), memory_->work, q()); }

Ledger Simulator::ledger() {
  Memory& x = *memory_;
  x.require_state();
  Ledger out = x.flow.ledger(t(), q(), x.integrator->x(), x.initial, x.stored);
  out.exchanged = x.exchanged;
  return out;
}

// ---- to come back to it

Simulator::Snapshot Simulator::save() const {
  const Memory& x = *memory_;
  x.require_state();
  Snapshot out{t(), q(), x.integrator->x(), x.stored, x.initial, x.exchanged, x.flow.events(), x.integrator->pace(), x.clock, {}};
  for (const ElementPtr& element : elements()) out.remembered.push_back(element->save());
  return out;
}

void Simulator::restore(const Snapshot& snapshot) {
  Memory& x = *memory_;
  if (snapshot.stored.size() != x.stored.size())
    throw Error(fmt::format("the snapshot is of {} elements, but the simulator has {}", snapshot.stored.size(),
                            x.stored.size()));
  x.integrator->set_state(snapshot.t, snapshot.q, snapshot.x);
  x.integrator->set_pace(snapshot.pace);
  x.stored = snapshot.stored, x.initial = snapshot.initial, x.exchanged = snapshot.exchanged;
  x.clock = snapshot.clock;
  x.flow.select(snapshot.x.data());
  x.flow.set_events(snapshot.events);
  for (std::size_t i = 0; i < snapshot.remembered.size(); ++i) elements()[i]->restore(snapshot.remembered[i]);
  x.set = true;
}

}  // namespace amble
