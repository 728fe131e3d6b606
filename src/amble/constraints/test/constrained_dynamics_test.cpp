#include "amble/constraints/constrained_dynamics.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/constraints/test/constrained_state.hpp"
#include "amble/dynamics/coordinates/gauss.hpp"
#include "amble/dynamics/kinematics.hpp"

namespace amble {
namespace {

/// A random mechanism with loops, where they are closed, and a velocity that they allow.
struct ClosedState {
  Mechanism m;
  OwnedVector q, v;
  Eigen::VectorXd tau;
};

ClosedState closed_state(std::uint64_t seed) {
  const RandomMechanism r = random_mechanism(seed, {.bodies = 8 + static_cast<int>(seed % 8), .loops = 1 + static_cast<int>(seed % 2)});
  Random random(seed + 9);
  ClosedState s{r.mechanism, r.q, OwnedVector(r.mechanism.nv()), Eigen::VectorXd(r.mechanism.nv())};
  for (double& x : s.v) x = random.uniform(-1, 1);
  for (double& x : s.tau) x = random.uniform(-2, 2);
  ConstrainedDynamics d(s.m, loop_constraints(s.m));
  d.set_state(s.q, s.v);
  s.v = d.project_velocity(s.v);
  return s;
}

double scale(const Eigen::MatrixXd& x) { return 1.0 + x.norm(); }

TEST(ConstrainedDynamics, LoopsAreClosedWhereTheMechanismSays) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const ClosedState s = closed_state(seed);
    ConstrainedDynamics d(s.m, loop_constraints(s.m));
    d.set_state(s.q, s.v);
    EXPECT_LT(d.violation().norm(), 1e-12) << "seed " << seed;
    EXPECT_LT(d.velocity_error().norm(), 1e-9 * scale(s.v)) << "seed " << seed;
  }
}

TEST(ConstrainedDynamics, TheThreeMethodsAndGaussAgree) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const ClosedState s = closed_state(seed);
    ConstrainedDynamics d(s.m, loop_constraints(s.m));
    d.set_state(s.q, s.v);
    const ExternalWrench push{0, Wrench<double>({1, 2, 3}, {0.1, 0.2, 0.3})};
    const Eigen::VectorXd a = d.accelerations(s.tau, {&push, 1});
    const Eigen::VectorXd lambda = d.multipliers();
    Workspace work(s.m);
    const Eigen::MatrixXd M = mass_matrix(s.m, work, s.q);
    const double size = scale(M * a) + scale(lambda);
    EXPECT_LT((d.A() * a + d.gamma()).norm(), 1e-9 * scale(a)) << "seed " << seed;
    for (const ConstraintMethod method : {ConstraintMethod::pseudo_velocities, ConstraintMethod::reduced_momenta}) {
      const Eigen::VectorXd other = d.accelerations(s.tau, {&push, 1}, method);
      EXPECT_LT((M * (other - a)).norm(), 1e-9 * size) << "seed " << seed;
      EXPECT_LT((d.A().transpose() * (d.multipliers() - lambda)).norm(), 1e-8 * size) << "seed " << seed;
    }
    const AccelerationConstraint held{OwnedMatrix(d.A()), OwnedVector(-d.gamma())};
    const GaussMinimum least = gauss_minimum(s.m, work, s.q, s.v, s.tau, {&push, 1}, held);
    EXPECT_LT((M * (least.a - a)).norm(), 1e-8 * size) << "seed " << seed;
  }
}

TEST(ConstrainedDynamics, TheForcesOfTheConstraintsDoNoWork) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const ClosedState s = closed_state(seed);
    ConstrainedDynamics d(s.m, loop_constraints(s.m));
    d.set_state(s.q, s.v);
    d.accelerations(s.tau);
    const Eigen::VectorXd force = d.A().transpose() * d.multipliers();
    EXPECT_NEAR(force.dot(s.v), 0.0, 1e-9 * scale(force) * scale(s.v)) << "seed " << seed;
    // and the motion is that of the tree under them
    Workspace work(s.m);
    const Eigen::VectorXd needed = inverse_dynamics(s.m, work, s.q, s.v, d.accelerations(s.tau));
    EXPECT_LT((needed - s.tau - force).norm(), 1e-8 * (scale(needed) + scale(force))) << "seed " << seed;
  }
}

