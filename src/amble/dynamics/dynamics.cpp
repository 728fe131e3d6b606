#include "amble/dynamics/dynamics.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>

#include "amble/dynamics/workspace_memory.hpp"

namespace amble {

namespace {

const kernels::Tree& tree(Workspace& work) { return work.memory().tree.tree(); }

/// Where joints follow others, M is not as sparse as the tree.
Eigen::LLT<Eigen::Ref<RowMatrix>> dense_factor(const Mechanism& m, Workspace& work) {
  run_mass_matrix(work);
  Eigen::Map<RowMatrix> factor = work.memory().M_factor.matrix();
  factor = work.memory().M.matrix();
  Eigen::LLT<Eigen::Ref<RowMatrix>> llt(factor);
  if (llt.info() != Eigen::Success) throw_singular(m, work);
  return llt;
}

void solve_by_mass_matrix(const Mechanism& m, Workspace& work, const VectorRef& v, const VectorRef& tau,
                          const double* external) {
  Workspace::Memory& memory = work.memory();
  run_inverse_dynamics(work, v.data(), nullptr, external, memory.bias);
  Eigen::Map<Eigen::VectorXd> a(memory.a.numbers(), m.nv());
  a = tau - Eigen::Map<Eigen::VectorXd>(memory.bias.numbers(), m.nv());
  dense_factor(m, work).solveInPlace(a);
  ++memory.a.writes;
}

}  // namespace

void run_inverse_dynamics(Workspace& work, const double* v, const double* a, const double* external, ResultSlot& out) {
  Workspace::Memory& memory = work.memory();
  kernels::kernels().inverse_dynamics.single(tree(work), memory.scratch.data(), memory.q.data(), v, a,
                                             memory.custom.numbers(), external, out.numbers());
  ++out.writes;
}

void run_mass_matrix(Workspace& work) {
  Workspace::Memory& memory = work.memory();
  kernels::kernels().mass_matrix.single(tree(work), memory.scratch.data(), memory.q.data(), memory.custom.numbers(),
                                        memory.M.numbers());
  ++memory.M.writes;
}

void solve_mass_matrix(const Mechanism& m, Workspace& work, const double* b, ResultSlot& x) {
  Workspace::Memory& memory = work.memory();
  ++x.writes;
  if (tree(work).coupled) {
    Eigen::Map<Eigen::VectorXd> solution(x.numbers(), m.nv());
    solution = Eigen::Map<const Eigen::VectorXd>(b, m.nv());
    dense_factor(m, work).solveInPlace(solution);
    return;
  }
  // Forward dynamics at rest and without weight is M^-1.
  const kernels::Tree still = memory.tree.without_gravity();
  const double smallest =
      kernels::kernels().forward_dynamics.single(still, memory.scratch.data(), memory.q.data(), memory.zero.numbers(), b,
                                                 memory.custom.numbers(), nullptr, x.numbers());
  if (!(smallest > 0.0) || !kernels::kernels().all_finite(x.numbers(), m.nv())) throw_singular(m, work);
}

/// The first pivot of M that fails tells the joint.
void throw_singular(const Mechanism& m, Workspace& work) {
  constexpr double kRounding = 1e-9;  // of a pivot, relative to the diagonal of M: ample
  run_mass_matrix(work);
  const Eigen::MatrixXd M = work.memory().M.matrix();
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
      throw Error(fmt::format("the mass matrix is {}: joint '{}' moves {} mass or inertia",
                              least < -kRounding ? "not positive" : "singular", joint.name,
                              least < -kRounding ? "a negative" : "something without"));
  throw Error("the mass matrix is singular");
}

VectorView inverse_dynamics(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v,
                            const VectorRef& a, std::span<const ExternalWrench> external) {
  load_check(m, a, "a");
  load_state(m, work, q, &v);
  run_inverse_dynamics(work, v.data(), a.data(), load_external(m, work, external), work.memory().tau);
  return work.memory().vector(work.memory().tau);
}

VectorView forward_dynamics(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v,
                            const VectorRef& tau, std::span<const ExternalWrench> external) {
  load_check(m, tau, "tau");
  load_state(m, work, q, &v);
  const double* wrenches = load_external(m, work, external);
  Workspace::Memory& memory = work.memory();
  if (tree(work).coupled) {
    solve_by_mass_matrix(m, work, v, tau, wrenches);
    return memory.vector(memory.a);
  }
  ++memory.a.writes;
  const double smallest = kernels::kernels().forward_dynamics.single(tree(work), memory.scratch.data(), memory.q.data(),
                                                                     v.data(), tau.data(), memory.custom.numbers(),
                                                                     wrenches, memory.a.numbers());
  if (!(smallest > 0.0) || !kernels::kernels().all_finite(memory.a.numbers(), m.nv()))
    throw_singular(m, work);
  return memory.vector(memory.a);
}

MatrixView mass_matrix(const Mechanism& m, Workspace& work, const VectorRef& q) {
  load_state(m, work, q, nullptr);
  run_mass_matrix(work);
  return work.memory().matrix(work.memory().M);
}

MatrixView inverse_mass_matrix(const Mechanism& m, Workspace& work, const VectorRef& q) {
  load_state(m, work, q, nullptr);
  Workspace::Memory& memory = work.memory();
  ++memory.M_inverse.writes;
  if (tree(work).coupled) {
    Eigen::Map<RowMatrix> out = memory.M_inverse.matrix();
    out.setIdentity();
    dense_factor(m, work).solveInPlace(out);
    return memory.matrix(memory.M_inverse);
  }
  const double smallest = kernels::kernels().inverse_mass_matrix.single(
      tree(work), memory.scratch.data(), memory.q.data(), memory.custom.numbers(), memory.M_inverse.numbers());
  if (!(smallest > 0.0)) throw_singular(m, work);
  return memory.matrix(memory.M_inverse);
}

VectorView bias_forces(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v) {
  load_state(m, work, q, &v);
  run_inverse_dynamics(work, v.data(), nullptr, nullptr, work.memory().bias);
  return work.memory().vector(work.memory().bias);
}

VectorView gravity_forces(const Mechanism& m, Workspace& work, const VectorRef& q) {
  load_state(m, work, q, nullptr);
  run_inverse_dynamics(work, work.memory().zero.numbers(), nullptr, nullptr, work.memory().gravity);
  return work.memory().vector(work.memory().gravity);
}

MatrixView coriolis_matrix(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v) {
  load_state(m, work, q, &v, CustomNumbers::changes);
  Workspace::Memory& memory = work.memory();
  kernels::kernels().coriolis_matrix.single(tree(work), memory.scratch.data(), memory.q.data(), v.data(),
                                            memory.custom.numbers(), memory.C.numbers());
  ++memory.C.writes;
  return memory.matrix(memory.C);
}

}  // namespace amble
