#include "amble/dynamics/derivatives.hpp"

#include <Eigen/Cholesky>

#include "amble/dynamics/workspace_memory.hpp"

namespace amble {

namespace {

void run_inverse_derivatives(Workspace& work, const double* v, const double* a, const double* external) {
  Workspace::Memory& x = work.memory();
  kernels::kernels().inverse_derivatives.single(x.tree.tree(), x.scratch.data(), x.q.data(), v, a, x.custom.numbers(),
                                                external, x.tau_dq.numbers(), x.tau_dv.numbers(), x.tau_M.numbers());
  ++x.tau_dq.writes, ++x.tau_dv.writes, ++x.tau_M.writes;
}

/// With joints that follow others M is dense, and so is the way.
void solve_dense(const Mechanism& m, Workspace& work, const VectorRef& v, const VectorRef& tau,
                 std::span<const ExternalWrench> external) {
  Workspace::Memory& x = work.memory();
  const VectorView a = forward_dynamics(m, work, x.q, v, tau, external);
  std::copy_n(a.data(), m.nv(), x.a_of_derivatives.numbers());
  run_inverse_derivatives(work, v.data(), x.a_of_derivatives.numbers(), load_external(m, work, external));
  Eigen::Map<RowMatrix> factor = x.M_factor.matrix(), M_inverse = x.a_M_inverse.matrix();
  factor = x.tau_M.matrix();
  const Eigen::LLT<Eigen::Ref<RowMatrix>> llt(factor);
  M_inverse.setIdentity();
  llt.solveInPlace(M_inverse);
  x.a_dq.matrix().noalias() = -(M_inverse.lazyProduct(x.tau_dq.matrix()));
  x.a_dv.matrix().noalias() = -(M_inverse.lazyProduct(x.tau_dv.matrix()));
}

}  // namespace

InverseDynamicsDerivatives inverse_dynamics_derivatives(const Mechanism& m, Workspace& work, const VectorRef& q,
                                                        const VectorRef& v, const VectorRef& a,
                                                        std::span<const ExternalWrench> external) {
  load_check(m, a, "a");
  load_state(m, work, q, &v, CustomNumbers::changes);
  run_inverse_derivatives(work, v.data(), a.data(), load_external(m, work, external));
  Workspace::Memory& x = work.memory();
  return {x.matrix(x.tau_dq), x.matrix(x.tau_dv), x.matrix(x.tau_M)};
}

ForwardDynamicsDerivatives forward_dynamics_derivatives(const Mechanism& m, Workspace& work, const VectorRef& q,
                                                        const VectorRef& v, const VectorRef& tau,
                                                        std::span<const ExternalWrench> external) {
  load_check(m, tau, "tau");
  load_state(m, work, q, &v, CustomNumbers::changes);
  Workspace::Memory& x = work.memory();
  ++x.a_of_derivatives.writes, ++x.a_dq.writes, ++x.a_dv.writes, ++x.a_M_inverse.writes;
  if (x.tree.tree().coupled) {
    solve_dense(m, work, v, tau, external);
  } else {
    const double smallest = kernels::kernels().forward_derivatives.single(
        x.tree.tree(), x.scratch.data(), x.q.data(), v.data(), tau.data(), x.custom.numbers(),
        load_external(m, work, external), x.a_of_derivatives.numbers(), x.a_dq.numbers(), x.a_dv.numbers(),
        x.a_M_inverse.numbers());
    const auto finite = [&](ResultSlot& s) { return kernels::kernels().all_finite(s.numbers(), int(s.rows * s.cols)); };
    if (!(smallest > 0.0) || !finite(x.a_dq) || !finite(x.a_dv)) throw_singular(m, work);
  }
  return {x.vector(x.a_of_derivatives), x.matrix(x.a_dq), x.matrix(x.a_dv), x.matrix(x.a_M_inverse)};
}

}  // namespace amble