TEST(ConstrainedDynamics, TheProjectorIsOrthogonalInTheMetricAndKeepsWhatIsAllowed) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const ClosedState s = closed_state(seed);
    ConstrainedDynamics d(s.m, loop_constraints(s.m));
    d.set_state(s.q, s.v);
    const Eigen::MatrixXd P = d.projector(), S = d.basis();
    Workspace work(s.m);
    const Eigen::MatrixXd M = mass_matrix(s.m, work, s.q);
    EXPECT_LT((P * P - P).norm(), 1e-8 * scale(P));
    EXPECT_LT((M * P - (M * P).transpose()).norm(), 1e-8 * scale(M));
    EXPECT_LT((P * s.v - s.v).norm(), 1e-8 * scale(s.v));
    EXPECT_LT((d.A() * P).norm(), 1e-8 * scale(P) * scale(d.A()));
    EXPECT_EQ(S.cols(), s.m.nv() - d.rank());
    EXPECT_LT((d.A() * S).norm(), 1e-7 * scale(d.A())) << "seed " << seed;
  }
}

/// Four bars in a plane: of the six rows of a hinge, three are about the plane that the others keep.
Mechanism four_bar() {
  Builder b("four bar");
  const auto bar = Inertia<double>::from_com(1.0, {0.5, 0, 0}, Vector3<double>(0.01, 0.1, 0.1).asDiagonal());
  for (const char* name : {"crank", "coupler", "rocker"}) b.body({.name = name, .inertia = bar});
  const auto at = [](double x, double y) { return Pose(SO3<double>(), {x, y, 0}); };
  b.joint({.name = "a", .type = "revolute", .parent = kWorld, .child = "crank"});
  b.joint({.name = "b", .type = "revolute", .parent = "crank", .child = "coupler", .X_PF = at(1, 0)});
  b.joint({.name = "d", .type = "revolute", .parent = kWorld, .child = "rocker", .X_PF = at(1, 0)});
  b.loop({.name = "c", .type = "revolute", .body_a = "coupler", .body_b = "rocker", .X_AF = at(1, 0), .X_BM = at(1, 0)});
  return b.build();
}

TEST(ConstrainedDynamics, RedundantRowsAreNamedAndShareTheirForce) {
  const Mechanism m = four_bar();
  OwnedVector q = m.neutral();
  q << std::numbers::pi / 2, -std::numbers::pi / 2, std::numbers::pi / 2;  // a square
  ConstrainedDynamics d(m, loop_constraints(m));
  d.set_state(q, Eigen::VectorXd::Zero(3));
  EXPECT_LT(d.violation().norm(), 1e-15);
  EXPECT_EQ(d.rows(), 5);
  EXPECT_EQ(d.rank(), 2);
  const std::vector<int> redundant = d.redundant_rows();
  ASSERT_EQ(redundant.size(), 3u);
  for (int row : redundant) EXPECT_NE(d.row_name(row).find("c: "), std::string::npos);
  const Eigen::VectorXd a = d.accelerations(Eigen::Vector3d(1.0, 0, 0));
  EXPECT_LT((d.A() * a + d.gamma()).norm(), 1e-12);
  for (int row : redundant) EXPECT_NEAR(d.multipliers()[row], 0.0, 1e-12);  // they carry nothing they need not
}

TEST(ConstrainedDynamics, ContradictionsAreNamed) {
  const Mechanism m = four_bar();
  const auto moving = [&](double speed) {
    return velocity_constraint(m, fmt::format("drive {}", speed), 1,
                               [](const VectorRef&) { return OwnedMatrix(Eigen::RowVector3d(1, 0, 0)); },
                               [speed](const VectorRef& q) { return OwnedVector(Eigen::VectorXd::Constant(1, speed * q[0])); });
  };
  ConstrainedDynamics d(m, {moving(1.0), moving(2.0)});
  d.set_state(m.neutral(), Eigen::Vector3d(1, 0, 0));
  EXPECT_EQ(d.rank(), 1);
  const std::string message = message_of([&] { d.accelerations(Eigen::Vector3d::Zero()); });
  EXPECT_NE(message.find("contradict"), std::string::npos) << message;
  EXPECT_NE(message.find("drive"), std::string::npos) << message;
}

TEST(ConstrainedDynamics, DampingAsksForWhatBringsErrorsBack) {
  const ClosedState s = closed_state(3);
  ConstrainedDynamics d(s.m, loop_constraints(s.m), {.damping = 7.0});
  const OwnedVector off = s.m.integrate(s.q, 1e-3 * s.tau);
  d.set_state(off, s.tau);
  const Eigen::VectorXd a = d.accelerations(s.tau);
  const Eigen::VectorXd wanted = -d.gamma() - 14.0 * d.velocity_error() - 49.0 * d.violation();
  EXPECT_LT((d.A() * a - wanted).norm(), 1e-8 * scale(wanted));
}

}  // namespace
}  // namespace amble
