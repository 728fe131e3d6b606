#include "amble/base/line_buffer.hpp"
#include "amble/dynamics/derivatives.hpp"
#include "amble/dynamics/kernel_tree.hpp"
#include "amble/dynamics/kernels/select.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/verify/dynamics/themes.hpp"
#include "amble/verify/evidence.hpp"

namespace amble {

namespace {

using kernels::Kernels;

Claim lanes(const std::string& name, const std::string& source, double tolerance) {
  return {"dynamics." + name, source + ", every instruction set in lanes against one state", "two routes", tolerance};
}

struct State {
  Eigen::VectorXd q, v, a;
};

std::vector<State> draw_states(const Mechanism& m, int count, std::uint64_t seed) {
  std::vector<State> out;
  for (std::uint64_t own = 100 * seed; out.size() < static_cast<std::size_t>(count); ++own) {
    const Motion s = in_motion(m, m.random(own), own);
    out.push_back({s.q, s.v, s.a});
  }
  return out;
}

/// One number per state, side by side for each coordinate.
class Packed {
 public:
  Packed(int size, int lanes) : size_(size), lanes_(lanes), buffer_(sizeof(double) * size * lanes) {}
  Packed(const std::vector<State>& states, Eigen::VectorXd State::*part)
      : Packed(static_cast<int>((states.front().*part).size()), static_cast<int>(states.size())) {
    for (int lane = 0; lane < lanes_; ++lane)
      for (int i = 0; i < size_; ++i) numbers()[i * lanes_ + lane] = (states[lane].*part)[i];
  }
  double* numbers() { return buffer_.numbers(); }
  /// Of one state, as a matrix with that many columns.
  Eigen::MatrixXd of(int lane, int cols = 1) {
    return Eigen::MatrixXd::NullaryExpr(size_ / cols, cols, [&](Eigen::Index i, Eigen::Index j) {
      return buffer_.numbers()[(i * cols + j) * lanes_ + lane];
    });
  }

 private:
  int size_, lanes_;
  LineBuffer buffer_;
};

/// As many states of one mechanism as an instruction set takes at once.
struct Stack {
  const Mechanism& m;
  KernelTree tree;
  LineBuffer scratch;
  std::vector<State> states;
  Packed q, v, a;

