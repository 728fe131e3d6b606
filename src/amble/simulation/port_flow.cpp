#include "amble/simulation/port_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/dynamics/momentum.hpp"

namespace amble {

namespace {

using Numbers = Eigen::Map<const Eigen::VectorXd>;

/// An element that gives no numbers is named; the motion is then tried no further.
void check(const Element& element, const PortFlows& flows, const double* xdot) {
  const bool finite = flows.tau.allFinite() && std::isfinite(flows.supplied) && std::isfinite(flows.dissipated) &&
                      std::isfinite(flows.stored) && (element.size() == 0 || Numbers(xdot, element.size()).allFinite());
  if (!finite) throw Error(fmt::format("element '{}' gives a force or an energy that is not a number", element.name()));
}

int rows_of(const std::vector<ConstraintPtr>& constraints) {
  int rows = 0;
  for (const ConstraintPtr& c : constraints) rows += c->rows();
  return rows;
}

}  // namespace

PortFlow::PortFlow(const Mechanism& m, std::vector<ElementPtr> elements, std::vector<ConstraintPtr> constraints,
                   const ConstrainedOptions& options)
    : mechanism_(m),
      work_(m),
      elements_(std::move(elements)),
      permanent_(std::move(constraints)),
      options_(options),
      parts_(elements_.size()),
      holding_(elements_.size()),
      contacts_(m, elements_),
      contact_memories_(contacts_.elements().size()),
      contact_forces_(contacts_.elements().size()),
      free_(m.nv()),
      flows_(m.nv()),
      q_(m.nq()),
      v_(m.nv()),
      tau_(m.nv()),
      v_rates_(m.nv()) {
  int at = m.nv();
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].own = at, at += elements_[i]->size();
  memories_ = at;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Element& element = *elements_[i];
    parts_[i].memory = at, at += element.memory();
    parts_[i].guard = guards_, guards_ += element.guards();
    parts_[i].holds = !element.constraints().empty();
    holding_[i] = parts_[i].holds ? 1 : 0;
    switching_ |= parts_[i].holds;
    forces_wanted_ |= element.guards_want_forces();
    sensing_ |= element.senses_contacts();
    if (const auto* solved = dynamic_cast<const SolvedElement*>(&element)) solved_.push_back({i, solved});
  }
  for (std::size_t i = 0; i < contacts_.elements().size(); ++i)
    parts_[contacts_.elements()[i]].contact = static_cast<int>(i), holding_[contacts_.elements()[i]] = 0;
  forces_wanted_ |= contacts_.any();
  books_ = at;
  x_before_ = OwnedVector(size()), rates_ = OwnedVector(size());
  motions_.push_back(make_motion(holding_));
  motion_ = motions_.back().get();
}

// ---- constraints that come and go

std::unique_ptr<PortFlow::Motion> PortFlow::make_motion(const std::vector<char>& holding) {
  auto motion = std::make_unique<Motion>();
  motion->holding = holding, motion->first_row.assign(parts_.size(), -1), motion->rows.assign(parts_.size(), 0);
  std::vector<ConstraintPtr> all = permanent_;
  int row = rows_of(permanent_);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!holding[i]) continue;
    std::vector<ConstraintPtr> own = elements_[i]->constraints();
    if (parts_[i].contact >= 0) {
      own = {contacts_.contact(parts_[i].contact).stance_constraint(holding[i])};
      motion->given.push_back({static_cast<int>(all.size()), i});
    }
    all.insert(all.end(), own.begin(), own.end());
    motion->first_row[i] = row, motion->rows[i] = rows_of(own), row += motion->rows[i];
  }
  const auto forces = [this](double, const OwnedVector&, const OwnedVector&, OwnedVector& tau) { tau = tau_; };
  if (all.empty()) {
    motion->flow = std::make_unique<VelocityFlow>(mechanism_, forces);
  } else {
    auto flow = std::make_unique<ConstrainedFlow>(ConstrainedDynamics(mechanism_, std::move(all), options_), forces);
    motion->constrained = flow.get(), motion->flow = std::move(flow);
  }
  return motion;
}

