#pragma once

#include <span>

#include "amble/dynamics/workspace.hpp"

// The equation of motion, M(q) a + bias(q, v) = tau + sum J^T F, with bias = C v + gravity_forces and gravity_forces =
// +dV/dq. M includes armature. ZB 2.2, DS 2.3, BK (25), (26). Of the tree of joints alone: loops and rolling wheels do
// not hold it (constraints/constrained_dynamics.hpp does that), springs between bodies do not act (springs.hpp).
namespace amble {

/// A wrench on a body from outside, in body axes at the body's origin.
struct ExternalWrench {
  int body = 0;  ///< Mechanism::body_index()
  Wrench<double> F_B_B;
};

/// Forces that give the accelerations `a`; O(n).
VectorView inverse_dynamics(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v,
                            const VectorRef& a, std::span<const ExternalWrench> external = {});

/// Accelerations that the forces `tau` give; O(n), or by the mass matrix when joints follow others. Throws an Error
/// naming the joint where M is singular (a massless part that can move).
VectorView forward_dynamics(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v,
                            const VectorRef& tau, std::span<const ExternalWrench> external = {});

/// M(q), nv x nv, symmetric.
MatrixView mass_matrix(const Mechanism& mechanism, Workspace& work, const VectorRef& q);
/// M(q)^-1 by a factorisation as sparse as the tree. Throws an Error naming the joint where M is singular.
MatrixView inverse_mass_matrix(const Mechanism& mechanism, Workspace& work, const VectorRef& q);

/// C(q, v) v + gravity_forces(q).
VectorView bias_forces(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v);
VectorView gravity_forces(const Mechanism& mechanism, Workspace& work, const VectorRef& q);

/// C(q, v) of the Levi-Civita connection of M: C_ij = Gamma[i, j, k] v_k, and dM/dt = C + C^T along the motion.
MatrixView coriolis_matrix(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v);

}  // namespace amble
