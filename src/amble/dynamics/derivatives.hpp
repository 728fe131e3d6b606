#pragma once

#include "amble/dynamics/dynamics.hpp"

// First derivatives of the dynamics on the manifold: in q along integrate(q, e_k), so that all matrices are nv x nv.
namespace amble {

struct InverseDynamicsDerivatives {
  MatrixView dq, dv;
  MatrixView M;  ///< the derivative in a
};

/// Of inverse_dynamics(). External wrenches stay fixed to their bodies. In closed form, except that a custom joint's
/// own subspace is differenced (to about 1e-13).
InverseDynamicsDerivatives inverse_dynamics_derivatives(const Mechanism& mechanism, Workspace& work, const VectorRef& q,
                                                        const VectorRef& v, const VectorRef& a,
                                                        std::span<const ExternalWrench> external = {});

struct ForwardDynamicsDerivatives {
  VectorView a;  ///< the accelerations themselves
  MatrixView dq, dv;
  MatrixView M_inverse;  ///< the derivative in tau
};

/// Of forward_dynamics(), by those of inverse_dynamics(): da/dq = -M^-1 dtau/dq at the same accelerations.
ForwardDynamicsDerivatives forward_dynamics_derivatives(const Mechanism& mechanism, Workspace& work, const VectorRef& q,
                                                        const VectorRef& v, const VectorRef& tau,
                                                        std::span<const ExternalWrench> external = {});

}  // namespace amble
