#pragma once

#include "amble/dynamics/workspace.hpp"

// Energy, centre of mass and momentum. Bodies fixed to the world count in mass and centre of mass.
namespace amble {

/// 1/2 v^T M v, armature included.
double kinetic_energy(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v);
/// -g . sum of m c, zero with all mass at the world's origin.
double potential_energy(const Mechanism& mechanism, Workspace& work, const VectorRef& q);
/// Their sum, at the cost of one.
double mechanical_energy(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v);

/// In world axes; an Error when nothing has mass.
Vector3<double> center_of_mass(const Mechanism& mechanism, Workspace& work, const VectorRef& q);
Vector3<double> center_of_mass_velocity(const Mechanism& mechanism, Workspace& work, const VectorRef& q,
                                        const VectorRef& v);

/// 6 x nv: linear momentum and angular momentum about the centre of mass, in world axes, are this times v. Its first
/// three rows over the mass are the Jacobian of the centre of mass.
MatrixView momentum_matrix(const Mechanism& mechanism, Workspace& work, const VectorRef& q);
/// Its rate along v.
MatrixView momentum_matrix_dot(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v);
/// momentum_matrix() times v.
VectorView momentum(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v);

}  // namespace amble
