#include "amble/dynamics/momentum.hpp"
#include "amble/dynamics/stack_memory.hpp"

namespace amble {

namespace {

using stacks::Arguments;
using stacks::Group;
using stacks::Output;
using stacks::Part;

/// Null `v` stands for zero; A and A_dot may be null.
void run_centroidal(Part& p, const double* v, double* A, double* A_dot) {
  kernels::kernels().centroidal.lanes(p.tree, p.scratch.data(), p.q.at, v, p.custom.numbers(), A, A_dot,
                                      p.summary.at);
}

/// `out` is some numbers of the summary.
void summarize(const Mechanism& m, StackWorkspace& work, const StackInput& q, const StackInput* v, Output out) {
  const Arguments in{.q = &q, .v = v, .custom = v == nullptr ? CustomNumbers::motion : CustomNumbers::changes};
  stacks::run(m, work, in, {&out, 1}, [moves = v != nullptr](Part& p) {
    run_centroidal(p, moves ? p.v.at : nullptr, nullptr, nullptr);
  });
}

/// The momentum matrix in one lane times v.
Vector6<double> momentum_in_lane(Part& p, int lane, const double* v) {
  const Eigen::Index nv = p.tree.nv;
  const double* A = p.momentum_matrix.numbers() + lane;
  Vector6<double> h = Vector6<double>::Zero();
  for (Eigen::Index j = 0; j < nv; ++j)
    for (Eigen::Index k = 0; k < 6; ++k) h[k] += A[(k * nv + j) * p.lanes] * v[j];
  return h;
}

}  // namespace

void kinetic_energy(const Mechanism& m, StackWorkspace& work, const StackInput& q, const StackInput& v,
                    StackOutput energy) {
  summarize(m, work, q, &v, {energy, 1, &Part::summary, 6});
}

void potential_energy(const Mechanism& m, StackWorkspace& work, const StackInput& q, StackOutput energy) {
  summarize(m, work, q, nullptr, {energy, 1, &Part::summary, 7});
}

void center_of_mass(const Mechanism& m, StackWorkspace& work, const StackInput& q, StackOutput center) {
  check_mass(m);
  summarize(m, work, q, nullptr, {center, 3, &Part::summary, 0});
}

void center_of_mass_velocity(const Mechanism& m, StackWorkspace& work, const StackInput& q, const StackInput& v,
                             StackOutput velocity) {
  check_mass(m);
  summarize(m, work, q, &v, {velocity, 3, &Part::summary, 3});
}

void momentum_matrix(const Mechanism& m, StackWorkspace& work, const StackInput& q, StackOutput A) {
  check_mass(m);
  Output out[] = {{A, 6 * m.nv(), &Part::momentum_matrix}};
  stacks::run(m, work, {&q}, out, [](Part& p) { run_centroidal(p, nullptr, p.momentum_matrix.at, nullptr); });
}

void momentum_matrix_dot(const Mechanism& m, StackWorkspace& work, const StackInput& q, const StackInput& v,
                         StackOutput A_dot) {
  check_mass(m);
  Output out[] = {{A_dot, 6 * m.nv(), &Part::momentum_matrix_dot}};
  stacks::run(m, work, {.q = &q, .v = &v, .custom = CustomNumbers::changes}, out, [](Part& p) {
    run_centroidal(p, p.v.at, p.momentum_matrix.numbers(), p.momentum_matrix_dot.at);
  });
}

void momentum(const Mechanism& m, StackWorkspace& work, const StackInput& q, const StackInput& v, StackOutput h) {
  check_mass(m);
  Output out[] = {{h, 6}};
  stacks::for_groups(m, work, {&q, &v}, out, [&](Part& p, const Group& group, Eigen::Index&) {
    run_centroidal(p, nullptr, p.momentum_matrix.numbers(), nullptr);
    for (int lane = 0; lane < group.count; ++lane)
      h.put_row(group.row(lane), momentum_in_lane(p, lane, v.row(group.row(lane), p.v_row.data())).data());
  });
}

}  // namespace amble
