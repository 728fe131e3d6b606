#include "amble/dynamics/coordinates/gauss.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/test/random_state.hpp"

namespace amble {
namespace {

struct Loaded {
  RandomState s;
  Eigen::VectorXd tau;
  std::vector<ExternalWrench> external;
};

Loaded loaded(std::uint64_t seed) {
  Loaded x{any_state(seed), {}, {}};
  Random random(seed + 5);
  x.tau = Eigen::VectorXd::NullaryExpr(x.s.m.nv(), [&](Eigen::Index) { return random.uniform(-3, 3); });
  const int last = static_cast<int>(x.s.m.bodies().size()) - 1;
  for (int body : {0, last})
    x.external.push_back({body, Wrench<double>({random.normal(), random.normal(), 1.0}, {0.2, random.normal(), 0.1})});
  return x;
}

double scale(const Eigen::VectorXd& x) { return 1.0 + x.norm(); }

TEST(Gauss, TheMinimumOfTheDeviationIsTheMotion) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Loaded x = loaded(seed);
    Workspace work(x.s.m);
    const Eigen::VectorXd a = forward_dynamics(x.s.m, work, x.s.q, x.s.v, x.tau, x.external);
    const GaussMinimum found = gauss_minimum(x.s.m, work, x.s.q, x.s.v, x.tau, x.external);
    const Eigen::MatrixXd M = mass_matrix(x.s.m, work, x.s.q);
    EXPECT_LT((M * (found.a - a)).norm(), 1e-10 * (1.0 + (M * a).norm())) << "seed " << seed;
  }
}

TEST(Gauss, TheDeviationGrowsInEveryDirectionFromTheMotionAsTheMassMatrixSays) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Loaded x = loaded(seed);
    Workspace work(x.s.m);
    const Eigen::VectorXd a = forward_dynamics(x.s.m, work, x.s.q, x.s.v, x.tau, x.external);
    const auto D = [&](const Eigen::VectorXd& at) {
      return gauss_deviation(x.s.m, work, x.s.q, x.s.v, at, x.tau, x.external);
    };
    const Eigen::MatrixXd M = mass_matrix(x.s.m, work, x.s.q);
    const double least = D(a);
    EXPECT_GE(least, 0.0);
    Random random(seed);
    for (int i = 0; i < 5; ++i) {
      const Eigen::VectorXd d = Eigen::VectorXd::NullaryExpr(x.s.m.nv(), [&](Eigen::Index) { return random.normal(); });
      const double rise = 0.5 * d.dot(M * d);
      EXPECT_NEAR(D(a + d) - least, rise, 1e-10 * (1.0 + least + rise)) << "seed " << seed;
    }
  }
}

TEST(Gauss, TheDeviationIsTheQuadraticThatItIsReadAs) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Loaded x = loaded(seed);
    Workspace work(x.s.m);
    const GaussQuadratic D = gauss_quadratic(x.s.m, work, x.s.q, x.s.v, x.tau, x.external);
    const Eigen::MatrixXd M = mass_matrix(x.s.m, work, x.s.q);
    EXPECT_LT((D.hessian - M).norm(), 1e-11 * (1.0 + M.norm())) << "seed " << seed;
    const double direct = gauss_deviation(x.s.m, work, x.s.q, x.s.v, x.s.a, x.tau, x.external);
    const double read = 0.5 * x.s.a.dot(D.hessian * x.s.a) + D.gradient.dot(x.s.a) + D.constant;
    EXPECT_NEAR(direct, read, 1e-10 * (1.0 + std::abs(direct) + D.constant)) << "seed " << seed;
  }
}

