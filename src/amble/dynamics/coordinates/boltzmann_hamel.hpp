#pragma once

#include <functional>

#include "amble/dynamics/workspace.hpp"

// DS Theorem 2.18 and the Boltzmann-Hamel equations (DS Lemma 2.17) term by term, as the book writes them: readable, not
// fast. hamiltonian_rates() gives the same numbers in O(n).
namespace amble {

/// Velocities of the user's own choice, w = B(q) v with B invertible, nv x nv: rates of Euler angles, say, or twists in
/// world axes.
using QuasiVelocities = std::function<OwnedMatrix(const VectorRef& q)>;

/// The terms of DS (2.70) for momenta p that belong to w.
struct BoltzmannHamel {
  OwnedVector w;                ///< M_w^-1 p, DS (2.71)
  OwnedVector energy_gradient;  ///< dH/dphi at p held, DS (2.75)
  OwnedMatrix S0;               ///< w = S0 phidot at phi = 0, DS (2.74)
  OwnedMatrix structure;        ///< (d(S^T p)/dphi)^T - d(S^T p)/dphi, antisymmetric
  OwnedVector pdot;             ///< -S0^-T energy_gradient + S0^-T structure S0^-1 w + tau
};

/// S(Q, phi) of every joint comes from its own local_jacobian(), differentiated as B is by differences of order eight.
/// Without `quasi` the velocities are v. `tau` is what delivers the power tau . w.
BoltzmannHamel boltzmann_hamel(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& p,
                               const VectorRef& tau, const QuasiVelocities& quasi = {});

}  // namespace amble
