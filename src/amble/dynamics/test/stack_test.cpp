#include "amble/dynamics/stack.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/dynamics/derivatives.hpp"
#include "amble/dynamics/test/random_state.hpp"

namespace amble {
namespace {

struct States {
  Mechanism m;
  RowMatrix q, v, x;
};

States random_states(const Mechanism& m, int count, std::uint64_t seed) {
  States s{m, RowMatrix(count, m.nq()), RowMatrix(count, m.nv()), RowMatrix(count, m.nv())};
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    s.q.row(i) = m.random(random).transpose();
    for (int k = 0; k < m.nv(); ++k) s.v(i, k) = random.uniform(-2, 2), s.x(i, k) = random.uniform(-5, 5);
  }
  return s;
}

/// Every function of stacks, its results side by side.
RowMatrix all_results(const States& s, StackWorkspace& work) {
  const Eigen::Index count = s.q.rows(), nv = s.m.nv(), square = nv * nv;
  RowMatrix out(count, 4 * nv + 9 * square);
  Eigen::Index at = 0;
  const auto part = [&](Eigen::Index size) {
    at += size;
    return out.middleCols(at - size, size);
  };
  inverse_dynamics(s.m, work, s.q, s.v, s.x, part(nv));
  forward_dynamics(s.m, work, s.q, s.v, s.x, part(nv));
  bias_forces(s.m, work, s.q, s.v, part(nv));
  gravity_forces(s.m, work, s.q, part(nv));
  mass_matrix(s.m, work, s.q, part(square));
  inverse_mass_matrix(s.m, work, s.q, part(square));
  coriolis_matrix(s.m, work, s.q, s.v, part(square));
  auto tau_dq = part(square), tau_dv = part(square), M = part(square);
  inverse_dynamics_derivatives(s.m, work, s.q, s.v, s.x, tau_dq, tau_dv, M);
  auto a_dq = part(square), a_dv = part(square), M_inverse = part(square);
  forward_dynamics_derivatives(s.m, work, s.q, s.v, s.x, a_dq, a_dv, M_inverse);
  return out;
}

Eigen::RowVectorXd flat(const MatrixView& x) { return Eigen::Map<const Eigen::RowVectorXd>(x.data(), x.size()); }

void expect_row(const RowMatrix& rows, Eigen::Index i, Eigen::Index at, const Eigen::RowVectorXd& expected, double tolerance) {
  const Eigen::RowVectorXd ours = rows.row(i).segment(at, expected.size());
  EXPECT_LT((ours - expected).cwiseAbs().maxCoeff(), tolerance * (1.0 + expected.cwiseAbs().maxCoeff())) << "row " << i;
}

Mechanism some_mechanism(std::uint64_t seed) {
  return seed % 4 == 3 ? custom_state(seed).m : random_state(seed, {.bodies = 1 + static_cast<int>(seed) % 12, .mimic = seed % 4 == 2 ? 0.4 : 0.0}).m;
}

TEST(Stack, RowsAreTheResultsOfSingleStates) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const States s = random_states(some_mechanism(seed), 11, seed);
    const Eigen::Index nv = s.m.nv(), square = nv * nv;
    StackWorkspace stacks(s.m, 1);
    Workspace work(s.m);
    const RowMatrix rows = all_results(s, stacks);
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      const Eigen::VectorXd q = s.q.row(i), v = s.v.row(i), x = s.x.row(i);
      const Eigen::MatrixXd M = mass_matrix(s.m, work, q);
      const double condition = M.norm() * Eigen::MatrixXd(inverse_mass_matrix(s.m, work, q)).norm(), loose = 1e-14 * condition + 1e-13;
      expect_row(rows, i, 0, inverse_dynamics(s.m, work, q, v, x).transpose(), 1e-13);
      expect_row(rows, i, nv, forward_dynamics(s.m, work, q, v, x).transpose(), loose);
      expect_row(rows, i, 2 * nv, bias_forces(s.m, work, q, v).transpose(), 1e-13);
      expect_row(rows, i, 3 * nv, gravity_forces(s.m, work, q).transpose(), 1e-13);
      expect_row(rows, i, 4 * nv, flat(mass_matrix(s.m, work, q)), 1e-13);
      expect_row(rows, i, 4 * nv + square, flat(inverse_mass_matrix(s.m, work, q)), loose);
      expect_row(rows, i, 4 * nv + 2 * square, flat(coriolis_matrix(s.m, work, q, v)), 1e-12);
      const InverseDynamicsDerivatives d = inverse_dynamics_derivatives(s.m, work, q, v, x);
      expect_row(rows, i, 4 * nv + 3 * square, flat(d.dq), 1e-12);
      expect_row(rows, i, 4 * nv + 4 * square, flat(d.dv), 1e-12);
      expect_row(rows, i, 4 * nv + 5 * square, flat(d.M), 1e-13);
      const ForwardDynamicsDerivatives f = forward_dynamics_derivatives(s.m, work, q, v, x);
      expect_row(rows, i, 4 * nv + 6 * square, flat(f.dq), 1e2 * loose);
      expect_row(rows, i, 4 * nv + 7 * square, flat(f.dv), 1e2 * loose);
      expect_row(rows, i, 4 * nv + 8 * square, flat(f.M_inverse), loose);
    }
  }
}