/// A held point: the multiplier is the force that a wrench from outside would have to bring.
TEST(Gauss, UnderAConditionTheMinimumIsTheMotionWithTheForceThatHoldsIt) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Loaded x = loaded(seed);
    if (x.s.m.nv() < 4) continue;
    Workspace work(x.s.m);
    Random random(seed);
    Eigen::MatrixXd A = Eigen::MatrixXd::NullaryExpr(3, x.s.m.nv(), [&](Eigen::Index, Eigen::Index) { return random.normal(); });
    A.row(2) = A.row(0) + A.row(1);  // redundant, and consistent
    Eigen::VectorXd b(3);
    b << 0.3, -0.7, -0.4;
    const GaussMinimum held = gauss_minimum(x.s.m, work, x.s.q, x.s.v, x.tau, x.external, {OwnedMatrix(A), OwnedVector(b)});
    EXPECT_LT((A * held.a - b).norm(), 1e-9 * scale(held.a)) << "seed " << seed;
    const Eigen::VectorXd pushed = x.tau + A.transpose() * held.lambda;
    const Eigen::VectorXd a = forward_dynamics(x.s.m, work, x.s.q, x.s.v, pushed, x.external);
    const Eigen::MatrixXd M = mass_matrix(x.s.m, work, x.s.q);
    EXPECT_LT((M * (held.a - a)).norm(), 1e-9 * (1.0 + (M * a).norm() + pushed.norm())) << "seed " << seed;
  }
}

TEST(Gauss, AFreePointMassDoesNotDeviate) {
  Builder b("ball");
  b.body({.name = "ball", .inertia = Inertia<double>::from_com(2.0, {0.1, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "free", .type = "free", .parent = kWorld, .child = "ball"});
  const Mechanism m = b.build();
  Workspace work(m);
  const RandomState s = in_motion(m, m.random(1), 1);
  const Eigen::VectorXd tau = Eigen::VectorXd::LinSpaced(6, -1, 1);
  const Eigen::VectorXd a = forward_dynamics(m, work, s.q, s.v, tau);
  EXPECT_NEAR(gauss_deviation(m, work, s.q, s.v, a, tau), 0.0, 1e-20);
}

TEST(Gauss, AMechanismThatCannotMoveHasNothingToMinimise) {
  Builder b("rock");
  b.body({.name = "rock", .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "weld", .type = "fixed", .parent = kWorld, .child = "rock"});
  const Mechanism m = b.build();
  Workspace work(m);
  const Eigen::VectorXd none;
  EXPECT_EQ(gauss_minimum(m, work, none, none, none).a.size(), 0);
  EXPECT_EQ(gauss_deviation(m, work, none, none, none, none), 0.0);
}

TEST(Gauss, AForceOnSomethingWithoutMassIsNamed) {
  Builder b("massless");
  b.body({.name = "ghost", .inertia = Inertia<double>()});
  b.joint({.name = "hinge", .type = "revolute", .parent = kWorld, .child = "ghost"});
  const Mechanism m = b.build();
  Workspace work(m);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(1), one = Eigen::VectorXd::Ones(1);
  EXPECT_NE(message_of([&] { gauss_minimum(m, work, zero, zero, one); }).find("hinge"), std::string::npos);
}

TEST(Gauss, ConditionsThatCannotHoldAreRefused) {
  const RandomState s = random_state(12);
  Workspace work(s.m);
  const int n = s.m.nv();
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(n);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2, n);
  A(0, 0) = A(1, 0) = 1.0;
  const AccelerationConstraint torn{OwnedMatrix(A), OwnedVector(Eigen::Vector2d(1.0, 2.0))};
  EXPECT_NE(message_of([&] { gauss_minimum(s.m, work, s.q, s.v, zero, {}, torn); }).find("fulfils"), std::string::npos);
  const AccelerationConstraint narrow{OwnedMatrix(Eigen::MatrixXd::Zero(1, n + 1)), OwnedVector(1)};
  EXPECT_NE(message_of([&] { gauss_minimum(s.m, work, s.q, s.v, zero, {}, narrow); }).find("A of 1 x"), std::string::npos);
}

}  // namespace
}  // namespace amble
