#pragma once

#include "amble/control/walking/momentum_split.hpp"
#include "amble/ports/element.hpp"

// Port-based tracking of a field of directions, DS 5.2.2, for any mechanism: written with the connection of
// the kinetic metric instead of the matrices S, X and Y of the book, to which it is equal
// (docs/walking/curve-tracking.md).
namespace amble {

/// Which laws act, and how strongly.
struct TrackingSettings {
  /// (5.12): no energy goes from the motion along to the motion across or back. Takes and gives no power.
  bool decouple = true;
  /// (5.18): leads energy from across to along with a = transfer / sqrt(|across|^2 + softening), (5.21), or a
  /// = transfer where softening is 0. Takes and gives no power. 1 / (J^(1/2) s), J; 1 / (J s).
  double transfer = 0.1, softening = 1e-3;
  /// (5.17): the force -damping M across, which turns energy of the motion across into heat. 1/s.
  double damping = 0.0;
  /// (5.25): cancels what gravity does to the motion across, and leaves what it does along.
  bool compensate = true;
  /// Springs of the joints count to the potential energy beside gravity, in both laws that look at it: for walkers, whose
  /// springs are part of the motion that is tracked.
  bool springs = false;
  /// (5.27): energy_gain (energy - H) M w, towards the energy that is asked for, kinetic and in gravity. 1 /
  /// (kg m^2 s), J.
  double energy_gain = 0.0, energy = 0.0;
  /// Largest force at each velocity (N, N m); empty: those of the mechanism's joints. Beyond it all laws are
  /// weakened by one factor, so that those without power stay so.
  OwnedVector limit = {};
  /// Velocities without an actuator, by number: no force there. See TrackingForces::missing.
  std::vector<int> unactuated = {};
  /// Throws an Error naming what does not fit.
  void validate(const Mechanism& mechanism) const;
};

/// What the laws ask for at an instant (forces on the joints).
struct TrackingForces {
  OwnedVector nominal, asymptotic, damping, potential, energy;
  double scale = 1.0;  ///< of all of them, to stay within limits
  double missing =
      0.0;  ///< share of the force, as a length in the metric M^-1, that joints without actuator do not give
  OwnedVector total() const;
};

TrackingForces tracking_forces(const Mechanism& mechanism, Workspace& work, const MomentumSplit& split,
                               const VectorRef& q, const VectorRef& v, const TrackingSettings& settings);

std::vector<std::string> tracking_laws(const TrackingSettings& settings);  ///< names of those that act
/// The force of one of them.
const OwnedVector& force_of(const TrackingForces& forces, const std::string& law);

/// The laws as power ports, one element each, "NAME nominal" and so on, so that the ledger tells what each
/// delivered: those that are switched off are left out. What they deliver is supplied from outside; damping
/// is heat.
std::vector<ElementPtr> curve_tracking(const std::string& name, const Mechanism& mechanism,
                                       VelocityField field, const TrackingSettings& settings = {});

}  // namespace amble
