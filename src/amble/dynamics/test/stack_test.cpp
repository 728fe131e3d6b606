#include "amble/dynamics/stack.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/dynamics/derivatives.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/dynamics/test/random_state.hpp"

namespace amble {
namespace {

struct States {
  Mechanism m;
  RowMatrix q, v, x;

  std::string place() const { return m.bodies().back().name; }
};

constexpr JacobianFrame kFrames[] = {JacobianFrame::local, JacobianFrame::world, JacobianFrame::aligned};
JacobianOptions at_a_point(JacobianFrame frame) { return {.point = {0.3, -0.2, 0.5}, .frame = frame}; }

States random_states(const Mechanism& m, int count, std::uint64_t seed) {
  States s{m, RowMatrix(count, m.nq()), RowMatrix(count, m.nv()), RowMatrix(count, m.nv())};
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    s.q.row(i) = m.random(random).transpose();
    for (int k = 0; k < m.nv(); ++k) s.v(i, k) = random.uniform(-2, 2), s.x(i, k) = random.uniform(-5, 5);
  }
  return s;
}

/// Columns of a matrix, some after the others.
struct Columns {
  RowMatrix& out;
  Eigen::Index at = 0;
  StackOutput operator()(Eigen::Index size) {
    at += size;
    return out.middleCols(at - size, size);
  }
};

/// States as a function takes them.
struct Inputs {
  const Mechanism& m;
  StackInput q, v, x;
  std::string place;
};

Inputs inputs(const States& s) { return {s.m, s.q, s.v, s.x, s.place()}; }

/// Kinematics and momentum, 16 + 17 + 48 nv numbers.
template <class Results>
void add_motions(const Inputs& s, StackWorkspace& work, Results& part) {
  const Eigen::Index nv = s.m.nv();
  pose(s.m, work, s.q, s.place, part(16));
  for (JacobianFrame frame : kFrames) {
    jacobian(s.m, work, s.q, s.place, part(6 * nv), at_a_point(frame));
    jacobian_dot(s.m, work, s.q, s.v, s.place, part(6 * nv), at_a_point(frame));
  }
  kinetic_energy(s.m, work, s.q, s.v, part(1));
  potential_energy(s.m, work, s.q, part(1));
  center_of_mass(s.m, work, s.q, part(3));
  center_of_mass_velocity(s.m, work, s.q, s.v, part(3));
  momentum_matrix(s.m, work, s.q, part(6 * nv));
  momentum_matrix_dot(s.m, work, s.q, s.v, part(6 * nv));
  momentum(s.m, work, s.q, s.v, part(6));
  position(s.m, work, s.q, s.m.place(s.place), part(3));
}

/// Every function of stacks, their results in the order in which `part` is asked for room.
template <class Results>
void add_all(const Inputs& s, StackWorkspace& work, Results& part) {
  const Eigen::Index nv = s.m.nv(), square = nv * nv;
  inverse_dynamics(s.m, work, s.q, s.v, s.x, part(nv));
  forward_dynamics(s.m, work, s.q, s.v, s.x, part(nv));
  bias_forces(s.m, work, s.q, s.v, part(nv));
  gravity_forces(s.m, work, s.q, part(nv));
  mass_matrix(s.m, work, s.q, part(square));
  inverse_mass_matrix(s.m, work, s.q, part(square));
  coriolis_matrix(s.m, work, s.q, s.v, part(square));
  const StackOutput tau_dq = part(square), tau_dv = part(square), M = part(square);
  inverse_dynamics_derivatives(s.m, work, s.q, s.v, s.x, tau_dq, tau_dv, M);
  const StackOutput a_dq = part(square), a_dv = part(square), M_inverse = part(square);
  forward_dynamics_derivatives(s.m, work, s.q, s.v, s.x, a_dq, a_dv, M_inverse);
  add_motions(s, work, part);
}

/// Side by side.
RowMatrix all_results(const States& s, StackWorkspace& work) {
  const Eigen::Index nv = s.m.nv();
  RowMatrix out(s.q.rows(), 33 + 52 * nv + 9 * nv * nv);
  Columns part{out};
  add_all(inputs(s), work, part);
  EXPECT_EQ(part.at, out.cols());
  return out;
}

LaneStack in_lanes(const RowMatrix& x) {
  LaneStack out(x.rows(), x.cols());
  for (Eigen::Index i = 0; i < x.rows(); ++i) out.set_row(i, x.row(i).transpose());
  return out;
}

Eigen::RowVectorXd flat4(const Matrix4<double>& x) { return x.transpose().reshaped().transpose(); }
Eigen::RowVectorXd flat(const MatrixView& x) { return Eigen::Map<const Eigen::RowVectorXd>(x.data(), x.size()); }

void expect_row(const RowMatrix& rows, Eigen::Index i, Eigen::Index at, const Eigen::RowVectorXd& expected, double tolerance) {
  const Eigen::RowVectorXd ours = rows.row(i).segment(at, expected.size());
  EXPECT_LT((ours - expected).cwiseAbs().maxCoeff(), tolerance * (1.0 + expected.cwiseAbs().maxCoeff())) << "row " << i;
}

Mechanism some_mechanism(std::uint64_t seed) {
  return seed % 4 == 3 ? custom_state(seed).m : random_state(seed, {.bodies = 1 + static_cast<int>(seed) % 12, .mimic = seed % 4 == 2 ? 0.4 : 0.0}).m;
}

struct LaneResults {
  Eigen::Index rows;
  std::vector<std::unique_ptr<LaneStack>> stacks = {};
  StackOutput operator()(Eigen::Index size) { return *stacks.emplace_back(std::make_unique<LaneStack>(rows, size)); }
};

TEST(Stack, StatesInLanesGiveTheSameBits) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const States s = random_states(some_mechanism(seed), 11 + 8 * (seed % 2), seed);
    StackWorkspace work(s.m, 1);
    const RowMatrix expected = all_results(s, work);
    const LaneStack q = in_lanes(s.q), v = in_lanes(s.v), x = in_lanes(s.x);
    LaneResults part{s.q.rows()};
    add_all({s.m, q, v, x, s.place()}, work, part);
    add_all({s.m, q, s.v, x, s.place()}, work, part);  // some in rows
    for (Eigen::Index i = 0; i < s.q.rows(); ++i) {
      Eigen::Index at = 0;
      for (const auto& result : part.stacks) {
        EXPECT_EQ(result->row(i).transpose(), expected.row(i).segment(at, result->size())) << "seed " << seed << " row " << i;
        at = (at + result->size()) % expected.cols();
      }
    }
  }
}

