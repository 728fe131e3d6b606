#include "amble/ports/muscle.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace amble {
namespace {

const MuscleCurves kMuscle{.length_range = {0.2, 0.5}, .peak = 100.0};

TEST(Muscle, CurvesMeetAtTheirCornersAndHaveTheirNamedValues) {
  EXPECT_EQ(muscle_active_length(kMuscle, 0.5), 0.0);
  EXPECT_EQ(muscle_active_length(kMuscle, 1.6), 0.0);
  EXPECT_EQ(muscle_active_length(kMuscle, 1.0), 1.0);
  EXPECT_EQ(muscle_active_length(kMuscle, 2.0), 0.0);
  EXPECT_NEAR(muscle_active_length(kMuscle, 0.75), 0.5, 1e-15);
  EXPECT_NEAR(muscle_active_length(kMuscle, 1.3), 0.5, 1e-15);
  EXPECT_EQ(muscle_velocity(kMuscle, -1.0), 0.0);
  EXPECT_EQ(muscle_velocity(kMuscle, 0.0), 1.0);
  EXPECT_EQ(muscle_velocity(kMuscle, 5.0), 1.2);
  EXPECT_EQ(muscle_passive(kMuscle, 1.0), 0.0);
  EXPECT_NEAR(muscle_passive(kMuscle, 1.6), 1.3 * 1.5, 1e-14);
}

TEST(Muscle, CurvesHaveNoJumps) {
  constexpr double kStep = 1e-7;
  for (double x = -2.0; x < 3.0; x += 0.01)
    for (const auto f : {muscle_active_length, muscle_velocity, muscle_passive})
      EXPECT_LT(std::abs(f(kMuscle, x + kStep) - f(kMuscle, x)), 20.0 * kStep) << x;
}

TEST(Muscle, ItPullsInUnitsOfItsOptimalLength) {
  // L0 = 0.3 / 0.3 = 1, so that at l = 0.45 it is at L = 1: peak force, and half of it where (1 + V)^2 = 1/2.
  EXPECT_NEAR(muscle_gain(kMuscle, 0.45, 0.0), -100.0, 1e-10);
  EXPECT_NEAR(muscle_gain(kMuscle, 0.45, 1.5 * (std::sqrt(0.5) - 1.0)), -50.0, 1e-10);
  EXPECT_EQ(muscle_bias(kMuscle, 0.4), 0.0);
}

TEST(Muscle, ActivationRisesFasterThanItFalls) {
  const std::array sharp{0.01, 0.04, 0.0}, smooth{0.01, 0.04, 0.2};
  EXPECT_NEAR(muscle_activation_rate(sharp, 1.0, 0.0), 1.0 / (0.01 * 0.5), 1e-10);
  EXPECT_NEAR(muscle_activation_rate(sharp, 0.0, 1.0), -2.0 / 0.04, 1e-10);
  EXPECT_EQ(muscle_activation_rate(sharp, 7.0, 1.0), 0.0) << "controls count up to 1";
  EXPECT_NEAR(muscle_activation_rate(smooth, 1.0, 0.0), muscle_activation_rate(sharp, 1.0, 0.0), 1e-12);
  EXPECT_EQ(muscle_activation_rate(smooth, 0.5, 0.5), 0.0);
}

}  // namespace
}  // namespace amble
