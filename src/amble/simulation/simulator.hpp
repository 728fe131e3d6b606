#pragma once

#include "amble/simulation/port_flow.hpp"
#include "amble/simulation/integrators.hpp"

namespace amble {

struct SimulatorOptions {
  IntegratorOptions integrator = {};
  ConstrainedOptions constraints = {};
  std::string method = "rkmk45";  ///< one of integrator_names()
};

/// A mechanism in motion under all that is attached to it, for those who own the loop: what it carries by its
/// description (loops, rolling wheels, springs, damping and friction of joints) acts by itself, further elements and
/// constraints are given. Keeps the books of energy. Allocates nothing between construction and the end of a motion but at
/// events, unless an element does.
class Simulator {
 public:
  explicit Simulator(const Mechanism& mechanism, std::vector<ElementPtr> elements = {},
                     std::vector<ConstraintPtr> constraints = {}, const SimulatorOptions& options = {});
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;
  ~Simulator();

  const Mechanism& mechanism() const;
  std::span<const ElementPtr> elements() const;

  /// Starts a motion, and the books, here. What is off the constraints by rounding (up to 1e-6) is brought onto them;
  /// an Error names the constraint that is off by more: assemble() finds a configuration that fits, and
  /// ConstrainedDynamics::project_velocity() a velocity.
  void reset(const VectorRef& q, const VectorRef& v, double t = 0.0);
  /// Goes on for `duration` (s), in as many steps of the integrator as the tolerance asks for: one, where that is its fixed
  /// step. Durations add up without rounding, so that N calls end at N times the duration. Throws an Error with the time
  /// of what goes wrong; the state is then the last good one.
  void step(double duration);
  void advance(double end);
  /// A run to `end` by step_towards() begins, see Integrator::start_run().
  void start_run(double end);
  /// One step of the integrator, no further than `end`.
  void step_towards(double end);

  struct State {
    double t = 0.0;
    OwnedVector q, v;
  };
  State state() const { return {t(), q(), v()}; }
  double t() const;
  const OwnedVector& q() const;
  OwnedVector v() const;
  /// The state within the last step, by its interpolant of order 4.
  void state_at(double t, OwnedVector& q, OwnedVector& v) const;

  /// Of the motion here (nv), under all that acts.
  OwnedVector accelerations();
  /// Of the mechanism: kinetic, and in gravity (J).
  double kinetic_energy();
  double potential_energy();
  /// The books since reset().
  Ledger ledger();
  const IntegratorReport& report() const;
  /// What was solved for in the last step and how well since reset(), by "time_stepping"; see time_stepping.hpp.
  std::span<const SteppedContact> contacts() const;
  const ContactReport* contact_report() const;
  /// All that touches now and how hard, by whatever integrator: in the mean of the last step where forces were solved for.
  std::vector<ContactForce> contact_forces();
  /// What things stand on: the first ground that an element has, or null.
  GroundPtr ground() const;
  /// What happened since reset().
  const std::vector<RecordedEvent>& events() const;
  /// Null when nothing constrains the motion.
  ConstrainedFlow* constrained();

  /// The sum of the durations of steps: `t`, and what rounding it has left out.
  struct Clock {
    double t = 0.0, rest = 0.0;
    void add(double duration);
  };

  /// All that the motion to come depends on, the books included; of this simulator or another for the same mechanism
  /// and elements. A motion goes on from it as if it had not stopped, to the last bit where nothing constrains it.
  struct Snapshot {
    double t = 0.0;
    OwnedVector q, x, stored;
    double initial = 0.0, exchanged = 0.0;
    std::vector<RecordedEvent> events = {};
    Integrator::Pace pace = {};
    Clock clock = {};
    std::vector<std::any> remembered = {};  ///< by the elements, see Element::save()
  };
  Snapshot save() const;
  void restore(const Snapshot& snapshot);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace amble
