#pragma once

#include "amble/walkers/mechanism_phase.hpp"

namespace amble {

/// What the floor does to the foot that stands, and what it takes that it can.
struct StanceFoot {
  Vector3<double> force;   ///< N, in the floor's axes
  Vector3<double> moment;  ///< N m, about the point where the foot is held; that about the normal is left to friction
  /// A foot is pushed, not pulled.
  double normal() const { return force.z(); }
  /// It slips where this is above the coefficient of friction; infinite where it is not pushed.
  double friction_ratio() const;
  /// How far from that point the floor's pressure acts (m): a foot has to be that long. Infinite where it is not
  /// pushed.
  double pressure_offset() const;
};

/// In a motion through x = (q, v) with the accelerations `a`. The moment is what gravity leaves of the rate of the
/// angular momentum, by a difference of order two along the motion (error near 1e-8 of it).
StanceFoot stance_foot(MechanismPhase& phase, const double* x, const double* a);

}  // namespace amble
