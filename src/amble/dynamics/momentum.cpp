#include "amble/dynamics/momentum.hpp"

#include "amble/dynamics/workspace_memory.hpp"

namespace amble {

namespace {

/// Runs the kernel for the loaded state; A and A_dot may be null.
const double* run_centroidal(Workspace& work, const double* v, ResultSlot* A, ResultSlot* A_dot) {
  Workspace::Memory& x = work.memory();
  kernels::kernels().centroidal.single(x.tree.tree(), x.scratch.data(), x.q.data(), v, x.custom.numbers(),
                                       A == nullptr ? nullptr : A->numbers(),
                                       A_dot == nullptr ? nullptr : A_dot->numbers(), x.summary.numbers());
  if (A != nullptr) ++A->writes;
  if (A_dot != nullptr) ++A_dot->writes;
  return x.summary.numbers();
}

}  // namespace

void check_mass(const Mechanism& m) {
  if (!(m.mass() > 0.0)) throw Error("'" + m.name() + "' has no mass, so it has no centre of mass");
}

double kinetic_energy(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v) {
  load_state(m, work, q, &v, CustomNumbers::changes);
  return run_centroidal(work, v.data(), nullptr, nullptr)[6];
}

double potential_energy(const Mechanism& m, Workspace& work, const VectorRef& q) {
  load_state(m, work, q, nullptr);
  return run_centroidal(work, nullptr, nullptr, nullptr)[7];
}

double mechanical_energy(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v) {
  load_state(m, work, q, &v, CustomNumbers::changes);
  const double* const sums = run_centroidal(work, v.data(), nullptr, nullptr);
  return sums[6] + sums[7];
}

Vector3<double> center_of_mass(const Mechanism& m, Workspace& work, const VectorRef& q) {
  load_state(m, work, q, nullptr);
  check_mass(m);
  return Vector3<double>(run_centroidal(work, nullptr, nullptr, nullptr));
}

Vector3<double> center_of_mass_velocity(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v) {
  load_state(m, work, q, &v, CustomNumbers::changes);
  check_mass(m);
  return Vector3<double>(run_centroidal(work, v.data(), nullptr, nullptr) + 3);
}

MatrixView momentum_matrix(const Mechanism& m, Workspace& work, const VectorRef& q) {
  load_state(m, work, q, nullptr);
  check_mass(m);
  Workspace::Memory& x = work.memory();
  run_centroidal(work, nullptr, &x.momentum_matrix, nullptr);
  return x.matrix(x.momentum_matrix);
}

MatrixView momentum_matrix_dot(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v) {
  load_state(m, work, q, &v, CustomNumbers::changes);
  check_mass(m);
  Workspace::Memory& x = work.memory();
  run_centroidal(work, v.data(), &x.momentum_matrix, &x.momentum_matrix_dot);
  return x.matrix(x.momentum_matrix_dot);
}

VectorView momentum(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v) {
  load_state(m, work, q, &v);
  check_mass(m);
  Workspace::Memory& x = work.memory();
  run_centroidal(work, nullptr, &x.momentum_matrix, nullptr);
  const Eigen::Map<const RowMatrix> A(x.momentum_matrix.numbers(), 6, m.nv());
  Eigen::Map<Vector6<double>>(x.momentum.numbers()) = A.lazyProduct(v);
  ++x.momentum.writes;
  return x.vector(x.momentum);
}

}  // namespace amble
