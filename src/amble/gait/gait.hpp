#pragma once

#include <complex>

#include "amble/gait/return_map.hpp"

namespace amble {

/// A periodic walk: a fixed point of the return map, or of its `steps`-th power.
struct Gait {
  int steps = 1;      ///< after which it repeats; full strides where the return map takes one
  int footfalls = 1;  ///< steps until then
  OwnedVector x;      ///< at the start of a step, right after impact and relabelling
  double period = 0.0, step_length = 0.0,
         speed = 0.0;  ///< of a step, the mean of them where it takes several; s, m, m/s
  /// Floquet multipliers of the return map (its power) on its section, by decreasing modulus; without those
  /// that are zero whatever the motion.
  std::vector<std::complex<double>> multipliers = {};
  /// How many of them are one because a step leaves something, as energy, as it is: a disturbance of that
  /// neither grows nor shrinks, and says nothing about the others.
  int neutral = 0;
  double energy_lost = 0.0;        ///< in impacts and dampers, of a step (J)
  double energy_supplied = 0.0;    ///< by actuators of its own, of a step (J)
  double cost_of_transport = 0.0;  ///< energy lost / (weight x step length), DS (4.40)
  double residual = 0.0;           ///< |P(x) - x|, the certificate
  double turn = 0.0;  ///< of its heading until it repeats (rad): not zero in a gait that walks in a circle

  /// The largest multiplier beside the neutral ones; zero when there is none.
  std::complex<double> leading() const;
  bool stable() const { return std::abs(leading()) < 1.0; }
};

/// The one that shrinks a disturbance most, or else grows it least; of one or more.
const Gait& most_stable(const std::vector<Gait>& gaits);

/// Eigenvalues of a step's derivative on what its events leave possible: those that are zero whatever the
/// motion are left out.
std::vector<std::complex<double>> multipliers_of(const Step& step);

/// The gait of a state that returns to itself after so many steps: figures and multipliers. Throws an Error
/// when the walker fails on the way.
Gait gait_at(ReturnMap& map, const VectorRef& x, int steps = 1);

}  // namespace amble