void PortFlow::select(const double* x) {
  if (!switching_) return;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    holding_[i] = parts_[i].contact >= 0 ? static_cast<char>(RigidContact::stance(x + parts_[i].memory))
                                         : parts_[i].holds && elements_[i]->holding(x + parts_[i].memory);
  if (holding_ != motion_->holding) motion_ = motion_of(holding_);
  give(*motion_, x);
}

PortFlow::Motion* PortFlow::motion_of(const std::vector<char>& holding) {
  const auto same = [&](const auto& motion) { return motion->holding == holding; };
  const auto known = std::find_if(motions_.begin(), motions_.end(), same);
  return known != motions_.end() ? known->get() : motions_.emplace_back(make_motion(holding)).get();
}

void PortFlow::give(Motion& motion, const double* x) {
  for (const Motion::Given& g : motion.given)
    motion.constrained->dynamics().set_given(g.constraint, RigidContact::given(x + parts_[g.element].memory));
}

// ---- the flow

void PortFlow::take_state(const double* q, const double* x) {
  q_ = Numbers(q, mechanism_.nq()), v_ = Numbers(x, mechanism_.nv());
}

PortState PortFlow::state(std::size_t i, double t, const double* x) {
  return {t, q_, v_, mechanism_, work_, x + parts_[i].memory, nullptr, {}};
}

/// One element at the state in q_ and v_.
const PortFlows& PortFlow::evaluate(std::size_t i, double t, const double* x, double* xdot) {
  flows_.tau.setZero();
  flows_.supplied = flows_.dissipated = flows_.stored = 0.0;
  elements_[i]->evaluate(state(i, t, x), x + parts_[i].own, flows_, xdot + parts_[i].own);
  check(*elements_[i], flows_, xdot + parts_[i].own);
  return flows_;
}

/// The forces of all elements to tau_, and their powers to the books.
void PortFlow::add_forces(double t, const double* x, double* xdot) {
  tau_.setZero();
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const PortFlows& flows = evaluate(i, t, x, xdot);
    tau_ += flows.tau;
    double* const books = xdot + this->books(i);
    books[0] = flows.supplied, books[1] = flows.tau.dot(v_), books[2] = flows.dissipated;
  }
}

/// What constraints that move supply and deliver.
void PortFlow::book_constraint_impulses(const VectorRef& impulses, const VectorRef& v, double* x) const {
  if (motion_->constrained == nullptr) return;
  const ConstrainedDynamics& at = motion_->constrained->dynamics();
  const auto power = [&](const OwnedRowMatrix& rows_of, int row, int rows) {
    return impulses.segment(row, rows).dot(rows_of.middleRows(row, rows) * v);
  };
  double others = power(at.A(), 0, at.rows());
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (motion_->first_row[i] < 0) continue;
    const double own = power(at.A(), motion_->first_row[i], motion_->rows[i]);
    const double delivered = power(at.force_rows(), motion_->first_row[i], motion_->rows[i]);
    double* const books = x + this->books(i);
    books[0] += own, books[1] += delivered, books[2] += own - delivered;
    others -= own;
  }
  x[totals() + kConstraints] += others;
}

void PortFlow::check_rates() const {
  if (solved_.empty()) return;
  throw Error(fmt::format("the forces of '{}' are solved for step by step: expected integrator \"time_stepping\"",
                          solved_.front().element->name()));
}

void PortFlow::rates(double t, const double* q, const double* x, double* v, double* xdot) {
  check_rates();
  take_state(q, x);
  select(x);
  std::fill(xdot + memories_, xdot + size(), 0.0);
  add_forces(t, x, xdot);
  motion_->flow->rates(t, q, x, v, xdot);
  if (motion_->constrained != nullptr)
    book_constraint_impulses(motion_->constrained->dynamics().multipliers(), v_, xdot);
}

bool PortFlow::after_step(double t, double* q, double* x) {
  take_state(q, x);
  select(x);
  if (!motion_->flow->after_step(t, q, x)) return false;
  const double before = energy(q_, v_);
  x[totals() + kScheme] += energy(Numbers(q, mechanism_.nq()), Numbers(x, mechanism_.nv())) - before;
  return true;
}

void PortFlow::forgive(double t, const double* q, const double* x, double* q_error, double* x_error) {
  motion_->flow->forgive(t, q, x, q_error, x_error);
}

