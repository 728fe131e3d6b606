#include "amble/control/legged/dcm_plan.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "amble/base/random.hpp"

namespace amble {
namespace {

/// xi' = omega (xi - p(t)) by Runge and Kutta's fourth order in 2000 steps, from the start of a piece to its
/// end.
Vector2<double> integrated(const DcmPiece& piece, double omega, Vector2<double> dcm, double end) {
  const auto rate = [&](double t, const Vector2<double>& xi) {
    return Vector2<double>(omega * (xi - piece.at(omega, t).zmp));
  };
  constexpr int kSteps = 2000;
  const double h = end / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    const double t = i * h;
    const Vector2<double> a = rate(t, dcm), b = rate(t + 0.5 * h, dcm + 0.5 * h * a),
                          c = rate(t + 0.5 * h, dcm + 0.5 * h * b), d = rate(t + h, dcm + h * c);
    dcm += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
  }
  return dcm;
}

Vector2<double> random_point(Random& random) {
  return {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
}

TEST(DcmPlan, a_piece_obeys_the_equation_of_the_dcm) {
  Random random(1);
  for (int trial = 0; trial < 20; ++trial) {
    const double omega = random.uniform(2.0, 6.0), T = random.uniform(0.05, 0.8);
    const DcmPiece piece{random_point(random), random_point(random), random_point(random), T};
    EXPECT_LT((integrated(piece, omega, piece.at(omega, 0.0).dcm, T) - piece.dcm_end).norm(), 1e-11) << trial;
    EXPECT_LT((piece.at(omega, T).dcm - piece.dcm_end).norm(), 1e-14);
  }
}

TEST(DcmPlan, after_its_end_a_piece_goes_on_from_the_zmp_there) {
  const DcmPiece piece{{0.0, 0.1}, {0.3, -0.1}, {0.4, 0.0}, 0.5};
  const double omega = 3.4, late = 0.2;
  const Vector2<double> expected = piece.zmp_end + std::exp(omega * late) * (piece.dcm_end - piece.zmp_end);
  EXPECT_LT((piece.at(omega, 0.7).dcm - expected).norm(), 1e-14);
  EXPECT_EQ(piece.at(omega, 0.7).zmp, piece.zmp_end);
}

TEST(DcmPlan, a_transition_leads_from_one_dcm_to_another_without_a_jump) {
  Random random(2);
  for (int trial = 0; trial < 20; ++trial) {
    const double omega = random.uniform(2.0, 6.0), T = random.uniform(0.3, 1.5);
    const Vector2<double> dcm = random_point(random), p0 = random_point(random), p1 = random_point(random),
                          end = random_point(random);
    const auto [first, second] = dcm_transition(omega, T, dcm, p0, p1, end);
    EXPECT_LT((first.at(omega, 0.0).dcm - dcm).norm(), 1e-11);
    EXPECT_LT((first.dcm_end - second.at(omega, 0.0).dcm).norm(), 1e-11);
    EXPECT_LT((first.at(omega, 0.5 * T).zmp - second.at(omega, 0.0).zmp).norm(), 1e-12);
    EXPECT_LT((second.at(omega, 0.5 * T).dcm - end).norm(), 1e-12);
    EXPECT_EQ(first.zmp_start, p0);
    EXPECT_EQ(second.zmp_end, p1);
  }
}

TEST(DcmPlan, the_plan_over_many_steps_is_continuous_with_its_rate) {
  const DcmTiming timing{.omega = 3.36, .single_support = 0.59, .double_support = 0.09};
  std::vector<Vector2<double>> places, offsets(9);
  Random random(3);
  for (int n = 0; n < 9; ++n)
    places.push_back({0.25 * n + 0.05 * random.uniform(-1.0, 1.0),
                      (n % 2 == 0 ? 0.1 : -0.1) + 0.02 * random.uniform(-1.0, 1.0)});
  dcm_offsets(timing, places, periodic_dcm_offset(timing, {0.25, 0.0}, 0.2, 1.0), offsets);
  for (int n = 0; n + 1 < 9; ++n) {
    const Vector2<double> touchdown = dcm_at_touchdown(timing, places[n], places[n + 1], offsets[n + 1]);
    const DcmPiece single{places[n], places[n], touchdown, timing.single_support};
    const DcmPiece two{places[n], places[n + 1], places[n + 1] + offsets[n + 1], timing.double_support};
    EXPECT_LT((single.at(timing.omega, 0.0).dcm - places[n] - offsets[n]).norm(), 1e-13) << n;
    const DcmReference before = single.at(timing.omega, timing.single_support),
                       after = two.at(timing.omega, 0.0);
    EXPECT_LT((before.dcm - after.dcm).norm(), 1e-13);
    EXPECT_LT((before.zmp - after.zmp).norm(), 1e-13);  // so the rate of the DCM is continuous too
  }
}

TEST(DcmPlan, the_periodic_offset_repeats_itself_mirrored) {
  const DcmTiming timing{.omega = 3.1, .single_support = 0.6, .double_support = 0.1};
  const Vector2<double> step(0.3, 0.04);
  const double width = 0.18;
  const std::vector<Vector2<double>> places = {
      {0.0, 0.0}, {step.x(), step.y() - width}, {2.0 * step.x(), 2.0 * step.y()}};
  std::vector<Vector2<double>> offsets(3);
  dcm_offsets(timing, places, periodic_dcm_offset(timing, step, width, 1.0), offsets);
  EXPECT_LT((offsets[0] - offsets[2]).norm(), 1e-14);
  EXPECT_LT((offsets[1] - periodic_dcm_offset(timing, step, width, -1.0)).norm(), 1e-14);
}

}  // namespace
}  // namespace amble
