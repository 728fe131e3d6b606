#include "amble/control/legged/gait_sway.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "amble/base/error.hpp"

namespace amble {
namespace {

const std::array<Vector2<double>, 4> kPlaces{Vector2<double>(0.3, 0.2), Vector2<double>(0.3, -0.2),
                                             Vector2<double>(-0.3, 0.2), Vector2<double>(-0.3, -0.2)};

TEST(PhaseTable, legs_of_a_trot_bear_in_diagonal_pairs) {
  const PhaseTable& trot = phase_table("trot", 4);
  EXPECT_TRUE(trot.bears(0, 0.3) && trot.bears(3, 0.3));
  EXPECT_FALSE(trot.bears(0, 0.7) || trot.bears(3, 0.7));
  EXPECT_TRUE(trot.bears(1, -0.3));  // phases before the start count as well
}

TEST(PhaseTable, an_unknown_gait_is_refused_with_those_there_are) {
  try {
    (void)phase_table("canter", 4);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(
        e.what(),
        "there is no gait 'canter' of 4 legs, expected one of: walk, trot, pace, bound, flying_trot");
  }
}

// A pace with duty 1/2 has its ZMP now left, now right: x'' = w^2 (x - p) between them in closed form.
TEST(GaitSway, a_pace_sways_as_the_closed_form_has_it) {
  const PhaseTable pace{"pace", {0.0, 0.5, 0.0, 0.5}, 0.5};
  const double period = 0.7, omega = 4.0, half = 0.25 * period;
  const GaitSway sway(pace, kPlaces, period, omega, 9.81, 0.0);
  for (const double t : {0.05, 0.1, 0.175, 0.3}) {
    const double exact = 0.2 * (1.0 - std::cosh(omega * (t - half)) / std::cosh(omega * half));
    EXPECT_NEAR(sway.at(t / period, {0.0, 0.0}).position.y(), exact, 2e-5) << t;
  }
}

TEST(GaitSway, a_trot_of_even_legs_does_not_sway) {
  const GaitSway sway(phase_table("trot", 4), kPlaces, 0.7, 4.5, 9.81, 0.05);
  EXPECT_LT(sway.size(), 1e-12);
}

TEST(GaitSway, in_flight_the_body_falls_freely) {
  const PhaseTable flying = phase_table("flying_trot", 4);
  const GaitSway sway(flying, kPlaces, 0.7, 4.5, 9.81, 0.0);
  EXPECT_NEAR(sway.at(0.475, {0.0, 0.0}).acceleration.z(), -9.81, 1e-9);
  double mean = 0.0;
  for (int i = 0; i < 240; ++i) mean += sway.at((i + 0.5) / 240.0, {0.0, 0.0}).acceleration.z() / 240.0;
  EXPECT_NEAR(mean, 0.0, 1e-9);
}

TEST(GaitSway, the_motion_obeys_the_equation_of_the_pendulum) {
  const PhaseTable& walk = phase_table("walk", 4);
  const GaitSway sway(walk, kPlaces, 1.2, 4.0, 9.81, 0.05);
  const double h = 1e-3 / 1.2;
  for (double phase = 0.02; phase < 1.0; phase += 0.09) {
    const auto a = sway.at(phase - h, {0.3, 0.1}), b = sway.at(phase, {0.3, 0.1}),
               c = sway.at(phase + h, {0.3, 0.1});
    EXPECT_LT(((c.position - a.position) / 2e-3 - b.velocity).norm(), 3e-3) << phase;
  }
}

}  // namespace
}  // namespace amble