// ---- reports

std::string PortFlow::number_name(int i) const {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& part = parts_[k];
    const auto has = [i](int first, int count) { return i >= first && i < first + count; };
    if (has(part.own, elements_[k]->size()) || has(part.memory, elements_[k]->memory()))
      return fmt::format("the state of element '{}'", elements_[k]->name());
    if (has(books(k), 3)) return fmt::format("the energy of element '{}'", elements_[k]->name());
  }
  return "the energy of constraints, of the integrator or of events";
}

std::string PortFlow::energy_source(const double* x0, const double* x1) const {
  double most = 0.0;
  const std::string* name = nullptr;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (const double gave = x1[books(i) + 1] - x0[books(i) + 1]; gave > most) most = gave, name = &elements_[i]->name();
  return name == nullptr ? ", none of it from an element: the steps are too long" : fmt::format(", {:.3g} J of it from '{}'", most, *name);
}

// ---- forces alone

void PortFlow::check_forces() const {
  check_rates();
  if (motion_->constrained == nullptr) return;
  throw Error(fmt::format("the motion of '{}' is under constraints, which an integrator that works with forces does not "
                          "take: expected \"rkmk45\", \"rkmk4\", \"radau\" or \"semi_implicit\"",
                          mechanism_.name()));
}

void PortFlow::forces(double t, const double* q, const double* x, double* tau, double* xdot) {
  element_forces(t, q, x, tau, xdot);
  check_forces();
}

void PortFlow::element_forces(double t, const double* q, const double* x, double* tau, double* xdot) {
  take_state(q, x);
  select(x);
  std::fill(xdot + memories_, xdot + size(), 0.0);
  add_forces(t, x, xdot);
  std::copy_n(tau_.data(), mechanism_.nv(), tau);
}

/// The change of the mechanism's energy less the work booked for it.
/// Energy at a state, which mostly is the one that the last step ended in.
double PortFlow::booked_energy(const double* q, const double* x) {
  const bool known = booked_q_.size() > 0 && std::equal(booked_q_.data(), booked_q_.data() + booked_q_.size(), q) &&
                     std::equal(booked_v_.data(), booked_v_.data() + booked_v_.size(), x);
  if (!known) {
    take_state(q, x);
    booked_q_ = q_, booked_v_ = v_, booked_energy_ = energy(q_, v_);
  }
  return booked_energy_;
}

void PortFlow::book_step(const double* q0, const double* x0, const double* q1, double* x1) {
  double gap = -booked_energy(q0, x0);
  gap += booked_energy(q1, x1);
  for (std::size_t i = 0; i < parts_.size(); ++i) gap -= x1[books(i) + 1] - x0[books(i) + 1];
  x1[totals() + kScheme] += gap - (x1[totals() + kConstraints] - x0[totals() + kConstraints]);
}

// ---- events

void PortFlow::guard_values(double t, const double* q, const double* x, double* values) {
  if (forces_wanted_) rates(t, q, x, v_rates_.data(), rates_.data());
  take_state(q, x);
  select(x);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (elements_[i]->guards() == 0) continue;
    PortState at = state(i, t, x);
    if (elements_[i]->guards_want_forces() && motion_->first_row[i] >= 0)
      at.forces = motion_->constrained->dynamics().multipliers().data() + motion_->first_row[i];
    elements_[i]->guard_values(at, x + parts_[i].own, values + parts_[i].guard);
  }
  if (contacts_.any()) values[guards_] = guard_of_contacts(t, x);
}

std::string PortFlow::guard_name(int guard) const {
  if (guard == guards_) return "what contacts can bear";
  std::size_t i = parts_.size() - 1;
  while (parts_[i].guard > guard) --i;
  return elements_[i]->guard_name(guard - parts_[i].guard);
}

double PortFlow::next_instant(double t, const double* x) const {
  double first = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < parts_.size(); ++i)
    first = std::min(first, elements_[i]->next_instant(t, x + parts_[i].memory));
  return first;
}

