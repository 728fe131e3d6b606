#include <gtest/gtest.h>

#include <algorithm>

#include "amble/control/test/pushed_robot.hpp"
#include "amble/mechanism/edit.hpp"

namespace amble {
namespace {

TEST(StandingInSimulation, the_humanoid_squats_and_sways_without_slipping) {
  PushedStanding s(standing_humanoid());
  const Vector3<double> home = s.robot.com->position;
  s.robot.posture->weight = 1e-5;
  Workspace work(s.plant);
  const Pose foot = pose(s.plant, work, s.simulator->q(), "left_foot");
  int solved = 0, ticks = 0;
  double worst = 0.0;
  s.robot.controller->before_tick = [&](const MotionState& at) {
    const double t = at.t(), w = 3.0;
    s.robot.com->position = home + Vector3<double>(0.0, 0.03 * std::sin(w * t), -0.05 * (1.0 - std::cos(w * t)));
    s.robot.com->velocity = {0.0, 0.03 * w * std::cos(w * t), -0.05 * w * std::sin(w * t)};
    s.robot.com->acceleration = {0.0, -0.03 * w * w * std::sin(w * t), -0.05 * w * w * std::cos(w * t)};
  };
  s.robot.controller->after_tick = [&](const MotionState& at, const WholeBodyResult& r) {
    ++ticks, solved += r.solved();
    if (at.t() > 1.0) worst = std::max(worst, s.robot.com->error());
  };
  s.simulator->step(3.0);
  EXPECT_EQ(solved, ticks);
  EXPECT_LT(worst, 2e-3);
  const Pose later = pose(s.plant, work, s.simulator->q(), "left_foot");
  EXPECT_LT((later.translation() - foot.translation()).norm(), 1e-4);
}

TEST(StandingInSimulation, pushes_and_a_load_that_it_does_not_know_of_are_borne) {
  const Mechanism model = standing_humanoid();
  const Mechanism loaded = with_payload(
      model, "torso", Inertia<double>::from_com(3.0, {0.0, 0.05, 0.1}, 0.05 * Matrix3<double>::Identity()));
  PushedStanding s(loaded, 6.0);
  const double height = s.height();
  s.simulator->step(4.0);
  EXPECT_NEAR(s.height(), height, 0.03);
  EXPECT_LT(s.simulator->v().cwiseAbs().maxCoeff(), 1.0);
}

}  // namespace
}  // namespace amble
