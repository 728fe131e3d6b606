#include "amble/constraints/constraint.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/constraints/test/constrained_state.hpp"
#include "amble/dynamics/kinematics.hpp"

namespace amble {
namespace {

TEST(Constraint, FramesMoveAsTheirPosesSay) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const PairState x = pair_state(seed);
    ConstraintKinematics at(x.s.m), moved(x.s.m);
    at.set_state(x.s.q, x.s.v);
    const FrameMotion f = at.frame(x.b);
    const auto pose_at = [&](double t) {
      moved.set_state(x.s.m.integrate(x.s.q, t * x.s.v), x.s.v);
      return moved.frame(x.b);
    };
    const Vector3<double> p_dot = slope_at_zero([&](double t) { return pose_at(t).p; });
    const Matrix3<double> R_dot = slope_at_zero([&](double t) { return pose_at(t).R; });
    EXPECT_LT((p_dot - f.p_dot).norm(), 1e-9 * (1.0 + p_dot.norm())) << "seed " << seed;
    EXPECT_LT((R_dot - skew<double>(f.omega) * f.R).norm(), 1e-9 * (1.0 + R_dot.norm())) << "seed " << seed;
  }
}

TEST(Constraint, EveryPairHasTheDerivativesItClaimsAnywhere) {
  for (const std::string& type : kPairTypes)
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const PairState x = pair_state(seed);
      SCOPED_TRACE(testing::Message() << type << ", seed " << seed);
      expect_derivatives(x.s.m, pair_constraint(x.s.m, type, type, x.a, x.b, pair_parameters()), x.s.q, x.s.v);
    }
}

TEST(Constraint, DistancesHaveTheDerivativesTheyClaim) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const PairState x = pair_state(seed);
    expect_derivatives(x.s.m, distance_constraint(x.s.m, "rod", x.a, x.b, 0.7), x.s.q, x.s.v);
  }
}

/// Where a joint of that type leaves it, the violation is zero and the joint's own motion is allowed.
TEST(Constraint, APairAllowsExactlyTheMotionOfItsJoint) {
  for (const char* type : {"revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "spherical"})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Builder b("joint");
      Random random(seed);
      b.body({.name = "body", .inertia = random_inertia(random)});
      JointDescription j{.name = "joint", .type = type, .parent = kWorld, .child = "body", .X_PF = random_pose(random)};
      j.axis = {0, 0, 1}, j.axis2 = {0.8, 0, 0.6}, j.pitch = 0.3;
      b.joint(j);
      const Mechanism m = b.build();
      const Link& link = m.links()[1];
      const ConstraintPtr c = pair_constraint(m, "same", type, {0, link.X_PN}, {1, Pose()}, link.parameters);
      EXPECT_EQ(c->rows(), 6 - m.nv());
      const Rows at = rows_of(m, c, m.random(seed), Eigen::VectorXd::Ones(m.nv()));
      EXPECT_LT(at.violation.norm(), 1e-14) << type;
      EXPECT_LT(at.A.norm(), 1e-14) << type;
      EXPECT_LT(at.bias.norm(), 1e-13) << type;
    }
}

/// Against a free body, the rows of a pair are independent: it takes as many freedoms as it has rows.
TEST(Constraint, APairTakesAsManyFreedomsAsItHasRows) {
  Builder b("free");
  Random random(4);
  b.body({.name = "body", .inertia = random_inertia(random)});
  b.joint({.name = "joint", .type = "free", .parent = kWorld, .child = "body"});
  const Mechanism m = b.build();
  for (const std::string& type : kPairTypes) {
    ConstrainedDynamics d(m, {pair_constraint(m, type, type, {0, Pose()}, {1, Pose()}, pair_parameters())});
    d.set_state(m.neutral(), Eigen::VectorXd::Zero(6));
    EXPECT_EQ(d.rank(), d.rows()) << type;
    EXPECT_TRUE(d.redundant_rows().empty());
  }
}

TEST(Constraint, CouplingsAndFunctionsOfTheUserHaveTheirDerivatives) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const RandomState s = random_state(seed, {.bodies = 5, .types = {"revolute", "prismatic", "spherical"}, .mimic = 0.4});
    std::map<std::string, double> gears;
    for (const Joint& joint : s.m.joints())
      if (joint.v.size == 1) gears[joint.name] = 1.0 + gears.size();
    if (gears.empty()) continue;
    expect_derivatives(s.m, coupling_constraint(s.m, "gears", gears, 0.3), s.q, s.v);
    const std::string tip = s.m.bodies().back().name;
    const auto height = [&](const VectorRef& q) -> OwnedVector {
      Workspace work(s.m);
      const Vector3<double> p = pose(s.m, work, q, tip).translation();
      return OwnedVector(Eigen::Vector2d(p[2] - 0.2 * p[0] * p[0], p[1]));
    };
    expect_derivatives(s.m, configuration_constraint(s.m, "height", 2, height), s.q, s.v, 1e-7);
    const auto lateral = [&](const VectorRef& q) -> OwnedMatrix {
      Workspace work(s.m);
      return OwnedMatrix(jacobian(s.m, work, q, tip).row(1));
    };
    expect_derivatives(s.m, velocity_constraint(s.m, "skate", 1, lateral), s.q, s.v);
  }
}

