#pragma once

#include "amble/dynamics/workspace.hpp"

// The gradient of the kinetic energy in closed form, by the line coordinates of the joint axes (P. Kool, "An
// analytical expression for the generalized forces in multibody Lagrange equations"; its opening stands at the end of
// AL). With L the line vector of a joint's axis, Kool (6) for turning and helical joints, (7) for sliding ones, and M
// the momentum of all links beyond the joint, Kool (8):
//     dT/dq = M . dL/dt,    dL/dt = ad(V) L,    V the twist of the link that carries the axis.
// That is what Kool (10), tau = L . dM/dt + M . dL/dt - dT/dq, leaves when tau = L . dM/dt, the power the joint
// delivers.
namespace amble {

/// dT/dq (nv numbers) of T = v^T M(q) v / 2: entry k is the derivative along integrate(q, e_k) with the numbers v
/// held. O(n).
///
/// A joint with several axes one after another (cylindrical, universal, planar) is taken axis by axis, each carried
/// by the one before. The axes of spherical and free joints turn with the child, as their velocities do: there V is
/// the twist of the parent, for all axes. A joint that follows another adds to its leader's entry, times its ratio.
///
/// Of a custom joint the subspace S itself depends on q, and dT/dq_k gains M . (dS/dq_k) v; dS/dq_k is a central
/// difference of order eight along the joint's own integrate(), evaluated up to 0.08 beyond q: exact to about 1e-12
/// for joints that are smooth over a length or angle of 1.
VectorView kinetic_energy_gradient(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v);

}  // namespace amble