TEST(Stack, AMatrixInLanesForgetsTheOneBefore) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const States s = random_states(some_mechanism(seed), 9, seed);
    StackWorkspace work(s.m, 1);
    const Eigen::Index square = Eigen::Index(s.m.nv()) * s.m.nv();
    RowMatrix M(9, square), C(9, square);
    mass_matrix(s.m, work, s.q, M);
    coriolis_matrix(s.m, work, s.q, s.v, C);
    LaneStack out(9, square);
    const auto expect = [&](const RowMatrix& rows) {
      for (int i = 0; i < 9; ++i) EXPECT_EQ(out.row(i).transpose(), rows.row(i)) << "seed " << seed;
    };
    const LaneStack q = in_lanes(s.q);
    mass_matrix(s.m, work, q, out), expect(M);
    coriolis_matrix(s.m, work, q, s.v, out), expect(C);
    inverse_mass_matrix(s.m, work, q, out);
    mass_matrix(s.m, work, q, out), expect(M);
    for (Eigen::Index k = 0; k < square; ++k) out.set(8, k, 7.0);
    mass_matrix(s.m, work, q, out), expect(M);
    std::fill_n(out.group(0), square, 7.0);
    mass_matrix(s.m, work, q, out), expect(M);
  }
}

TEST(Stack, AResultInLanesMayTakeThePlaceOfAnArgument) {
  const States s = random_states(some_mechanism(4), 19, 4);
  StackWorkspace work(s.m, 1);
  RowMatrix a(19, s.m.nv());
  forward_dynamics(s.m, work, s.q, s.v, s.x, a);
  LaneStack x = in_lanes(s.x);
  forward_dynamics(s.m, work, in_lanes(s.q), in_lanes(s.v), x, x);
  for (int i = 0; i < 19; ++i) EXPECT_EQ(x.row(i).transpose(), a.row(i));
}