TEST(Stack, ARowHasTheSameBitsInEveryPlaceForAnyNumberOfRowsAndThreads) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    States s = random_states(some_mechanism(seed), 600, seed);
    if (s.m.nq() > 0 && s.m.links().back().q.size == 1) s.q(5, s.m.nq() - 1) = 3e5;  // far beyond the fast sines
    StackWorkspace one(s.m, 1), four(s.m, 4);
    const RowMatrix expected = all_results(s, one);
    EXPECT_EQ(all_results(s, four), expected) << "seed " << seed;
    for (Eigen::Index first : {1, 5, 597}) {
      const States part{s.m, s.q.bottomRows(600 - first), s.v.bottomRows(600 - first), s.x.bottomRows(600 - first)};
      EXPECT_EQ(all_results(part, four), expected.bottomRows(600 - first)) << "seed " << seed << " from " << first;
    }
  }
}

TEST(Stack, WrenchesFromOutsideActOnEveryRow) {
  const RandomState s = random_state(9);
  const States states = random_states(s.m, 13, 9);
  StackWorkspace stacks(s.m);
  Workspace work(s.m);
  Vector6<double> F;
  F << 1, 2, 3, -1, 0.5, 2;
  const std::vector<ExternalWrench> outside{{static_cast<int>(s.m.bodies().size()) - 1, Wrench<double>(F)}};
  RowMatrix tau(13, s.m.nv());
  inverse_dynamics(s.m, stacks, states.q, states.v, states.x, tau, outside);
  for (int i = 0; i < 13; ++i)
    expect_row(tau, i, 0, inverse_dynamics(s.m, work, states.q.row(i).transpose(), states.v.row(i).transpose(), states.x.row(i).transpose(), outside).transpose(), 1e-13);
}

TEST(Stack, ErrorsNameTheFirstRow) {
  const RandomState s = random_state(9);
  States states = random_states(s.m, 700, 9);
  StackWorkspace work(s.m, 2);
  RowMatrix tau(700, s.m.nv());
  states.v(650, 0) = std::numeric_limits<double>::quiet_NaN();
  states.v(3, 0) = std::numeric_limits<double>::infinity();
  const auto run = [&] { inverse_dynamics(s.m, work, states.q, states.v, states.x, tau); };
  EXPECT_EQ(message_of(run).substr(0, 7), "row 3: ");
  work.row_name = [](Eigen::Index i) { return "state " + std::to_string(i); };
  EXPECT_EQ(message_of(run).substr(0, 9), "state 3: ");
  RowMatrix few(3, s.m.nv());
  EXPECT_NE(message_of([&] { inverse_dynamics(s.m, work, states.q, few, states.x, tau); }).find("v has 3 rows, but q has 700"), std::string::npos);
  EXPECT_NE(message_of([&] { inverse_dynamics(s.m, work, states.q, states.x, states.x, few); }).find("does not fit"), std::string::npos);
  EXPECT_NE(message_of([&] { StackWorkspace(s.m, -1); }).find("threads is -1"), std::string::npos);
}

TEST(Stack, ASingularMassMatrixNamesTheRowAndTheJoint) {
  Builder b("ghost");
  b.body({.name = "body"});
  b.joint({.name = "pin", .type = "revolute", .parent = "world", .child = "body", .axis = Vector3<double>(0, 0, 1)});
  const Mechanism m = b.build();
  StackWorkspace work(m);
  const RowMatrix zero = RowMatrix::Zero(5, 1);
  RowMatrix a(5, 1);
  const std::string message = message_of([&] { forward_dynamics(m, work, zero, zero, zero, a); });
  EXPECT_EQ(message.substr(0, 7), "row 0: ");
  EXPECT_NE(message.find("joint 'pin'"), std::string::npos);
}

TEST(Stack, OfNothingIsNothing) {
  const RandomState s = random_state(2);
  StackWorkspace work(s.m);
  const States none = random_states(s.m, 0, 1);
  EXPECT_EQ(all_results(none, work).rows(), 0);
}

}  // namespace
}  // namespace amble
