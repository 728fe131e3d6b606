#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "amble/control/legged/find_legged_robot.hpp"
#include "amble/control/legged/legged_walk.hpp"
#include "amble/control/legged/test/hand_made_robots.hpp"

namespace amble {
namespace {

LeggedWalk walked(const LeggedRobot& robot, const std::string& gait, double speed, int steps,
                  LeggedWalkSettings s = {}) {
  s.command.velocity.x() = speed, s.steps = steps, s.quadruped.name = gait;
  const LeggedWalk w = walk_legged(robot, s);
  std::printf(
      "%s %s %g m/s: %s%zu steps, %.3f s, speed %.4f side %.4f turn %.4f Fr %.4f, slip %.4f mm, friction "
      "%.2f, torque %.2f %s, "
      "speed %.2f %s, margin %.3f %s, cost %.3f (%.3f positive), degraded %ld failed %ld, residual %.2g of "
      "%.4g J%s%s\n",
      robot.mechanism.name().c_str(), gait.c_str(), speed, w.fell ? "FELL " : "", w.steps.size(), w.duration,
      w.speed, w.side_speed, w.turn, w.froude, 1e3 * w.slip, w.friction_use, w.torque.share,
      w.torque.joint.c_str(), w.joint_speed.share, w.joint_speed.joint.c_str(), w.range_margin,
      w.range_joint.c_str(), w.cost_of_transport, w.positive_cost, w.degraded, w.failed, w.ledger.residual(),
      w.ledger.exchanged, w.fell ? ": " : "", w.reason.c_str());
  return w;
}

class QuadrupedEvidence : public testing::TestWithParam<const char*> {};

TEST_P(QuadrupedEvidence, anymal_walks_a_hundred_steps) {
  AMBLE_SAY_IF_WITHOUT_ROBOTS();
  const LeggedWalk w = walked(anymal(), GetParam(), 0.3, 100);
  EXPECT_TRUE(w.stopped) << w.reason;
}

TEST(QuadrupedWalk, our_quadruped_trots_and_stops) {
  const LeggedRobot robot =
      legged_robot(load(source_dir() + "/models/quadruped.urdf", {.base = Base::floating}));
  const LeggedWalk w = walked(robot, "trot", 0.3, 24);
  EXPECT_TRUE(w.stopped) << w.reason;
  EXPECT_LT(w.slip, 2e-3);
  EXPECT_EQ(w.failed, 0);
  EXPECT_LT(std::abs(w.ledger.residual()), 1e-9 * w.ledger.exchanged);
}

TEST_P(QuadrupedEvidence, solo12_walks_a_hundred_steps) {
  AMBLE_SAY_IF_WITHOUT_ROBOTS();
  const LeggedWalk w = walked(solo12(), GetParam(), 0.2, 100);
  EXPECT_TRUE(w.stopped) << w.reason;
}

INSTANTIATE_TEST_SUITE_P(Gaits, QuadrupedEvidence, testing::Values("trot", "walk", "flying_trot"));

}  // namespace
}  // namespace amble
