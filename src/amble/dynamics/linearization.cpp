#include "amble/dynamics/linearization.hpp"

#include "amble/dynamics/derivatives.hpp"
#include "amble/dynamics/velocity_frame.hpp"

namespace amble {

Linearization linearize(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v,
                        const VectorRef& tau, std::span<const ExternalWrench> external) {
  const ForwardDynamicsDerivatives d = forward_dynamics_derivatives(m, work, q, v, tau, external);
  return linearization(m, q, v, d.dq, d.dv, d.M_inverse);
}

Linearization linearization(const Mechanism& m, const VectorRef& q, const VectorRef& v,
                            const Eigen::Ref<const Eigen::MatrixXd>& a_dq,
                            const Eigen::Ref<const Eigen::MatrixXd>& a_dv,
                            const Eigen::Ref<const Eigen::MatrixXd>& a_dtau) {
  const int n = m.nv();
  OwnedMatrix bracket;
  bracket_matrix(m, q, v, bracket);
  Linearization out{OwnedMatrix(2 * n, 2 * n), OwnedMatrix(2 * n, n)};
  out.A << -bracket, OwnedMatrix::Identity(n, n), a_dq, a_dv;
  out.B << OwnedMatrix::Zero(n, n), a_dtau;
  return out;
}

}  // namespace amble