/// v_ after the impacts of this instant on what holds now; returns what they took.
double PortFlow::impact(double t) {
  const int nv = mechanism_.nv(), struck = static_cast<int>(strikes_.size());
  const int fixed = motion_->constrained == nullptr ? 0 : motion_->constrained->dynamics().rows();
  if (fixed + struck == 0) return 0.0;
  ImpactRows rows{.held = OwnedRowMatrix(fixed + struck, nv), .after = OwnedVector(fixed + struck),
                  .contacts = OwnedRowMatrix(0, nv), .surfaces = {}};
  if (fixed > 0) {
    ConstrainedDynamics& held = motion_->constrained->dynamics();
    held.set_time(t);
    held.set_state(q_, v_);
    rows.held.topRows(fixed) = held.A(), rows.after.head(fixed) = held.A() * v_ - held.velocity_error();
  }
  for (int i = 0; i < struck; ++i)
    rows.held.row(fixed + i) = strikes_[i].row, rows.after[fixed + i] = strikes_[i].after;
  const ImpactSolution s = solve_impact(inverse_mass_matrix(mechanism_, work_, q_), rows, v_);
  v_ = s.v;
  return s.energy_lost;
}

// ---- contacts

PortFlow::Motion* PortFlow::without_contacts() {
  others_ = holding_;
  for (std::size_t i : contacts_.elements()) others_[i] = 0;
  return motion_of(others_);
}

/// Constraints of others than contacts, at the state in q_ and v_; null when there are none.
const ConstrainedDynamics* PortFlow::held_without_contacts(double t) {
  ConstrainedFlow* const others = without_contacts()->constrained;
  if (others == nullptr) return nullptr;
  others->dynamics().set_time(t);
  others->dynamics().set_state(q_, v_);
  return &others->dynamics();
}

void PortFlow::look_at_contacts(double t, const double* x) {
  for (std::size_t i = 0; i < contact_memories_.size(); ++i)
    contact_memories_[i] = const_cast<double*>(x) + parts_[contacts_.elements()[i]].memory;
  contacts_.set_state(q_, v_, contact_memories_, held_without_contacts(t));
}

/// Accelerations without contact forces, at the state in q_ and v_.
const OwnedVector& PortFlow::free_acceleration(double t, const double* x) {
  Motion& others = *without_contacts();
  add_forces(t, x, rates_.data());
  give(others, x);
  others.flow->rates(t, q_.data(), x, v_rates_.data(), rates_.data());
  free_ = rates_.head(mechanism_.nv());
  return free_;
}

/// Modes of contacts for the state in q_ and v_.
void PortFlow::decide_contacts(double t, double* x) {
  look_at_contacts(t, x);
  contacts_.decide(free_acceleration(t, x), log_);
  select(x);
}

/// Points contact_forces_ to the multipliers; whether any contact is closed.
bool PortFlow::find_contact_forces() {
  bool closed = false;
  for (std::size_t i = 0; i < contact_forces_.size(); ++i) {
    const int row = motion_->first_row[contacts_.elements()[i]];
    contact_forces_[i] = row < 0 ? nullptr : motion_->constrained->dynamics().multipliers().data() + row;
    closed |= row >= 0;
  }
  return closed;
}

double PortFlow::guard_of_contacts(double t, const double* x) {
  if (!find_contact_forces()) return -1.0;
  look_at_contacts(t, x);
  return contacts_.guard(free_acceleration(t, x), contact_forces_);
}

/// Whether this instant may change what contacts do.
bool PortFlow::contacts_concerned(std::span<const signed char> crossed, const double* x) {
  if (!contacts_.any()) return false;
  bool concerned = !strikes_.empty() || crossed[guards_] > 0;
  for (std::size_t i : contacts_.elements()) {
    concerned |= RigidContact::mode(x + parts_[i].memory) == RigidContact::Mode::struck;
    concerned |= RigidContact::mode(x + parts_[i].memory) == RigidContact::Mode::sliding &&
                 crossed[parts_[i].guard + RigidContact::kHalts] < 0;
  }
  return concerned;
}

/// All that touches, for elements that sense it.
void PortFlow::sense(double t, const double* q, const double* x) {
  if (!sensing_) return;
  touching_.assign(stepped_forces_.begin(), stepped_forces_.end());
  contact_forces(t, Numbers(q, mechanism_.nq()), Numbers(x, size()), touching_);
}