  Stack(const Mechanism& mechanism, const Kernels& k, std::uint64_t seed)
      : m(mechanism),
        tree(m),
        scratch(k.scratch_bytes(tree.tree(), true)),
        states(draw_states(m, k.lanes, seed)),
        q(states, &State::q),
        v(states, &State::v),
        a(states, &State::a) {}
};

/// The sum of error(kernels, stack, workspace) over every instruction set of this machine.
template <class F>
double over_instruction_sets(std::uint64_t seed, double mimic, F error) {
  const RandomMechanismOptions options{.bodies = 1 + static_cast<int>(seed) % 30, .mimic = mimic};
  const Mechanism m = random_mechanism(seed, options).mechanism;
  Workspace work(m);
  double sum = 0.0;
  for (const Kernels* k : kernels::usable_kernels()) {
    Stack stack(m, *k, seed);
    sum += error(*k, stack, work);
  }
  return sum;
}

double inverse_dynamics_error(const Kernels& k, Stack& s, Workspace& work) {
  Packed tau(s.m.nv(), k.lanes);
  k.inverse_dynamics.lanes(s.tree.tree(), s.scratch.data(), s.q.numbers(), s.v.numbers(), s.a.numbers(), nullptr,
                           nullptr, tau.numbers());
  double sum = 0.0;
  for (int i = 0; i < k.lanes; ++i)
    sum += relative_error(tau.of(i), inverse_dynamics(s.m, work, s.states[i].q, s.states[i].v, s.states[i].a));
  return sum;
}

/// The kernel fills one triangle.
double mass_matrix_error(const Kernels& k, Stack& s, Workspace& work) {
  const int nv = s.m.nv();
  Packed M(nv * nv, k.lanes);
  k.mass_matrix.lanes(s.tree.tree(), s.scratch.data(), s.q.numbers(), nullptr, M.numbers());
  double sum = 0.0;
  for (int i = 0; i < k.lanes; ++i) {
    const Eigen::MatrixXd theirs = M.of(i, nv), ours = mass_matrix(s.m, work, s.states[i].q);
    sum += relative_error(Eigen::MatrixXd(theirs.triangularView<Eigen::Upper>()),
                          Eigen::MatrixXd(ours.triangularView<Eigen::Upper>()));
  }
  return sum;
}

double coriolis_matrix_error(const Kernels& k, Stack& s, Workspace& work) {
  const int nv = s.m.nv();
  Packed C(nv * nv, k.lanes);
  k.coriolis_matrix.lanes(s.tree.tree(), s.scratch.data(), s.q.numbers(), s.v.numbers(), nullptr, C.numbers());
  double sum = 0.0;
  for (int i = 0; i < k.lanes; ++i)
    sum += relative_error(C.of(i, nv), coriolis_matrix(s.m, work, s.states[i].q, s.states[i].v));
  return sum;
}

double inverse_derivatives_error(const Kernels& k, Stack& s, Workspace& work) {
  const int nv = s.m.nv();
  Packed dq(nv * nv, k.lanes), dv(nv * nv, k.lanes), M(nv * nv, k.lanes);
  k.inverse_derivatives.lanes(s.tree.tree(), s.scratch.data(), s.q.numbers(), s.v.numbers(), s.a.numbers(), nullptr,
                              nullptr, dq.numbers(), dv.numbers(), M.numbers());
  double sum = 0.0;
  for (int i = 0; i < k.lanes; ++i) {
    const auto& [q, v, a] = s.states[i];
    const InverseDynamicsDerivatives d = inverse_dynamics_derivatives(s.m, work, q, v, a);
    sum += relative_error(dq.of(i, nv), d.dq) + relative_error(dv.of(i, nv), d.dv) + relative_error(M.of(i, nv), d.M);
  }
  return sum;
}

double momentum_error(const Kernels& k, Stack& s, Workspace& work) {
  const int nv = s.m.nv();
  Packed A(6 * nv, k.lanes), A_dot(6 * nv, k.lanes), summary(kernels::kSummary, k.lanes);
  k.centroidal.lanes(s.tree.tree(), s.scratch.data(), s.q.numbers(), s.v.numbers(), nullptr, A.numbers(),
                     A_dot.numbers(), summary.numbers());
  double sum = 0.0;
  for (int i = 0; i < k.lanes; ++i) {
    const auto& [q, v, a] = s.states[i];
    Eigen::VectorXd expected(kernels::kSummary);
    expected << center_of_mass(s.m, work, q), center_of_mass_velocity(s.m, work, q, v),
        kinetic_energy(s.m, work, q, v), potential_energy(s.m, work, q);
    sum += relative_error(A.of(i, nv), momentum_matrix(s.m, work, q)) + relative_error(summary.of(i), expected) +
           relative_error(A_dot.of(i, nv), momentum_matrix_dot(s.m, work, q, v));
  }
  return sum;
}

/// Poses of nodes, and columns of Jacobians with their rates: one state by the instruction set of choice.
double kinematics_error(const Kernels& k, Stack& s, Workspace&) {
  const kernels::Tree& t = s.tree.tree();
  const Kernels& best = kernels::kernels();
  LineBuffer scratch(best.scratch_bytes(t, false));
  const int sizes[] = {kernels::kPose * t.count, 6 * t.columns, 6 * t.columns};
  Packed poses(sizes[0], k.lanes), S(sizes[1], k.lanes), S_dot(sizes[2], k.lanes);
  k.kinematics.lanes(t, s.scratch.data(), s.q.numbers(), s.v.numbers(), nullptr, poses.numbers(), S.numbers(),
                     S_dot.numbers());
  double sum = 0.0;
  for (int i = 0; i < k.lanes; ++i) {
    const auto& [q, v, a] = s.states[i];
    Packed X(sizes[0], 1), J(sizes[1], 1), J_dot(sizes[2], 1);
    best.kinematics.single(t, scratch.data(), q.data(), v.data(), nullptr, X.numbers(), J.numbers(), J_dot.numbers());
    sum += relative_error(poses.of(i), X.of(0)) + relative_error(S.of(i), J.of(0)) +
           relative_error(S_dot.of(i), J_dot.of(0));
  }
  return sum;
}

/// |M (ours - theirs)| over |M| |theirs|.
double backward_error(const Eigen::MatrixXd& M, const Eigen::MatrixXd& ours, const Eigen::MatrixXd& theirs) {
  return (M * (ours - theirs)).norm() / (1.0 + M.norm() * theirs.norm());
}

double forward_dynamics_error(const Kernels& k, Stack& s, Workspace& work) {
  Packed a(s.m.nv(), k.lanes);
  k.forward_dynamics.lanes(s.tree.tree(), s.scratch.data(), s.q.numbers(), s.v.numbers(), s.a.numbers(), nullptr,
                           nullptr, a.numbers());
  double sum = 0.0;
  for (int i = 0; i < k.lanes; ++i)
    sum += backward_error(mass_matrix(s.m, work, s.states[i].q), a.of(i),
                          forward_dynamics(s.m, work, s.states[i].q, s.states[i].v, s.states[i].a));
  return sum;
}

double inverse_mass_matrix_error(const Kernels& k, Stack& s, Workspace& work) {
  const int nv = s.m.nv();
  Packed inverse(nv * nv, k.lanes);
  k.inverse_mass_matrix.lanes(s.tree.tree(), s.scratch.data(), s.q.numbers(), nullptr, inverse.numbers());
  double sum = 0.0;
  for (int i = 0; i < k.lanes; ++i)
    sum += backward_error(mass_matrix(s.m, work, s.states[i].q), inverse.of(i, nv),
                          inverse_mass_matrix(s.m, work, s.states[i].q));
  return sum;
}

double forward_derivatives_error(const Kernels& k, Stack& s, Workspace& work) {
  const int nv = s.m.nv();
  Packed a(nv, k.lanes), dq(nv * nv, k.lanes), dv(nv * nv, k.lanes), inverse(nv * nv, k.lanes);
  k.forward_derivatives.lanes(s.tree.tree(), s.scratch.data(), s.q.numbers(), s.v.numbers(), s.a.numbers(), nullptr,
                              nullptr, a.numbers(), dq.numbers(), dv.numbers(), inverse.numbers());
  double sum = 0.0;
  for (int i = 0; i < k.lanes; ++i) {
    const auto& [q, v, tau] = s.states[i];
    const Eigen::MatrixXd M = mass_matrix(s.m, work, q);
    const ForwardDynamicsDerivatives d = forward_dynamics_derivatives(s.m, work, q, v, tau);
    sum += backward_error(M, a.of(i), d.a) + backward_error(M, dq.of(i, nv), d.dq) +
           backward_error(M, dv.of(i, nv), d.dv) + backward_error(M, inverse.of(i, nv), d.M_inverse);
  }
  return sum;
}

}  // namespace

std::vector<VerificationEntry> dynamics_lanes() {
  const auto entry = [](const Claim& claim, auto error, bool coupled) {
    return worst_entry(claim, 40, [=](std::uint64_t seed) {
      return over_instruction_sets(seed, coupled && seed % 4 == 3 ? 0.3 : 0.0, error);
    });
  };
  return {
      entry(lanes("lanes_inverse_dynamics", "inverse dynamics", 1e-12), inverse_dynamics_error, true),
      entry(lanes("lanes_mass_matrix", "mass matrix", 1e-12), mass_matrix_error, true),
      entry(lanes("lanes_coriolis_matrix", "Coriolis matrix", 1e-12), coriolis_matrix_error, true),
      entry(lanes("lanes_inverse_derivatives", "derivatives of inverse dynamics", 1e-12),
            inverse_derivatives_error, true),
      entry(lanes("lanes_momentum_matrix", "momentum matrix, its rate, energies", 1e-12), momentum_error, true),
      entry(lanes("lanes_kinematics", "poses, Jacobians and their rates", 1e-12), kinematics_error, true),
      entry(lanes("lanes_inverse_mass_matrix", "inverse mass matrix, backward error", 1e-12),
            inverse_mass_matrix_error, false),
      entry(lanes("lanes_forward_dynamics", "forward dynamics, backward error", 1e-12), forward_dynamics_error,
            false),
      entry(lanes("lanes_forward_derivatives", "derivatives of forward dynamics, backward error", 1e-11),
            forward_derivatives_error, false),
  };
}

}  // namespace amble
