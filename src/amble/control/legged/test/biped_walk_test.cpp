#include <gtest/gtest.h>

#include <cstdio>

#include "amble/base/error.hpp"
#include "amble/control/legged/biped_controller.hpp"
#include "amble/control/legged/legged_walk.hpp"
#include "amble/control/legged/test/hand_made_robots.hpp"

namespace amble {
namespace {

LeggedWalk walked(const LeggedRobot& robot, double speed, int steps, LeggedWalkSettings s = {}) {
  s.command.velocity.x() = speed, s.steps = steps;
  const LeggedWalk w = walk_legged(robot, s);
  double integrator = 0.0;
  for (const LedgerEntry& e : w.ledger.entries)
    if (e.name == "integrator") integrator = e.delivered;
  std::printf(
      "%s %g m/s: %s%zu steps, %.3f s, speed %.4f side %.4f turn %.4f Fr %.4f, slip %.4f mm, friction %.2f, "
      "torque %.2f %s, "
      "speed %.2f %s, margin %.3f %s, cost %.3f (%.3f positive), degraded %ld failed %ld, residual %.2g of "
      "%.4g J, integrator %.3g J%s%s\n",
      robot.mechanism.name().c_str(), speed, w.fell ? "FELL " : "", w.steps.size(), w.duration, w.speed,
      w.side_speed, w.turn, w.froude, 1e3 * w.slip, w.friction_use, w.torque.share, w.torque.joint.c_str(),
      w.joint_speed.share, w.joint_speed.joint.c_str(), w.range_margin, w.range_joint.c_str(),
      w.cost_of_transport, w.positive_cost, w.degraded, w.failed, w.ledger.residual(), w.ledger.exchanged,
      integrator, w.fell ? ": " : "", w.reason.c_str());
  return w;
}

TEST(BipedWalk, a_humanoid_walks_and_stops_within_its_limits_and_without_slip) {
  const LeggedWalk w = walked(humanoid30(), 0.3, 10);
  EXPECT_TRUE(w.stopped) << w.reason;
  EXPECT_GE(w.steps.size(), 10u);
  EXPECT_LT(w.slip, 1e-4);
  EXPECT_LT(w.torque.share, 1.0);
  EXPECT_LT(w.joint_speed.share, 1.0);
  EXPECT_GT(w.range_margin, 0.0);
  EXPECT_EQ(w.degraded + w.failed, 0);
  EXPECT_LT(std::abs(w.ledger.residual()), 1e-9 * w.ledger.exchanged);
  for (const LeggedStep& step : w.steps) EXPECT_FALSE(step.late);
}

TEST(BipedWalk, it_turns_on_the_spot) {
  LeggedWalkSettings s;
  s.command.turn = 0.4;
  const LeggedWalk w = walked(humanoid30(), 0.0, 16, s);
  EXPECT_TRUE(w.stopped) << w.reason;
  EXPECT_NEAR(w.turn, 0.4, 0.02);
  EXPECT_LT(w.way, 0.05);
}

TEST(BipedWalk, a_push_moves_the_next_steps) {
  LeggedWalkSettings s;
  s.pushes.push_back({.body = "chest", .force = {0.0, 100.0, 0.0}, .start = 4.0});  // 10 N s
  const LeggedWalk calm = walked(humanoid30(), 0.2, 12), pushed = walked(humanoid30(), 0.2, 12, s);
  EXPECT_TRUE(pushed.stopped) << pushed.reason;
  double moved = 0.0, undisturbed = 0.0;
  for (const LeggedStep& step : pushed.steps) moved = std::max(moved, step.moved);
  for (const LeggedStep& step : calm.steps) undisturbed = std::max(undisturbed, step.moved);
  EXPECT_GT(moved, undisturbed + 0.01);
}

TEST(BipedWalk, a_speed_beyond_its_limits_is_walked_at_less_and_the_limit_named) {
  LeggedWalkSettings s;
  s.attempts = 20, s.slower = 0.8;
  const LeggedWalk w = walked(humanoid30(), 1.5, 20, s);
  EXPECT_TRUE(w.stopped) << w.reason;
  ASSERT_FALSE(w.limits.empty());
  EXPECT_NE(w.limits.front().find("1.5 m/s: "), std::string::npos) << w.limits.front();
  EXPECT_NE(w.limits.front().find("is reached"), std::string::npos) << w.limits.front();
  EXPECT_LT(w.command.velocity.x(), 1.5);
}

TEST(BipedWalk, robots_that_no_gait_takes_are_refused) {
  LeggedRobot robot = humanoid30();
  robot.legs[0].foot.shape = Foot::Shape::point;
  EXPECT_THROW(BipedController{robot}, Error);
  robot = humanoid30(), robot.legs.pop_back();
  EXPECT_THROW(BipedController{robot}, Error);
  BipedGait gait;
  gait.double_support = 0.0;
  EXPECT_THROW(BipedController(humanoid30(), gait), Error);
}

TEST(BipedEvidence, humanoid30_walks_fifty_steps) {
  const LeggedWalk w = walked(humanoid30(), 0.5, 50);
  EXPECT_TRUE(w.stopped) << w.reason;
  EXPECT_TRUE(w.limits.empty() && w.slip < 2e-3);
}

TEST(BipedEvidence, talos_walks_fifty_steps) {
  AMBLE_SAY_IF_WITHOUT_ROBOTS();
  const LeggedWalk w = walked(talos(), 0.5, 50);
  EXPECT_TRUE(w.stopped) << w.reason;
  EXPECT_TRUE(w.limits.empty() && w.slip < 2e-3);
}

TEST(BipedEvidence, icub_walks_fifty_steps) {
  AMBLE_SAY_IF_WITHOUT_ROBOTS();
  const LeggedWalk w = walked(icub(), 0.3, 50);
  EXPECT_TRUE(w.stopped) << w.reason;
  EXPECT_TRUE(w.limits.empty() && w.slip < 2e-3);
}

TEST(BipedEvidence, romeo_walks_fifty_steps) {
  AMBLE_SAY_IF_WITHOUT_ROBOTS();
  const LeggedWalk w = walked(romeo(), 0.2, 50);
  EXPECT_TRUE(w.stopped) << w.reason;
}

}  // namespace
}  // namespace amble
