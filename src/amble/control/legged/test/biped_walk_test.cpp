#include <gtest/gtest.h>

#include <cstdio>

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

TEST(BipedWalk, a_humanoid_walks_ten_steps_and_stops) {
  const LeggedWalk w = walked(humanoid30(), 0.3, 10);
  EXPECT_FALSE(w.fell) << w.reason;
  EXPECT_TRUE(w.stopped);
}

TEST(BipedEvidence, humanoid30_walks_fifty_steps) {
  const LeggedWalk w = walked(humanoid30(), 0.5, 50);
  EXPECT_TRUE(w.stopped) << w.reason;
}

TEST(BipedEvidence, talos_walks_fifty_steps) {
  AMBLE_SAY_IF_WITHOUT_ROBOTS();
  const LeggedWalk w = walked(talos(), 0.5, 50);
  EXPECT_TRUE(w.stopped) << w.reason;
}

TEST(BipedEvidence, icub_walks_fifty_steps) {
  AMBLE_SAY_IF_WITHOUT_ROBOTS();
  const LeggedWalk w = walked(icub(), 0.3, 50);
  EXPECT_TRUE(w.stopped) << w.reason;
}

TEST(BipedEvidence, romeo_walks_fifty_steps) {
  AMBLE_SAY_IF_WITHOUT_ROBOTS();
  const LeggedWalk w = walked(romeo(), 0.2, 50);
  EXPECT_TRUE(w.stopped) << w.reason;
}

}  // namespace
}  // namespace amble
