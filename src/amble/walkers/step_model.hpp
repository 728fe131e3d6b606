#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "amble/base/owned.hpp"
#include "amble/walkers/walker_figure.hpp"

// What the gait tools know of a walker: a step as phases of continuous motion, each ended by an event that
// takes the state to the next phase, and the last of them to the first phase of the next step. DS 4.1,
// Fig 4.1.
namespace amble {

class LanePhase;
class Mechanism;

/// Derivatives are written row by row, without gaps; null where they are not wanted.
using Derivative = double*;

/// One phase of a step, of `freedoms()` = m coordinates: its state x is (q, v), 2m numbers. It has memory of
/// its own: one object a thread.
class StepPhase {
 public:
  virtual ~StepPhase() = default;
  virtual std::string name() const = 0;
  virtual int freedoms() const = 0;

  /// a(q, v), m numbers, and its derivative, m x 2m.
  virtual void acceleration(const double* x, double* a, Derivative da) = 0;

  /// The phase ends where this falls through zero in a state that counts; its gradient, 2m numbers.
  virtual double guard(const double* x, Derivative dguard) = 0;
  /// False in states where the end of the phase is passed over: the swing foot of a straight leg has to get
  /// by.
  virtual bool counts(const double* /*x*/) const { return true; }

  /// The state of the next phase right after the event; its derivative, (2 m_next) x 2m. Returns the energy
  /// lost (J).
  virtual double reset(const double* x, double* next, Derivative dnext) = 0;

  /// What actuators give in the event, as a leg that pushes off (J).
  virtual double energy_supplied(const double* /*x*/) { return 0.0; }

  /// Ways to fail, each where its number falls through zero.
  virtual int failures() const = 0;
  virtual void failure_values(const double* x, double* values) = 0;
  virtual std::string failure_name(int failure) const = 0;

  // ---- energy

  /// Kinetic, and in gravity and springs, with the origin of this step as height zero (J).
  virtual double kinetic_energy(const double* x) = 0;
  virtual double potential_energy(const double* x) = 0;
  /// The kinetic metric, m x m; false for a model that has none of full rank (legs without mass).
  virtual bool mass_matrix(const double* /*x*/, double* /*M*/) { return false; }
  /// What gravity, springs and dampers do to the motion: their powers (W). Dampers' is negative.
  struct Powers {
    double gravity = 0.0, springs = 0.0, dampers = 0.0;
  };
  virtual Powers powers(const double* x) = 0;

  // ---- controllers

  /// The time since the phase began (s), told before anything is asked that depends on it.
  virtual void set_clock(double /*t*/) {}
  /// Laws of controllers that act along the motion, by their names.
  virtual std::vector<std::string> laws() const { return {}; }
  /// What each law delivers to the motion, and last what actuators spend: the sum of the positive parts of their
  /// powers (W). 1 + laws().size() numbers.
  virtual void law_powers(const double* /*x*/, double* powers) { *powers = 0.0; }

  /// The same phase for several states at once, or null when it knows no way that is faster than one by one.
  virtual std::unique_ptr<LanePhase> in_lanes() const;
};

/// A way in which the model may be wrong, measured along a motion: holds while its margin is not negative.
struct Assumption {
  std::string name, unit;
  double margin = 0.0;
  bool holds() const { return margin >= 0.0; }
};

/// A walker's analysis model: the phases of a step and what its coordinates mean.
class StepModel {
 public:
  virtual ~StepModel() = default;
  /// The same, with memory of its own, for another thread.
  virtual std::unique_ptr<StepModel> clone() const = 0;

  virtual int phases() const = 0;
  virtual StepPhase& phase(int i) = 0;
  /// Names of the coordinates of the first phase.
  virtual std::vector<std::string> coordinates() const = 0;

  /// States a step may start from, as x = lift s + offset: two feet on the floor, say. Bounds are where
  /// cycles are looked for unless told otherwise.
  struct Section {
    std::vector<std::string> names;
    OwnedMatrix lift;
    OwnedVector offset, lower, upper;
    int size() const { return static_cast<int>(names.size()); }
  };
  virtual const Section& section() const = 0;

  /// Whether it has actuators of its own, so that it may walk where nothing goes down.
  virtual bool powered() const { return false; }
  /// Whether a step leaves a quantity, as energy, as it is, so that cycles come in families; the one to be
  /// found has member(x) = 0. Its gradient, 2m numbers.
  virtual bool family() const { return false; }
  virtual double member(const double* /*x*/, Derivative /*dx*/) { return 0.0; }

  /// How far a step goes along the floor, from the state before its last event (m).
  virtual double step_length(const double* x_before) = 0;
  /// Where the axes of the next phase lie in those of this one, from the state before the event that ends it:
  /// they go with the foot that stands.
  virtual FloorPlace next_place(int phase, const double* x_before) {
    return {.x = phase + 1 == phases() ? step_length(x_before) : 0.0};
  }
  /// How far a walker that comes to `place` in one return has walked (m).
  virtual double length_of(const FloorPlace& place) const { return place.x; }
  /// How many feet come down in one return of the map: 1, or 2 where it takes a full stride.
  virtual int footfalls() const { return 1; }
  /// Whether a foot comes down at the end of a phase.
  virtual bool lands(int phase) { return phase + 1 == phases(); }
  /// Coordinates that nothing depends on, such as the heading on a level floor: they are counted from where
  /// each step starts, and the multipliers of 1 that they would have are left out.
  virtual std::vector<std::string> cyclic() const { return {}; }
  /// Floor angle (rad) and weight (N): gravity works weight x sin(slope) for each metre.
  virtual double slope() const = 0;
  virtual double weight() const = 0;
  /// The floor that the swing foot comes down to lies this much lower than that of the stance foot (m, along
  /// its normal) in the steps from now on; below zero it is higher.
  virtual void set_drop(double height) = 0;
  /// The longest that a step may take (s); a walker that takes longer stands.
  virtual double longest_step() const = 0;

  /// The state of the simulation model, and the names of its coordinates; the first is the foot's place along
  /// the floor.
  virtual std::pair<OwnedVector, OwnedVector> full_state(int phase, const double* x) = 0;
  virtual std::vector<std::string> full_coordinates() const = 0;
  /// It as a mechanism, for recordings; null where there is none.
  virtual const Mechanism* simulation_model() const { return nullptr; }
  /// The same where the axes of this phase lie at `place`.
  virtual std::pair<OwnedVector, OwnedVector> full_state_at(const FloorPlace& place, int phase,
                                                            const double* x) {
    std::pair<OwnedVector, OwnedVector> state = full_state(phase, x);
    state.first[0] += place.x;
    return state;
  }

  /// A limb as a line in the plane of walking, (x, z) in the floor's axes, for pictures.
  struct Stick {
    enum class Part { stance, swing, body };
    std::pair<double, double> from, to;
    Part part = Part::body;
  };
  virtual std::vector<Stick> sticks(const VectorRef& q_full) = 0;

  /// The walker to look at; null for one that has no looks.
  virtual std::unique_ptr<WalkerFigure> figure() const { return nullptr; }

  /// What this model assumes and that can be seen from states alone. `visit` is called along a motion, before
  /// an event with `event` true; assumptions() gives the worst since begin_assumptions().
  virtual void begin_assumptions() {}
  virtual void visit(int /*phase*/, const double* /*x*/, bool /*event*/) {}
  virtual std::vector<Assumption> assumptions() const { return {}; }
};

}  // namespace amble
