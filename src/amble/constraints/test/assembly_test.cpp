#include "amble/constraints/assembly.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "amble/base/test/message_of.hpp"
#include "amble/constraints/test/constrained_state.hpp"

namespace amble {
namespace {

TEST(Assembly, RandomLoopsCloseFromGuessesNearby) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const RandomMechanism r = random_mechanism(seed, {.bodies = 8, .loops = 1 + static_cast<int>(seed % 2)});
    Random random(seed);
    Eigen::VectorXd step(r.mechanism.nv());
    for (double& x : step) x = random.uniform(-0.2, 0.2);
    const OwnedVector guess = r.mechanism.integrate(r.q, step);
    const Assembly found = assemble(r.mechanism, guess);
    EXPECT_LE(found.residual, 1e-11) << "seed " << seed;
    EXPECT_EQ(found.mobility, r.mechanism.nv() - found.rank);
    EXPECT_EQ(found.counted_mobility, r.mechanism.counted_mobility());
    ConstrainedDynamics d(r.mechanism, loop_constraints(r.mechanism));
    d.set_state(found.q, Eigen::VectorXd::Zero(r.mechanism.nv()));
    EXPECT_LE(d.violation().cwiseAbs().maxCoeff(), 1e-11) << "seed " << seed;
  }
}

Mechanism four_bar(double coupler) {
  Builder b("four bar");
  const auto bar = Inertia<double>::from_com(1.0, {0.5, 0, 0}, Vector3<double>(0.01, 0.1, 0.1).asDiagonal());
  for (const char* name : {"crank", "coupler", "rocker"}) b.body({.name = name, .inertia = bar});
  const auto at = [](double x) { return Pose(SO3<double>(), {x, 0, 0}); };
  b.joint({.name = "a", .type = "revolute", .parent = kWorld, .child = "crank"});
  b.joint({.name = "b", .type = "revolute", .parent = "crank", .child = "coupler", .X_PF = at(0.4)});
  b.joint({.name = "d", .type = "revolute", .parent = kWorld, .child = "rocker", .X_PF = at(1.0)});
  b.loop({.name = "c", .type = "revolute", .body_a = "coupler", .body_b = "rocker", .X_AF = at(coupler), .X_BM = at(0.8)});
  return b.build();
}

/// Freudenstein's equation gives the rocker of a four-bar for every angle of its crank.
TEST(Assembly, AFourBarIsWhereFreudensteinSays) {
  const double r1 = 1.0, r2 = 0.4, r3 = 0.9, r4 = 0.8;
  const Mechanism m = four_bar(r3);
  for (double crank = 0.1; crank < 6.2; crank += 0.5) {
    OwnedVector guess = m.neutral();
    guess << crank, 0.5 - crank, 1.5;
    const Assembly found = assemble(m, guess, {.held = {"a"}});
    EXPECT_EQ(found.q[0], crank);
    const double k1 = r1 / r2, k2 = r1 / r4, k3 = (r1 * r1 + r2 * r2 + r4 * r4 - r3 * r3) / (2 * r2 * r4);
    const double rocker = found.q[2];
    EXPECT_NEAR(k1 * std::cos(rocker) - k2 * std::cos(crank) + k3, std::cos(crank - rocker), 1e-10) << crank;
    EXPECT_EQ(found.rank, 2);
    EXPECT_EQ(found.mobility, 1);          // it moves,
    EXPECT_EQ(found.counted_mobility, -2);  // though counting says it cannot
    EXPECT_EQ(found.redundant.size(), 3u);
  }
}

TEST(Assembly, WhatCannotCloseIsRefusedWithTheSmallestResidual) {
  const Mechanism m = four_bar(5.0);  // a coupler longer than the rest together
  const std::string message = message_of([&] { assemble(m, m.neutral()); });
  EXPECT_NE(message.find("cannot be assembled"), std::string::npos) << message;
  // at best the coupler overshoots by 5 - (0.4 + 1 + 0.8) = 2.8 m, in one or two rows
  EXPECT_NE(message.find("smallest residual is 2.8"), std::string::npos) << message;
}

/// A wheel pulled behind a free frame: the hinge of the frame closes the loop, the wheel comes down onto the ground.
TEST(Assembly, LoopsCloseAndWheelsComeDownTogether) {
  constexpr double kRadius = 0.3, kHeight = 0.5, kArm = 1.0;
  Builder b("trailer");
  const auto part = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity());
  for (const char* name : {"arm", "wheel"}) b.body({.name = name, .inertia = part});
  b.joint({.name = "free", .type = "free", .parent = kWorld, .child = "arm"});
  const Pose behind(SO3<double>(), {-kArm, 0, 0}), hook(SO3<double>(), {0, 0, kHeight});
  b.joint({.name = "axle", .type = "revolute", .parent = "arm", .child = "wheel", .X_PF = behind, .axis = {0, 1, 0}});
  b.loop({.name = "hitch", .type = "revolute", .body_a = kWorld, .body_b = "arm", .X_AF = hook, .axis = {0, 1, 0}});
  b.rolling({.name = "wheel", .body = "wheel", .radius = kRadius, .axis = {0, 1, 0}});
  const Mechanism m = b.build();
  const Assembly found = assemble(m, m.neutral());
  ConstraintKinematics at(m);
  at.set_state(found.q, Eigen::VectorXd::Zero(m.nv()));
  const Vector3<double> axle = at.frame(link_frame(m, "wheel")).p;
  EXPECT_NEAR(axle[2], kRadius, 1e-10);
  EXPECT_NEAR(axle[0], -std::sqrt(kArm * kArm - (kHeight - kRadius) * (kHeight - kRadius)), 1e-10);
  EXPECT_EQ(found.counted_mobility, m.nv() - 5 - 3);
}

TEST(Assembly, PartsThatMeetTheWrongWayRoundAreTurned) {
  Builder b("plate on a hinge");
  b.body({.name = "plate", .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "free", .type = "free", .parent = kWorld, .child = "plate"});
  const Mechanism m = b.build();
  const ConstraintPtr hinge = pair_constraint(m, "hinge", "revolute", {}, {1, Pose()});
  OwnedVector upside_down = m.neutral();
  upside_down[3] = 1.0, upside_down[6] = 0.0;  // half a turn about x: z points down, all rows vanish
  const Assembly found = assemble(m, {hinge}, upside_down);
  ConstraintKinematics at(m);
  at.set_state(found.q, Eigen::VectorXd::Zero(6));
  EXPECT_GT(at.frame({1, Pose()}).R(2, 2), 0.99);
  EXPECT_GT(found.attempts, 1);
}

}  // namespace
}  // namespace amble
