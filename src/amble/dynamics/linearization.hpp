#pragma once

#include "amble/dynamics/dynamics.hpp"

namespace amble {

/// The motion near a state, to first order: x' = A x + B u for the deviations x = (dq, dv) and u = dtau, with
/// the nearby configuration integrate(q, dq). A is 2 nv x 2 nv, B is 2 nv x nv.
struct Linearization {
  OwnedMatrix A, B;
};

/// Of the motion through (q, v) under the forces tau, which need not be at rest: dq is then measured from a
/// configuration that moves, and where joints are spherical or free dq' = dv - [v, dq] (velocity_frame.hpp).
/// External wrenches stay fixed to their bodies. Throws as forward_dynamics() does.
Linearization linearize(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v,
                        const VectorRef& tau, std::span<const ExternalWrench> external = {});

/// The same from the derivatives of the accelerations, whatever gave them.
Linearization linearization(const Mechanism& mechanism, const VectorRef& q, const VectorRef& v,
                            const Eigen::Ref<const Eigen::MatrixXd>& a_dq,
                            const Eigen::Ref<const Eigen::MatrixXd>& a_dv,
                            const Eigen::Ref<const Eigen::MatrixXd>& a_dtau);

}  // namespace amble
