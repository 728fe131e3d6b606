#pragma once

#include <span>

#include "amble/dynamics/workspace.hpp"

// The equation of motion, M(q) a + bias(q, v) = tau + sum J^T F, with bias = C v + gravity_forces and gravity_forces =
// +dV/dq. M includes armature. ZB 2.2, DS 2.3.
namespace amble {

/// A wrench on a body from outside, in body axes at the body's origin.
struct ExternalWrench {
  int body = 0;  ///< Mechanism::body_index()
  Wrench<double> F_B_B;
};

/// Forces that give the accelerations `a`; O(n).
const OwnedVector& inverse_dynamics(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v,
                                    const VectorRef& a, std::span<const ExternalWrench> external = {});

/// Accelerations that the forces `tau` give; O(n), or by the mass matrix when joints follow others. Throws an Error
/// naming the joint where M is singular (a massless part that can move).
const OwnedVector& forward_dynamics(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v,
                                    const VectorRef& tau, std::span<const ExternalWrench> external = {});

/// M(q), nv x nv, symmetric.
const OwnedMatrix& mass_matrix(const Mechanism& mechanism, Workspace& work, const VectorRef& q);

/// C(q, v) v + gravity_forces(q).
const OwnedVector& bias_forces(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v);
const OwnedVector& gravity_forces(const Mechanism& mechanism, Workspace& work, const VectorRef& q);

}  // namespace amble
