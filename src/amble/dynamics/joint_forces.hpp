#pragma once

#include "amble/dynamics/dynamics.hpp"

// Forces in space as forces at the joints.
namespace amble {

/// sum J^T F, what wrenches on bodies do at the joints: the pull-back of ZB 2.3, DS Lemma 2.15. O(n), however many
/// wrenches; one on the world (body -1) does nothing.
VectorView generalized_forces(const Mechanism& mechanism, Workspace& work, const VectorRef& q,
                              std::span<const ExternalWrench> wrenches);

/// A massless actuator between two places (Mechanism::place(); either may be on the world): its wrench on b, in the
/// axes and at the origin of place b. On a acts the opposite one.
struct ActuatorBetween {
  Place a, b;
  Wrench<double> F_b_b;
};

/// J_b^T F - J_a^T F summed over the actuators, DS (2.51): exactly zero but for the joints on the way from a to b.
VectorView actuator_forces(const Mechanism& mechanism, Workspace& work, const VectorRef& q,
                           std::span<const ActuatorBetween> actuators);

}  // namespace amble
