#include "amble/dynamics/dynamics.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>

#include "amble/dynamics/workspace_kernel.hpp"

namespace amble {

namespace {

/// The wrenches by node, in node axes; null when there are none.
const double* load_external(const Mechanism& m, Workspace& work, std::span<const ExternalWrench> external) {
  if (external.empty()) return nullptr;
  Workspace::Kernel& k = work.kernel();
  double* out = k.external.numbers();
  std::fill_n(out, 6 * k.tree.tree().count, 0.0);
  for (const ExternalWrench& e : external) {
    if (e.body < -1 || e.body >= static_cast<int>(m.bodies().size()))
      throw Error(fmt::format("an external wrench names body {}, but there are {}", e.body, m.bodies().size()));
    if (!e.F_B_B.vector().allFinite()) throw Error("an external wrench is not finite");
    if (e.body < 0) continue;
    const Body& body = m.bodies()[e.body];
    const Wrench<double> F = Pose(k.tree.turn_of_link(body.link)) * (body.X_LB * e.F_B_B);
    Eigen::Map<Vector6<double>>(out + 6 * k.tree.node_of_link(body.link)) += F.vector();
  }
  return out;
}

void run_inverse(Workspace& work, const double* v, const double* a, const double* external, OwnedVector& out) {
  Workspace::Kernel& k = work.kernel();
  kernels::kernels().inverse_dynamics(k.tree.tree(), k.scratch.data(), work.q.data(), v, a, k.custom.numbers(), external,
                                      out.data());
}

void run_mass_matrix(Workspace& work) {
  Workspace::Kernel& k = work.kernel();
  kernels::kernels().mass_matrix(k.tree.tree(), k.scratch.data(), work.q.data(), k.custom.numbers(), work.M.data());
}

/// The joint whose motion meets no inertia: the first pivot of M that fails.
[[noreturn]] void throw_singular(const Mechanism& m, Workspace& work) {
  run_mass_matrix(work);
  const OwnedMatrix& M = work.M;
  Eigen::MatrixXd L = M;
  int worst = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int j = 0; j < L.rows(); ++j) {
    for (int k = 0; k < j; ++k) L(j, j) -= L(j, k) * L(j, k) * L(k, k);
    for (int i = j + 1; i < L.rows(); ++i) {
      for (int k = 0; k < j; ++k) L(i, j) -= L(i, k) * L(j, k) * L(k, k);
      L(i, j) /= L(j, j);
    }
    const double pivot = L(j, j) / std::max(1e-300, M(j, j));
    if (!(pivot >= least)) least = pivot, worst = j;
  }
  for (const Joint& joint : m.joints())
    if (joint.leader < 0 && worst >= joint.v.start && worst < joint.v.start + joint.v.size)
      throw Error(fmt::format("the mass matrix is singular: joint '{}' moves something without mass or inertia", joint.name));
  throw Error("the mass matrix is singular");
}

void solve_by_mass_matrix(const Mechanism& m, Workspace& work, const VectorRef& v, const VectorRef& tau,
                          const double* external) {
  run_inverse(work, v.data(), nullptr, external, work.bias);
  run_mass_matrix(work);
  work.M_factor = work.M;
  Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(work.M_factor);
  if (factor.info() != Eigen::Success) throw_singular(m, work);
  work.a = tau - work.bias;
  factor.solveInPlace(work.a);
}

}  // namespace

const OwnedVector& inverse_dynamics(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v,
                                    const VectorRef& a, std::span<const ExternalWrench> external) {
  load_state(m, work, q, &v);
  load_check(m, a, "a");
  run_inverse(work, v.data(), a.data(), load_external(m, work, external), work.tau);
  return work.tau;
}

const OwnedVector& forward_dynamics(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v,
                                    const VectorRef& tau, std::span<const ExternalWrench> external) {
  load_state(m, work, q, &v);
  load_check(m, tau, "tau");
  const double* wrenches = load_external(m, work, external);
  Workspace::Kernel& k = work.kernel();
  if (k.tree.tree().coupled) {
    solve_by_mass_matrix(m, work, v, tau, wrenches);
    return work.a;
  }
  const double smallest = kernels::kernels().forward_dynamics(k.tree.tree(), k.scratch.data(), work.q.data(), v.data(),
                                                              tau.data(), k.custom.numbers(), wrenches, work.a.data());
  if (!(smallest > 0.0) || !work.a.allFinite()) throw_singular(m, work);
  return work.a;
}

const OwnedMatrix& mass_matrix(const Mechanism& m, Workspace& work, const VectorRef& q) {
  load_state(m, work, q, nullptr);
  run_mass_matrix(work);
  return work.M;
}

const OwnedVector& bias_forces(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v) {
  load_state(m, work, q, &v);
  run_inverse(work, v.data(), nullptr, nullptr, work.bias);
  return work.bias;
}

const OwnedVector& gravity_forces(const Mechanism& m, Workspace& work, const VectorRef& q) {
  load_state(m, work, q, nullptr);
  work.tau.setZero();
  run_inverse(work, work.tau.data(), nullptr, nullptr, work.bias);
  return work.bias;
}

}  // namespace amble
