#include "amble/control/holding_motion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "amble/base/test/count_allocations.hpp"
#include "amble/control/test/pushed_robot.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/mechanism/builder.hpp"

namespace amble {
namespace {

using Eigen::VectorXd;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// What every tick needs from now on is missing: no tick has an answer.
void break_target(Standing& s) { s.com->position[1] = kNan; }

TEST(HoldingMotion, a_standing_robot_without_an_answer_stays_as_it_is) {
  Standing s;
  break_target(s);
  const WholeBodyResult& r = s.controller->solve(s.q, s.v);
  ASSERT_EQ(r.status, WholeBodyStatus::failed);
  EXPECT_LT(r.a.cwiseAbs().maxCoeff(), 1e-6) << "the feet carry the weight";
  EXPECT_NEAR(r.forces.reshaped(3, r.forces.size() / 3).row(2).sum(), 9.81 * s.m.mass(), 1e-4);
  EXPECT_EQ(s.controller->report(), "failed: the joints are brought to rest where they are");
}

TEST(HoldingMotion, its_torques_meet_the_equation_of_motion_and_the_cones) {
  Standing s;
  break_target(s);
  Random random(5);
  Workspace work(s.m);
  for (int trial = 0; trial < 20; ++trial) {
    for (double& x : s.v) x = 0.1 * random.normal();
    const WholeBodyResult& r = s.controller->solve(s.q, s.v);
    VectorXd needed = inverse_dynamics(s.m, work, s.q, s.v, r.a) + s.m.damping().cwiseProduct(s.v) - r.tau;
    int at = 0;
    for (const ContactPatch& patch : soles())
      for (const Vector3<double>& p : patch.points) {
        const JacobianOptions there{.point = patch.X_PC * p, .frame = JacobianFrame::aligned};
        const Eigen::MatrixXd J = jacobian(s.m, work, s.q, patch.place, there);
        const Eigen::Vector3d f = r.forces.segment<3>(at);
        needed -= J.topRows(3).transpose() * f;
        EXPECT_LE(std::hypot(f[0], f[1]), patch.friction * f[2] * (1.0 + 1e-12));
        at += 3;
      }
    EXPECT_LT(needed.cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_LT((r.a.tail(s.m.nv() - 6) + s.v.tail(s.m.nv() - 6) / 0.1).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(HoldingMotion, a_moving_robot_comes_to_rest_on_its_feet) {
  PushedStanding s(standing_humanoid());
  const Vector3<double> home = s.robot.com->position;
  s.robot.controller->before_tick = [&](const MotionState& at) {
    s.robot.com->position = home + Vector3<double>(0.0, 0.0, -0.05 * (1.0 - std::cos(3.0 * at.t())));
    s.robot.com->velocity = {0.0, 0.0, -0.15 * std::sin(3.0 * at.t())};
    if (at.t() > 0.5) break_target(s.robot);
  };
  s.simulator->step(0.5);
  ASSERT_GT(s.simulator->v().cwiseAbs().maxCoeff(), 0.1);
  const double height = s.height();
  s.simulator->step(1.5);
  EXPECT_EQ(s.robot.controller->result().status, WholeBodyStatus::failed);
  EXPECT_LT(s.simulator->v().cwiseAbs().maxCoeff(), 0.02);
  EXPECT_NEAR(s.height(), height, 0.02);
}

TEST(HoldingMotion, a_state_that_is_not_finite_fails_and_the_last_valid_one_is_held) {
  Standing s;
  OwnedVector bad = s.v;
  bad[7] = kNan;
  EXPECT_EQ(s.controller->solve(s.q, bad).status, WholeBodyStatus::failed);
  EXPECT_EQ(s.controller->result().tau, VectorXd::Zero(s.m.nv())) << "there was no valid state yet";

  ASSERT_TRUE(s.controller->solve(s.q, s.v).solved());
  const VectorXd standing = s.controller->result().tau;
  const WholeBodyResult& r = s.controller->solve(s.q, bad);
  EXPECT_EQ(r.status, WholeBodyStatus::failed);
  EXPECT_TRUE(r.tau.allFinite() && r.a.allFinite() && r.forces.allFinite());
  EXPECT_LT((r.tau - standing).cwiseAbs().maxCoeff(), 30.0) << "also carries the weight";
  EXPECT_LT(r.a.cwiseAbs().maxCoeff(), 1e-6);

  OwnedVector lost = s.q;
  lost[0] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(s.controller->solve(lost, s.v).status, WholeBodyStatus::failed);
  EXPECT_TRUE(s.controller->solve(s.q, s.v).solved()) << "and the next good state is served";
}

TEST(HoldingMotion, a_contact_released_or_held_since_the_last_valid_state_is_harmless) {
  Standing s;
  OwnedVector bad = s.v;
  bad[7] = kNan;
  s.controller->release(1);
  (void)s.controller->solve(s.q, s.v);
  s.controller->hold(1), s.controller->release(0);
  const WholeBodyResult& r = s.controller->solve(s.q, bad);
  EXPECT_TRUE(r.tau.allFinite() && r.a.allFinite());
  EXPECT_EQ(r.forces.cwiseAbs().maxCoeff(), 0.0);
  EXPECT_LT(std::abs(r.a.head(3).norm()), 2.0 * 9.81) << "it falls";
}

TEST(HoldingMotion, torque_limits_hold_at_any_speed) {
  Standing s;
  break_target(s);
  for (const double speed : {1e2, 1e6, 1e150}) {
    s.v.setConstant(speed);
    const WholeBodyResult& r = s.controller->solve(s.q, s.v);
    for (int j = 0; j < s.m.nv(); ++j)
      ASSERT_LE(std::abs(r.tau[j]), j < 6 ? 0.0 : s.m.effort_limit()[j]) << speed;
  }
}

TEST(HoldingMotion, allocates_nothing) {
  Standing s;
  break_target(s);
  OwnedVector bad = s.v;
  bad[0] = kNan;
  (void)s.controller->solve(s.q, s.v);
  EXPECT_EQ(allocations_of([&] { (void)s.controller->solve(s.q, s.v), (void)s.controller->solve(s.q, bad); }),
            0);
}

}  // namespace
}  // namespace amble
