#pragma once

#include "amble/constraints/constrained_dynamics.hpp"
#include "amble/dynamics/christoffel.hpp"

namespace amble {

/// The constraint connection, ZB (26), in the velocity frame e: out(i, j, k) is component i of
///     nabla_{e_k} e_j + nabla_{e_k} (Pperp e_j) - Pperp (nabla_{e_k} e_j),
/// with nabla the Levi-Civita connection of M and Pperp = 1 - P the projector onto what the constraints forbid. Along
/// motions that they allow it is P nabla, ZB (27): such a motion without forces has the accelerations -out(i, j, k)
/// v_j v_k. The derivative of P is by differences of order eight; P is that of the rows that are independent at q.
/// Throws an Error for constraints A v = b with b other than zero.
void constraint_connection(ConstrainedDynamics& dynamics, const VectorRef& q, Christoffel& out);

}  // namespace amble
