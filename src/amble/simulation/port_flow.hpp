#pragma once

#include "amble/contact/solved_element.hpp"
#include "amble/ports/ledger.hpp"
#include "amble/recording/recording.hpp"
#include "amble/simulation/contact_events.hpp"
#include "amble/simulation/motion_flows.hpp"

namespace amble {

/// A mechanism, its constraints and the elements attached to it. x is v, then the elements' own states, then their
/// memories, then the books (J): for each element what it was supplied, delivered and dissipated since the start, then
/// what constraints did, what the scheme and projections onto constraints added, and what events took. So the books are kept by the same
/// integrator as the motion.
class PortFlow : public Flow {
 public:
  PortFlow(const Mechanism& mechanism, std::vector<ElementPtr> elements, std::vector<ConstraintPtr> constraints,
           const ConstrainedOptions& options = {});
  PortFlow(const PortFlow&) = delete;  // the motion asks this object for the forces
  PortFlow& operator=(const PortFlow&) = delete;

  const Mechanism* mechanism() const override { return &mechanism_; }
  int size() const override { return books_ + 3 * static_cast<int>(parts_.size()) + kTotals; }
  int active() const override { return memories_; }
  void rates(double t, const double* q, const double* x, double* v, double* xdot) override;
  void check_rates() const override;
  bool after_step(double t, double* q, double* x) override;
  void forgive(double t, const double* q, const double* x, double* q_error, double* x_error) override;
  double singular_time() const override { return motion_->flow->singular_time(); }
  std::string number_name(int i) const override;
  std::string energy_source(const double* x0, const double* x1) const override;
  bool second_order() const override { return true; }
  void check_forces() const override;
  void forces(double t, const double* q, const double* x, double* tau, double* xdot) override;
  void book_step(const double* q0, const double* x0, const double* q1, double* x1) override;
  // ---- for integrators that solve for forces

  /// One whose forces are solved for, and its place among all elements.
  struct Solved {
    std::size_t index;
    const SolvedElement* element;
  };
  const std::vector<Solved>& solved() const { return solved_; }
  /// Contact forces that were solved for in the last step, for elements that sense them; the integrator writes them.
  std::vector<ContactForce>& stepped_forces() { return stepped_forces_; }
  /// As forces(), also where constraints hold: those of the elements alone.
  void element_forces(double t, const double* q, const double* x, double* tau, double* xdot);
  /// Enters what an element did in a step (J).
  void book(std::size_t element, double delivered, double dissipated, double* x) const {
    x[books(element) + 1] += delivered, x[books(element) + 2] += dissipated;
  }
  /// The same for the constraints that hold: those of elements count as theirs, as in rates(). `impulses` of their rows
  /// act on the velocities `v`.
  void book_constraint_impulses(const VectorRef& impulses, const VectorRef& v, double* x) const;

  /// Whether the ledger has an entry for the integrator also without constraints: for one that does not conserve.
  void book_scheme(bool booked) { scheme_booked_ = booked; }

  int guards() const override { return guards_ + (contacts_.any() ? 1 : 0); }
  void guard_values(double t, const double* q, const double* x, double* values) override;
  std::string guard_name(int guard) const override;
  double next_instant(double t, const double* x) const override;
  bool happen(double t, std::span<const signed char> crossed, double* q, double* x) override;

  const std::vector<ElementPtr>& elements() const { return elements_; }
  /// Null when nothing constrains the motion now.
  ConstrainedFlow* constrained() { return motion_->constrained; }
  /// What happened so far.
  const std::vector<RecordedEvent>& events() const { return events_; }
  void set_events(std::vector<RecordedEvent> events) { events_ = std::move(events); }