TEST(Stack, ErrorsInLanesNameTheRow) {
  const States s = random_states(some_mechanism(4), 19, 4);
  StackWorkspace work(s.m, 1);
  const LaneStack q = in_lanes(s.q);
  LaneStack v = in_lanes(s.v), out(19, s.m.nv()), wrong(18, s.m.nv());
  v.set(10, 0, std::nan(""));
  EXPECT_NE(message_of([&] { bias_forces(s.m, work, q, v, out); }).find("row 10"), std::string::npos);
  EXPECT_NE(message_of([&] { bias_forces(s.m, work, q, s.v, wrong); }).find("19 states"), std::string::npos);
  EXPECT_NE(message_of([&] { v.set_row(3, s.q.row(0).head(0).transpose()); }).find("row 3"), std::string::npos);
  EXPECT_NE(message_of([] { LaneStack(-1, 3); }).find("-1 rows"), std::string::npos);
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

/// Kinematics and momentum of one state by the functions for one, in the order of add_motions().
std::vector<Eigen::RowVectorXd> motions_of_one(const States& s, Workspace& work, const Eigen::VectorXd& q,
                                               const Eigen::VectorXd& v) {
  std::vector<Eigen::RowVectorXd> out;
  const auto add = [&](const RowMatrix& x) {
    out.push_back(Eigen::Map<const Eigen::RowVectorXd>(x.data(), x.size()));
  };
  add(pose(s.m, work, q, s.place()).matrix());
  for (JacobianFrame frame : kFrames) {
    add(jacobian(s.m, work, q, s.place(), at_a_point(frame)));
    add(jacobian_dot(s.m, work, q, v, s.place(), at_a_point(frame)));
  }
  add(RowMatrix::Constant(1, 1, kinetic_energy(s.m, work, q, v)));
  add(RowMatrix::Constant(1, 1, potential_energy(s.m, work, q)));
  add(center_of_mass(s.m, work, q));
  add(center_of_mass_velocity(s.m, work, q, v));
  add(momentum_matrix(s.m, work, q));
  add(momentum_matrix_dot(s.m, work, q, v));
  add(momentum(s.m, work, q, v));
  add(pose(s.m, work, q, s.place()).translation());
  return out;
}

TEST(Stack, RowsOfKinematicsAndMomentumAreThoseOfSingleStates) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const States s = random_states(any_state(seed).m, 1 + static_cast<int>(seed) % 19, seed);
    StackWorkspace stacks(s.m, 1);
    Workspace work(s.m);
    RowMatrix rows(s.q.rows(), 33 + 48 * s.m.nv());
    Columns part{rows};
    add_motions(inputs(s), stacks, part);
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      Eigen::Index at = 0;
      for (const Eigen::RowVectorXd& expected : motions_of_one(s, work, s.q.row(i), s.v.row(i))) {
        expect_row(rows, i, at, expected, 1e-13);
        at += expected.size();
      }
      EXPECT_EQ(at, rows.cols());
    }
  }
}

