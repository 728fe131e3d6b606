#pragma once

#include "amble/ports/element.hpp"

// What joints carry by themselves: damping, dry friction, springs.
namespace amble {

/// tau = -damping v, for every velocity (N s/m, N m s/rad).
ElementPtr joint_dampers(std::string name, const VectorRef& damping);

/// Dry friction, tau = -friction v / sqrt(v^2 + slip^2): its whole size well above the speed `slip` (m/s, rad/s), below
/// it the joint creeps instead of sticking.
ElementPtr joint_friction(std::string name, const VectorRef& friction, double slip = 1e-3);

/// Springs along every velocity (N/m, N m/rad), at rest at `reference`: a coordinate of its joint, or for joints that
/// turn in space the rotation vector or twist from their neutral place. That of a free joint jumps at half turns from rest, and
/// the energy with it: there a spatial_spring() closes its books, this does not.
ElementPtr joint_springs(std::string name, const Mechanism& mechanism, const VectorRef& stiffness,
                         const VectorRef& reference);

}  // namespace amble
