#pragma once

#include "amble/dynamics/workspace.hpp"

// Forces and energies are linear in the inertias: the matrices that say how, for identification. Inertial parameters
// are ten per body, bodies as in Mechanism::bodies(), each in its own body frame:
//     mass (kg); first moment m c (kg m) x, y, z; inertia about the frame's origin (kg m^2) xx, xy, xz, yy, yz, zz.
namespace amble {

inline constexpr int kInertialParameters = 10;
using InertialParameters = Matrix<double, kInertialParameters, 1>;

/// The ten parameters of an inertia, and the inertia that has them.
InertialParameters inertial_parameters(const Inertia<double>& inertia);
Inertia<double> inertia_of_parameters(const InertialParameters& parameters);
/// Of all bodies, one after another.
OwnedVector inertial_parameters(const Mechanism& mechanism);

/// Y, nv x 10 bodies, with inverse_dynamics = Y pi + what armature adds, pi the inertial parameters. Armature adds
/// armature times a, and to spherical and free joints the forces of a spinning body with that inertia.
MatrixView inverse_dynamics_regressor(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v,
                                      const VectorRef& a);

/// The row with v^T M v / 2 = row . pi + v^T armature v / 2.
VectorView kinetic_energy_regressor(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v);

/// The row with V = row . pi: zero at the height of the world's origin, bodies that cannot move included.
VectorView potential_energy_regressor(const Mechanism& mechanism, Workspace& work, const VectorRef& q);

}  // namespace amble
