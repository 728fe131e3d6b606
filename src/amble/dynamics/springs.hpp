#pragma once

#include "amble/dynamics/workspace.hpp"

// The springs that a mechanism carries (Mechanism::springs()), each with a damper beside it. They are port elements:
// they act in simulation, and here; inverse_dynamics() and its kin know nothing of them.
namespace amble {

/// A spring at a state. Its ends are pulled together by `tension`, pushed apart where that is negative.
struct SpringState {
  double distance = 0.0;                     ///< between its ends (m)
  double rate = 0.0;                         ///< of that distance (m/s)
  Vector3<double> direction{0.0, 0.0, 0.0};  ///< from end a to end b, unit, world axes; zero when they coincide
  double tension = 0.0;                      ///< stiffness (distance - length) + damping rate (N)
  double energy = 0.0;                       ///< stored: stiffness (distance - length)^2 / 2 (J)
  double dissipation = 0.0;                  ///< turned into heat: damping rate^2 (W)
};

/// `spring` is its place in Mechanism::springs(). Ends closer than 1e-12 m have no direction: a spring of natural
/// length zero has no force there, nor has a damper; one that wants to push them apart is an Error with its name.
SpringState spring_state(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v,
                         int spring);

/// The same, and what the spring does at the joints is added to `tau` (nv).
SpringState spring_state(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v,
                         int spring, OwnedVector& tau);

/// What all of them do at the joints, tau = -sum J^T tension with J = d distance / dq (nv); its power is
/// -d/dt energy - dissipation. Allocates nothing.
VectorView spring_forces(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v);

/// Stored in all of them (J), and turned into heat by their dampers (W, never negative).
double spring_energy(const Mechanism& mechanism, Workspace& work, const VectorRef& q);
double spring_dissipation(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v);

}  // namespace amble
