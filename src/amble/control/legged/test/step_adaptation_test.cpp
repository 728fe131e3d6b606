#include "amble/control/legged/step_adaptation.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace amble {
namespace {

StepProblem undisturbed() {
  StepProblem p;
  p.timing = {.omega = 3.36, .single_support = 0.6, .double_support = 0.09};
  p.nominal = {0.25, -0.2}, p.next_offset = {0.06, 0.05};
  p.ankle = {0.05, 0.03};
  p.least = {-0.5, -0.5}, p.most = {0.5, -0.14};
  p.elapsed = 0.2, p.time = p.timing.single_support;
  p.earliest = 0.44, p.latest = 0.76;
  p.time_weight = 0.4;
  // The DCM that single support grows into the one wanted at touchdown.
  const Vector2<double> end = dcm_at_touchdown(p.timing, Vector2<double>::Zero(), p.nominal, p.next_offset);
  p.dcm = std::exp(-p.timing.omega * (p.timing.single_support - p.elapsed)) * end;
  return p;
}

/// The DCM offset on the new foot at the end of double support, with the ZMP as far as the ankle takes it.
Vector2<double> offset_reached(const StepProblem& p, const StepChoice& c) {
  const double E = std::exp(p.timing.omega * (c.time - p.elapsed)), k = p.timing.share();
  const Vector2<double> goal = k * p.nominal + p.timing.decay() * p.next_offset;
  Vector2<double> end;
  for (int i = 0; i < 2; ++i) {
    const double zmp = std::clamp((p.dcm[i] - goal[i] / E) / (1.0 - 1.0 / E), -p.ankle[i], p.ankle[i]);
    end[i] = zmp + E * (p.dcm[i] - zmp);  // xi' = omega (xi - zmp)
  }
  return (end - k * c.place) / p.timing.decay();
}

TEST(StepAdaptation, an_undisturbed_step_is_left_as_it_is) {
  const StepProblem p = undisturbed();
  const StepChoice c = adapt_step(p);
  EXPECT_LT((c.place - p.nominal).norm(), 1e-14);
  EXPECT_EQ(c.time, p.timing.single_support);
  EXPECT_EQ(c.miss, 0.0);
}

TEST(StepAdaptation, what_the_ankle_undoes_moves_no_foot) {
  StepProblem p = undisturbed();
  p.dcm += Vector2<double>(0.02, -0.01);
  const StepChoice c = adapt_step(p);
  EXPECT_LT((c.place - p.nominal).norm(), 1e-14);
}

TEST(StepAdaptation, after_a_push_the_new_place_restores_the_planned_offset) {
  for (const double x : {-0.09, 0.07, 0.1})
    for (const double y : {-0.08, -0.05}) {
      StepProblem p = undisturbed();
      p.dcm += Vector2<double>(x, y);
      const StepChoice c = adapt_step(p);
      if (c.miss > 0.0) continue;
      EXPECT_GT((c.place - p.nominal).norm(), 1e-3);
      EXPECT_LT((offset_reached(p, c) - p.next_offset).norm(), 1e-12) << x << " " << y;
    }
}

TEST(StepAdaptation, places_stay_within_reach_and_times_within_bounds) {
  StepProblem p = undisturbed();
  p.dcm += Vector2<double>(0.3, 0.3);
  const StepChoice c = adapt_step(p);
  EXPECT_GT(c.miss, 0.01);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(c.place[i] >= p.least[i] && c.place[i] <= p.most[i]);
  EXPECT_TRUE(c.time >= p.earliest && c.time <= p.latest);
}

TEST(StepAdaptation, a_push_towards_the_stance_foot_makes_the_step_sooner) {
  StepProblem p = undisturbed();
  p.dcm.y() += 0.1;  // farther than the ankle reaches, and the swing foot cannot cross
  EXPECT_LT(adapt_step(p).time, p.timing.single_support);
}

}  // namespace
}  // namespace amble
