#pragma once

#include "amble/dynamics/christoffel.hpp"

// Velocities have components in a frame e of vector fields, one for each number of v: e_k is the direction of
// integrate(q, t e_k). It is a coordinate frame, but where joints are spherical or free: there the fields do
// not commute.
namespace amble {

/// The frame's own brackets: [e_j, e_k] = sum_i out(i, j, k) e_i. Constants of the group of each joint; those
/// of a custom joint by differences of its local_jacobian(), to about 1e-12.
void structure_constants(const Mechanism& mechanism, const VectorRef& q, Christoffel& out);

/// [v, .] at q as a matrix, for a field v of constant components: out(i, k) = sum_j c(i, j, k) v_j with the
/// structure constants c, in time linear in nv. The variation X of a motion q' = v goes by X' = dv - [v, X].
void bracket_matrix(const Mechanism& mechanism, const VectorRef& q, const VectorRef& v, OwnedMatrix& out);

/// Whether they can depend on q: only those of custom joints do.
bool structure_varies(const Mechanism& mechanism);

/// out(i, j, k) x_j y_k for every i.
OwnedVector contract(const Christoffel& c, const VectorRef& x, const VectorRef& y);

/// [X, Y] at q of two vector fields, by their components there and the matrices of their derivatives: column
/// k of dX is the rate of the components of X along e_k.
OwnedVector lie_bracket(const Mechanism& mechanism, const VectorRef& q, const VectorRef& X,
                        const OwnedMatrix& dX, const VectorRef& Y, const OwnedMatrix& dY);

}  // namespace amble
