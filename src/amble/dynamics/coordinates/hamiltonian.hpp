#pragma once

#include "amble/dynamics/dynamics.hpp"

// The port-Hamiltonian form of the equation of motion: a configuration Q and momenta p = M(Q) v, DS 2.3.3. With the
// energy H(Q, p) = p^T M^-1 p / 2 + U(Q) and forces tau that deliver the power tau . v, DS Theorem 2.18:
//     v = M^-1 p,    dp/dt = -dH/dphi + (structure of the velocities) v + tau.
// boltzmann_hamel.hpp has the theorem term by term; here is what it comes to, in O(n).
namespace amble {

/// p = M(q) v, armature included; O(n).
VectorView momenta(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v);

/// v = M(q)^-1 p; O(n), or by the mass matrix when joints follow others. Throws an Error naming the joint where M is
/// singular.
VectorView velocities(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& p);

/// H(q, p), the energy of the motion with these momenta (J).
double hamiltonian(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& p);

/// How a state (q, p) changes: the configuration along `v`, the momenta by `pdot`.
struct HamiltonianRates {
  VectorView v, pdot;
};

/// DS (2.69)-(2.71), from the momenta of what each joint carries: dp_k/dt = tau_k + (forces of gravity and from outside)
/// + h . dS_k/dt, with S_k the motion of the joint's axis and h the momentum of all links beyond it. O(n).
HamiltonianRates hamiltonian_rates(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& p,
                                   const VectorRef& tau, std::span<const ExternalWrench> external = {});

/// The momenta of free and spherical joints are in the axes and at the origin of the child, as their velocities are. These
/// take them to the joint's frame on the parent and back. On a floating base that is the world, DS (2.86), where the
/// momentum changes by what acts from outside alone, DS (2.87). Other joints have one p for both.
OwnedVector momenta_in_world(const Mechanism& mechanism, const VectorRef& q, const VectorRef& p_body);
OwnedVector momenta_in_body(const Mechanism& mechanism, const VectorRef& q, const VectorRef& p_world);
/// dp_world/dt for a motion with velocities `v`, from dp_body/dt. DS (2.87).
OwnedVector momentum_rates_in_world(const Mechanism& mechanism, const VectorRef& q, const VectorRef& v,
                                    const VectorRef& p_body, const VectorRef& pdot_body);

}  // namespace amble