bool PortFlow::happen(double t, std::span<const signed char> crossed, double* q, double* x) {
  sense(t, q, x);
  take_state(q, x);
  x_before_ = Numbers(x, size());
  strikes_.clear(), log_.clear();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    PortEvent event{crossed.subspan(parts_[i].guard, elements_[i]->guards()), x + parts_[i].own, x + parts_[i].memory,
                    strikes_, log_, x[books(i) + 2]};
    PortState at = state(i, t, x_before_.data());
    if (sensing_) at.touching = touching_;
    elements_[i]->happen(at, event);
  }
  const Motion* before = motion_;
  select(x);
  double lost = 0.0;
  if (contacts_concerned(crossed, x) || (contacts_.any() && motion_ != before)) {
    look_at_contacts(t, x);
    if (contacts_.struck() || !strikes_.empty() || motion_ != before) lost += contacts_.strike(strikes_, v_, log_);
    strikes_.clear();
    std::copy_n(v_.data(), mechanism_.nv(), x);
    decide_contacts(t, x);
    take_state(q, x);
  }
  if (motion_ != before || !strikes_.empty()) lost += impact(t);
  std::copy_n(v_.data(), mechanism_.nv(), x);
  x[totals() + kLosses] += lost;
  for (std::size_t i = 0; i < log_.size(); ++i) events_.push_back({t, std::move(log_[i]), i == 0 ? lost : 0.0});
  return x_before_ != Numbers(x, size());
}

// ---- the books

OwnedVector PortFlow::start(double t, const VectorRef& q, const VectorRef& v) {
  OwnedVector x(size());
  q_ = q, v_ = x.head(mechanism_.nv()) = v;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    elements_[i]->start(state(i, t, x.data()), x.data() + parts_[i].own, x.data() + parts_[i].memory);
  events_.clear();
  select(x.data());
  if (contacts_.any()) {
    log_.clear();
    decide_contacts(t, x.data());
  }
  return x;
}

double PortFlow::energy(const VectorRef& q, const VectorRef& v) {
  return mechanical_energy(mechanism_, work_, q, v);
}

void PortFlow::contact_forces(double t, const VectorRef& q, const VectorRef& x, std::vector<ContactForce>& out) {
  select(x.data());
  if (contacts_.any()) rates(t, q.data(), x.data(), v_rates_.data(), rates_.data());  // for the multipliers
  q_ = q, v_ = x.head(mechanism_.nv());
  if (find_contact_forces()) look_at_contacts(t, x.data()), contacts_.share(contact_forces_);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto* const touching = dynamic_cast<const Touching*>(elements_[i].get());
    if (touching == nullptr) continue;
    PortState at = state(i, t, x.data());
    if (parts_[i].contact >= 0) at.forces = contact_forces_[parts_[i].contact];
    touching->contact_forces(at, x.data() + parts_[i].own, out);
  }
}

OwnedVector PortFlow::stored(double t, const VectorRef& q, const VectorRef& x) {
  q_ = q, v_ = x.head(mechanism_.nv());
  OwnedVector out(elements_.size());
  for (std::size_t i = 0; i < elements_.size(); ++i) out[i] = evaluate(i, t, x.data(), rates_.data()).stored;
  return out;
}

Ledger PortFlow::ledger(double t, const VectorRef& q, const VectorRef& x, double initial, const OwnedVector& stored_then) {
  Ledger out{.initial = initial, .final = energy(q, x.head(mechanism_.nv())), .entries = {}, .losses = lost(x)};
  const OwnedVector stored_now = stored(t, q, x);
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const double* books = x.data() + this->books(i);
    out.entries.push_back({elements_[i]->name(), books[0], books[1], stored_now[i] - stored_then[i], books[2]});
  }
  const bool constrained = !permanent_.empty() || switching_;
  const double constraints = x[totals() + kConstraints], scheme = x[totals() + kScheme];
  if (constrained) out.entries.push_back({"constraints", constraints, constraints, 0.0, 0.0});
  if (constrained || scheme_booked_) out.entries.push_back({"integrator", scheme, scheme, 0.0, 0.0});
  return out;
}

}  // namespace amble