TEST(Constraint, RollingAndGlidingHaveTheRatesTheyClaim) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const PairState x = pair_state(seed);
    const Mechanism& m = x.s.m;
    expect_derivatives(m, knife_edge_constraint(m, "blade", x.a, x.b), x.s.q, x.s.v);
    expect_derivatives(m, rolling_ball_constraint(m, "ball", x.a, x.b, 0.3), x.s.q, x.s.v);
    expect_derivatives(m, rolling_disc_constraint(m, "disc", x.a, x.b, 0.4), x.s.q, x.s.v);
  }
}

/// A ball of radius r that rolls with w moves at r w x (up).
TEST(Constraint, ARollingBallMovesAtRadiusTimesItsTurn) {
  Builder b("ball");
  b.body({.name = "ball", .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, 0.1 * Matrix3<double>::Identity())});
  b.joint({.name = "free", .type = "free", .parent = kWorld, .child = "ball"});
  const Mechanism m = b.build();
  OwnedVector q = m.neutral();
  q[2] = 0.5;
  ConstrainedDynamics d(m, {rolling_ball_constraint(m, "ground", {}, {1, Pose()}, 0.5)});
  Eigen::VectorXd v(6);
  v << 0, 0, 0, 1, 2, 0.3;
  v[0] = 0.5 * 2, v[1] = -0.5 * 1;  // r w x up
  d.set_state(q, v);
  EXPECT_LT(d.velocity_error().norm(), 1e-15);
  EXPECT_LT(d.violation().norm(), 1e-15);
  EXPECT_EQ(d.row_name(2), "ground: normal force (N)");
  const Eigen::VectorXd a = d.accelerations(Eigen::VectorXd::Zero(6));
  EXPECT_LT(a.tail<3>().norm(), 1e-13);                // rolls on steadily
  EXPECT_NEAR(d.multipliers()[2], 9.81, 1e-12);        // the ground carries its weight
}

TEST(Constraint, BadInputIsNamed) {
  const PairState x = pair_state(1);
  const Mechanism& m = x.s.m;
  EXPECT_NE(message_of([&] { pair_constraint(m, "c", "hinge", x.a, x.b); }).find("'hinge'"), std::string::npos);
  EXPECT_NE(message_of([&] { pair_constraint(m, "c", "revolute", x.b, x.b); }).find("one rigid part"), std::string::npos);
  EXPECT_NE(message_of([&] { pair_constraint(m, "c", "revolute", {99, Pose()}, x.b); }).find("99"), std::string::npos);
  EXPECT_NE(message_of([&] { pair_constraint(m, "c", "helical", x.a, x.b); }).find("pitch"), std::string::npos);
  EXPECT_NE(message_of([&] { distance_constraint(m, "c", x.a, x.b, -1.0); }).find("-1"), std::string::npos);
  EXPECT_NE(message_of([&] { link_frame(m, "nowhere"); }).find("nowhere"), std::string::npos);
  EXPECT_NE(message_of([&] { loop_constraint(m, 0); }).find("no loop 0"), std::string::npos);
  EXPECT_NE(message_of([&] { rolling_ball_constraint(m, "c", x.a, x.b, 0.0); }).find("radius"), std::string::npos);
  EXPECT_NE(message_of([&] { coupling_constraint(m, "c", {}); }).find("no joints"), std::string::npos);
  EXPECT_NE(message_of([&] { velocity_constraint(m, "c", 0, {}); }).find("0 rows"), std::string::npos);
  EXPECT_NE(message_of([&] { ConstrainedDynamics(m, {}); }).find("no constraints"), std::string::npos);
}

}  // namespace
}  // namespace amble
