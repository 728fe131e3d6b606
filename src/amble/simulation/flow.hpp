#pragma once

#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// What an integrator follows: a state of a configuration on a mechanism's manifold (or none) and of numbers x, and
/// how it changes: the configuration along v, the numbers by xdot.
class Flow {
 public:
  virtual ~Flow() = default;

  /// Whose configuration is part of the state; null when it is numbers alone.
  virtual const Mechanism* mechanism() const = 0;
  /// How many numbers x has.
  virtual int size() const = 0;

  /// Fills `v` (nv numbers, untouched without a mechanism) and `xdot`. Throws an Error for a
  /// state that it refuses: the step is then tried shorter.
  virtual void rates(double t, const double* q, const double* x, double* v, double* xdot) = 0;

  /// Called after every accepted step; may rewrite the same state in other coordinates. True when it did.
  virtual bool after_step(double t, double* q, double* x);

  /// Takes out of the error of a step to `t` (of the configuration, nv numbers, and of x) what after_step() takes out
  /// of the state anyway.
  virtual void forgive(double t, const double* q, const double* x, double* q_error, double* x_error);

  /// The time of a state ahead where rates() has a singularity that the motion itself does not have, as far as is
  /// known after the last step: the next is laid across it. Infinity when there is none nearby.
  virtual double singular_time() const;
};

}  // namespace amble
