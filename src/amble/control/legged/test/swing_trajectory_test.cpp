#include "amble/control/legged/swing_trajectory.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace amble {
namespace {

TEST(SwingTrajectory, a_quintic_ends_at_rest_at_its_target) {
  const SwingValue now{0.1, -0.4, 2.0};
  const SwingValue end = quintic_towards(now, 0.5, 0.7, 0.7);
  EXPECT_NEAR(end.value, 0.5, 1e-14);
  EXPECT_NEAR(end.rate, 0.0, 1e-13);
  EXPECT_NEAR(end.acceleration, 0.0, 1e-12);
  const SwingValue here = quintic_towards(now, 0.5, 0.7, 0.0);
  EXPECT_EQ(here.value, now.value);
  EXPECT_EQ(here.rate, now.rate);
  EXPECT_EQ(here.acceleration, now.acceleration);
}

TEST(SwingTrajectory, replanning_on_the_way_to_the_same_target_stays_on_the_quintic) {
  const SwingValue start{0.0, 0.3, -1.0};
  SwingValue on = start;
  for (int i = 0; i < 300; ++i) on = quintic_towards(on, 0.4, 0.5 - 1e-3 * i, 1e-3);
  const SwingValue at = quintic_towards(start, 0.4, 0.5, 0.3);
  EXPECT_NEAR(on.value, at.value, 1e-12);
  EXPECT_NEAR(on.rate, at.rate, 1e-11);
  EXPECT_NEAR(on.acceleration, at.acceleration, 1e-9);
}

TEST(SwingTrajectory, derivatives_are_those_of_the_values) {
  const double h = 1e-4;
  for (const auto f : {swing_arch, smooth_step})
    for (double s = 0.05; s < 1.0; s += 0.1) {
      EXPECT_NEAR(f(s).rate, (f(s + h).value - f(s - h).value) / (2.0 * h), 1e-5);
      EXPECT_NEAR(f(s).acceleration, (f(s + h).rate - f(s - h).rate) / (2.0 * h), 1e-4);
    }
  EXPECT_DOUBLE_EQ(swing_arch(0.5).value, 1.0);
  EXPECT_DOUBLE_EQ(smooth_step(1.0).value, 1.0);
}

TEST(SwingTrajectory, the_foot_is_over_its_place_in_time_and_goes_on_down_when_late) {
  SwingMotion swing;
  const double dt = 1e-3, T = 0.5;
  for (int i = 1; i <= 500; ++i) swing.advance({0.3, -0.1}, i * dt, dt, T, 0.02, 0.05);
  EXPECT_NEAR(swing.x.value, 0.3, 1e-6);
  EXPECT_NEAR(swing.y.value, -0.1, 1e-6);
  for (int i = 501; i <= 600; ++i) swing.advance({0.3, -0.1}, i * dt, dt, T, 0.02, 0.05);
  EXPECT_EQ(swing.phase, 1.0);
  EXPECT_NEAR(swing.height(0.05, 0.05).value, -0.005, 1e-4);
  EXPECT_EQ(swing.height(0.05, 0.05).rate, -0.05);
}

TEST(SwingTrajectory, the_height_is_smooth_when_the_duration_changes) {
  SwingMotion swing;
  const double dt = 1e-3;
  SwingValue before = swing.height(0.05, 0.05);
  for (int i = 1; i < 450; ++i) {
    const double T = i < 200 ? 0.6 : 0.5;
    swing.advance({0.3, 0.0}, i * dt, dt, T, 0.02, 0.05);
    const SwingValue now = swing.height(0.05, 0.05);
    EXPECT_NEAR(now.value - before.value, 0.5 * dt * (now.rate + before.rate), 5e-5) << i;
    before = now;
  }
}

}  // namespace
}  // namespace amble