TEST(Stack, APlaceOnTheWorldStaysWhereItIs) {
  const States s = random_states(random_state(9).m, 13, 9);
  StackWorkspace work(s.m);
  RowMatrix X(13, 16), J(13, 6 * s.m.nv());
  pose(s.m, work, s.q, kWorld, X);
  jacobian(s.m, work, s.q, kWorld, J);
  EXPECT_EQ(X, flat4(Matrix4<double>::Identity()).replicate(13, 1));
  EXPECT_EQ(J, RowMatrix::Zero(13, J.cols()));
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

TEST(Stack, ErrorsOfKinematicsAndMomentumNameTheFirstRow) {
  const RandomState s = random_state(9);
  States states = random_states(s.m, 700, 9);
  StackWorkspace work(s.m, 2);
  states.v(650, 0) = states.v(11, 0) = std::numeric_limits<double>::quiet_NaN();
  RowMatrix one(700, 1), six(700, 6), J(700, 6 * s.m.nv());
  const auto row_of = [](const auto& f) { return message_of(f).substr(0, 8); };
  EXPECT_EQ(row_of([&] { kinetic_energy(s.m, work, states.q, states.v, one); }), "row 11: ");
  EXPECT_EQ(row_of([&] { momentum(s.m, work, states.q, states.v, six); }), "row 11: ");
  EXPECT_EQ(row_of([&] { jacobian_dot(s.m, work, states.q, states.v, states.place(), J); }), "row 11: ");
  states.q(10, s.m.nq() - 1) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(row_of([&] { jacobian(s.m, work, states.q, states.place(), J); }), "row 10: ");
}

TEST(Stack, KinematicsAndMomentumRefuseWhatDoesNotFit) {
  const RandomState s = random_state(9), other = random_state(10);
  const States states = random_states(s.m, 7, 9);
  StackWorkspace work(s.m);
  RowMatrix six(7, 6), J(7, 6 * s.m.nv());
  const auto expect = [](const auto& f, const char* words) {
    EXPECT_NE(message_of(f).find(words), std::string::npos) << words;
  };
  expect([&] { center_of_mass(s.m, work, states.q, six); },
         "a result of 7 x 6 numbers does not fit 7 states with 3 numbers each");
  expect([&] { pose(s.m, work, states.q, states.place(), six); }, "does not fit 7 states with 16 numbers each");
  expect([&] { jacobian(s.m, work, states.q, "nowhere", J); }, "'nowhere'");
  expect([&] { pose(other.m, work, states.q, kWorld, six); }, "belongs to mechanism");
  const Vector3<double> far = Vector3<double>::Constant(std::numeric_limits<double>::infinity());
  expect([&] { jacobian(s.m, work, states.q, states.place(), J, {.point = far}); },
         "the point of a Jacobian is not finite");
}

/// A hinge that moves nothing.
Mechanism ghost() {
  Builder b("ghost");
  b.body({.name = "body"});
  b.joint({.name = "pin", .type = "revolute", .parent = "world", .child = "body", .axis = Vector3<double>(0, 0, 1)});
  return b.build();
}

TEST(Stack, WithoutMassThereIsNoCenterOfMass) {
  const Mechanism m = ghost();
  StackWorkspace work(m);
  const RowMatrix zero = RowMatrix::Zero(5, 1);
  RowMatrix three(5, 3), six(5, 6), energy(5, 1);
  const std::string expected = "'ghost' has no mass, so it has no centre of mass";
  EXPECT_EQ(message_of([&] { center_of_mass(m, work, zero, three); }), expected);
  EXPECT_EQ(message_of([&] { center_of_mass_velocity(m, work, zero, zero, three); }), expected);
  EXPECT_EQ(message_of([&] { momentum_matrix(m, work, zero, six); }), expected);
  EXPECT_EQ(message_of([&] { momentum_matrix_dot(m, work, zero, zero, six); }), expected);
  EXPECT_EQ(message_of([&] { momentum(m, work, zero, zero, six); }), expected);
  kinetic_energy(m, work, zero, zero, energy);
  EXPECT_EQ(energy, zero);
}

TEST(Stack, ASingularMassMatrixNamesTheRowAndTheJoint) {
  const Mechanism m = ghost();
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
