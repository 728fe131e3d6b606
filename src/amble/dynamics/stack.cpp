#include "amble/dynamics/stack.hpp"

#include "amble/dynamics/derivatives.hpp"
#include "amble/dynamics/stack_memory.hpp"

namespace amble {

namespace {

using stacks::Arguments;
using stacks::Group;
using stacks::Output;
using stacks::Part;
using stacks::run;

Eigen::Index square(const Mechanism& m) { return Eigen::Index(m.nv()) * m.nv(); }

VectorRef row_of(const StackInput& x, Eigen::Index i, std::vector<double>& room) {
  return Eigen::Map<const Eigen::VectorXd>(x.row(i, room.data()), x.size());
}

/// kernel(part) evaluates one group and returns the smallest inertia it met; one(part, row) evaluates one state the
/// other way, which finds the words for an error.
template <class K, class S>
void run_checked(const Mechanism& m, StackWorkspace& work, const Arguments& in, std::span<Output> outputs,
                 const K& kernel, const S& one) {
  stacks::for_groups(m, work, in, outputs, [&](Part& part, const Group& group, Eigen::Index& at) {
    const double smallest = kernel(part);
    unpack(part, group, outputs);
    const Part::Result& last = part.*(outputs.back().result);
    if (smallest > 0.0 && kernels::kernels().all_finite(last.at, static_cast<int>(last.size) * part.lanes)) return;
    for (int lane = 0; lane < group.count; ++lane) one(part, at = group.row(lane));
  });
}

/// Mechanisms whose joints follow others take a way that is not in lanes.
template <class S>
void run_one_by_one(const Mechanism& m, StackWorkspace& work, const Arguments& in, std::span<Output> outputs,
                    const S& one) {
  stacks::check_call(m, work, in, outputs);
  const auto share = [&](Part& part, Eigen::Index begin, Eigen::Index end, Eigen::Index& at) {
    for (at = begin; at < end; ++at) one(part, at);
  };
  stacks::for_rows(work, in.q->rows(), 1, std::cref(share));
}

bool coupled(const StackWorkspace& work) { return work.parts().front()->tree.coupled; }

/// Null `a` stands for zero.
void run_inverse_dynamics(Part& p, const double* a) {
  kernels::kernels().inverse_dynamics.lanes(p.tree, p.scratch.data(), p.q.at, p.v.at, a,
                                            p.custom.numbers(), p.F, p.vector.at);
}

}  // namespace

void inverse_dynamics(const Mechanism& m, StackWorkspace& work, const StackInput& q, const StackInput& v,
                      const StackInput& a, StackOutput tau, std::span<const ExternalWrench> external) {
  Output out[] = {{tau, m.nv(), &Part::vector}};
  run(m, work, {.q = &q, .v = &v, .x = &a, .x_name = "a", .external = external}, out,
      [](Part& p) { run_inverse_dynamics(p, p.x.at); });
}

void forward_dynamics(const Mechanism& m, StackWorkspace& work, const StackInput& q, const StackInput& v,
                      const StackInput& tau, StackOutput a, std::span<const ExternalWrench> external) {
  Output out[] = {{a, m.nv(), &Part::vector}};
  const auto one = [&](Part& p, Eigen::Index i) {
    a.put_row(i, forward_dynamics(m, p.single, row_of(q, i, p.q_row), row_of(v, i, p.v_row), row_of(tau, i, p.x_row),
                                  external).data());
  };
  const Arguments in{.q = &q, .v = &v, .x = &tau, .x_name = "tau", .external = external};
  if (coupled(work)) return run_one_by_one(m, work, in, out, one);
  const auto kernel = [](Part& p) {
    return kernels::kernels().forward_dynamics.lanes(p.tree, p.scratch.data(), p.q.at, p.v.at,
                                                     p.x.at, p.custom.numbers(), p.F, p.vector.at);
  };
  run_checked(m, work, in, out, kernel, one);
}

void bias_forces(const Mechanism& m, StackWorkspace& work, const StackInput& q, const StackInput& v,
                 StackOutput bias) {
  Output out[] = {{bias, m.nv(), &Part::vector}};
  run(m, work, {&q, &v}, out, [](Part& p) { run_inverse_dynamics(p, nullptr); });
}

void gravity_forces(const Mechanism& m, StackWorkspace& work, const StackInput& q, StackOutput gravity) {
  Output out[] = {{gravity, m.nv(), &Part::vector}};
  run(m, work, {&q}, out, [](Part& p) {
    std::fill_n(p.v.numbers(), p.v.size * p.lanes, 0.0);
    p.v.at = p.v.numbers();
    run_inverse_dynamics(p, nullptr);
  });
}

void mass_matrix(const Mechanism& m, StackWorkspace& work, const StackInput& q, StackOutput M) {
  Output out[] = {{M, square(m), &Part::M}};
  run(m, work, {&q}, out, [](Part& p) {
    kernels::kernels().mass_matrix.lanes(p.tree, p.scratch.data(), p.q.at, p.custom.numbers(), p.M.at);
  });
}

void inverse_mass_matrix(const Mechanism& m, StackWorkspace& work, const StackInput& q, StackOutput M_inverse) {
  Output out[] = {{M_inverse, square(m), &Part::M_inverse}};
  const auto one = [&](Part& p, Eigen::Index i) {
    M_inverse.put_row(i, inverse_mass_matrix(m, p.single, row_of(q, i, p.q_row)).data());
  };
  if (coupled(work)) return run_one_by_one(m, work, {&q}, out, one);
  const auto kernel = [](Part& p) {
    return kernels::kernels().inverse_mass_matrix.lanes(p.tree, p.scratch.data(), p.q.at, p.custom.numbers(),
                                                        p.M_inverse.at);
  };
  run_checked(m, work, {&q}, out, kernel, one);
}

void coriolis_matrix(const Mechanism& m, StackWorkspace& work, const StackInput& q, const StackInput& v,
                     StackOutput C) {
  Output out[] = {{C, square(m), &Part::C}};
  run(m, work, {.q = &q, .v = &v, .custom = CustomNumbers::changes}, out, [](Part& p) {
    kernels::kernels().coriolis_matrix.lanes(p.tree, p.scratch.data(), p.q.at, p.v.at,
                                             p.custom.numbers(), p.C.at);
  });
}

void inverse_dynamics_derivatives(const Mechanism& m, StackWorkspace& work, const StackInput& q, const StackInput& v,
                                  const StackInput& a, StackOutput dq, StackOutput dv, StackOutput M,
                                  std::span<const ExternalWrench> external) {
  Output out[] = {{dq, square(m), &Part::dq}, {dv, square(m), &Part::dv}, {M, square(m), &Part::tau_M}};
  run(m, work, {&q, &v, &a, "a", CustomNumbers::changes, external}, out, [](Part& p) {
    kernels::kernels().inverse_derivatives.lanes(p.tree, p.scratch.data(), p.q.at, p.v.at,
                                                 p.x.at, p.custom.numbers(), p.F, p.dq.at,
                                                 p.dv.at, p.tau_M.at);
  });
}

void forward_dynamics_derivatives(const Mechanism& m, StackWorkspace& work, const StackInput& q, const StackInput& v,
                                  const StackInput& tau, StackOutput dq, StackOutput dv, StackOutput M_inverse,
                                  std::span<const ExternalWrench> external) {
  Output out[] = {
      {dq, square(m), &Part::a_dq}, {M_inverse, square(m), &Part::M_inverse}, {dv, square(m), &Part::a_dv}};
  const auto one = [&](Part& p, Eigen::Index i) {
    const ForwardDynamicsDerivatives d = forward_dynamics_derivatives(
        m, p.single, row_of(q, i, p.q_row), row_of(v, i, p.v_row), row_of(tau, i, p.x_row), external);
    dq.put_row(i, d.dq.data()), dv.put_row(i, d.dv.data()), M_inverse.put_row(i, d.M_inverse.data());
  };
  const Arguments in{&q, &v, &tau, "tau", CustomNumbers::changes, external};
  if (coupled(work)) return run_one_by_one(m, work, in, out, one);
  const auto kernel = [](Part& p) {
    return kernels::kernels().forward_derivatives.lanes(
        p.tree, p.scratch.data(), p.q.at, p.v.at, p.x.at, p.custom.numbers(), p.F,
        p.vector.numbers(), p.a_dq.at, p.a_dv.at, p.M_inverse.at);
  };
  run_checked(m, work, in, out, kernel, one);
}

}  // namespace amble