  /// x at the start of a motion: no energy has flowed yet.
  OwnedVector start(double t, const VectorRef& q, const VectorRef& v);
  /// Takes up the constraints that hold in a state.
  void select(const double* x);
  /// Kinetic energy and energy in gravity.
  double energy(const VectorRef& q, const VectorRef& v);
  /// What an element has delivered since the start, and what events took.
  double delivered(std::size_t element, const OwnedVector& x) const { return x[books(element) + 1]; }
  double lost(const OwnedVector& x) const { return x[totals() + kLosses]; }
  /// Where elements touch in a state and how hard; those that are solved for are not among them.
  void contact_forces(double t, const VectorRef& q, const VectorRef& x, std::vector<ContactForce>& out);
  /// What the elements store at a state, one number each.
  OwnedVector stored(double t, const VectorRef& q, const VectorRef& x);
  /// The books since a start with this energy and these stores.
  Ledger ledger(double t, const VectorRef& q, const VectorRef& x, double initial, const OwnedVector& stored_then);

 private:
  enum Total { kConstraints, kScheme, kLosses, kTotals };

  /// Where an element's numbers begin: in x, among the guards; whether it has constraints; which of the rigid contacts
  /// it is, or -1.
  struct Part {
    int own = 0, memory = 0, guard = 0;
    bool holds = false;
    int contact = -1;
  };
  /// The motion while certain elements hold their constraints.
  struct Motion {
    std::vector<char> holding;         // for each element: its stance
    std::vector<int> first_row, rows;  // of each element's constraints; -1 when they do not act
    struct Given {
      int constraint;
      std::size_t element;
    };
    std::vector<Given> given;  // constraints that read their element's memory
    std::unique_ptr<Flow> flow;
    ConstrainedFlow* constrained = nullptr;
  };

  double booked_energy(const double* q, const double* x);
  std::unique_ptr<Motion> make_motion(const std::vector<char>& holding);
  Motion* motion_of(const std::vector<char>& holding);
  Motion* without_contacts();
  void give(Motion& motion, const double* x);
  const ConstrainedDynamics* held_without_contacts(double t);
  void look_at_contacts(double t, const double* x);
  const OwnedVector& free_acceleration(double t, const double* x);
  void decide_contacts(double t, double* x);
  bool find_contact_forces();
  double guard_of_contacts(double t, const double* x);
  bool contacts_concerned(std::span<const signed char> crossed, const double* x);
  int books(std::size_t element) const { return books_ + 3 * static_cast<int>(element); }
  int totals() const { return books(parts_.size()); }
  void take_state(const double* q, const double* x);
  PortState state(std::size_t element, double t, const double* x);
  void sense(double t, const double* q, const double* x);
  const PortFlows& evaluate(std::size_t element, double t, const double* x, double* xdot);
  void add_forces(double t, const double* x, double* xdot);
  double impact(double t);

  Mechanism mechanism_;
  Workspace work_;
  std::vector<ElementPtr> elements_;
  std::vector<ConstraintPtr> permanent_;
  ConstrainedOptions options_;
  std::vector<Part> parts_;
  std::vector<Solved> solved_;
  int memories_ = 0, books_ = 0, guards_ = 0;
  bool switching_ = false, forces_wanted_ = false, scheme_booked_ = false, sensing_ = false;
  std::vector<ContactForce> stepped_forces_, touching_;
  std::vector<char> holding_;
  std::vector<std::unique_ptr<Motion>> motions_;
  Motion* motion_ = nullptr;
  std::vector<Strike> strikes_;
  std::vector<std::string> log_;
  std::vector<RecordedEvent> events_;
  ContactEvents contacts_;
  std::vector<double*> contact_memories_;
  std::vector<const double*> contact_forces_;
  std::vector<char> others_;  // stances without those of contacts
  OwnedVector free_;
  PortFlows flows_;
  OwnedVector q_, v_, tau_, x_before_, rates_, v_rates_;
  OwnedVector booked_q_, booked_v_;  // the last state that book_step() asked for the energy of
  double booked_energy_ = 0.0;
};

}  // namespace amble
