#pragma once

#include <span>
#include <string>

#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// What an integrator follows: a state of a configuration on a mechanism's manifold (or none) and of numbers x, how it
/// changes (the configuration along v, the numbers by xdot), and what happens to it at events. What the state does
/// depends on time and state alone: a mode is a number of x that changes only when something happens.
class Flow {
 public:
  virtual ~Flow() = default;

  /// Whose configuration is part of the state; null when it is numbers alone.
  virtual const Mechanism* mechanism() const = 0;
  /// How many numbers x has.
  virtual int size() const = 0;
  /// How many of them, the first ones, both change between events and have a say in the rates; the others are constants
  /// and integrals.
  virtual int active() const { return size(); }

  /// Fills `v` (nv numbers, untouched without a mechanism) and `xdot`. Throws an Error for a
  /// state that it refuses: the step is then tried shorter.
  virtual void rates(double t, const double* q, const double* x, double* v, double* xdot) = 0;
  /// Throws an Error, with the reason, when rates() would refuse every state.
  virtual void check_rates() const {}

  /// Called after every accepted step; may rewrite the same state in other coordinates. True when it did.
  virtual bool after_step(double t, double* q, double* x);

  /// Takes out of the error of a step to `t` (of the configuration, nv numbers, and of x) what after_step() takes out
  /// of the state anyway.
  virtual void forgive(double t, const double* q, const double* x, double* q_error, double* x_error);

  /// The time of a state ahead where rates() has a singularity that the motion itself does not have, as far as is
  /// known after the last step: the next is laid across it. Infinity when there is none nearby.
  virtual double singular_time() const;

  // ---- for reports of what went wrong

  /// What number i of x is.
  virtual std::string number_name(int i) const;
  /// What gave most energy in a step, as ", 3 J of it from 'spring'"; empty when that is not known.
  virtual std::string energy_source(const double* x0, const double* x1) const;

  // ---- for integrators that know mechanics

  /// Whether x begins with v itself, and xdot with its rate.
  virtual bool second_order() const { return false; }
  /// Throws an Error, with the reason, unless forces() says all that acts on the mechanism beside gravity.
  virtual void check_forces() const;
  /// Fills `tau` (nv numbers) for a flow of second order, and `xdot` from its number nv on.
  virtual void forces(double t, const double* q, const double* x, double* tau, double* xdot);
  /// After a step of a scheme that keeps energy less well than its books of work: enters into `x1` by how much they
  /// differ in this step, if the flow has books.
  virtual void book_step(const double* q0, const double* x0, const double* q1, double* x1);

  // ---- events

  /// An event is where one of these numbers changes its sign; zero counts as below. A guard that does not matter now is
  /// -1.
  virtual int guards() const { return 0; }
  virtual void guard_values(double t, const double* q, const double* x, double* values);
  /// For reports.
  virtual std::string guard_name(int guard) const;
  /// The first planned instant after `t`, as the next sample of a controller; infinity when there is none.
  virtual double next_instant(double t, const double* x) const;
  /// What happens at an event, where `crossed` is +1 for guards that rose through zero, -1 for those that fell and 0 for
  /// the others, or at a planned instant: may rewrite the state. True when the rates may have changed.
  virtual bool happen(double t, std::span<const signed char> crossed, double* q, double* x);
};

}  // namespace amble
