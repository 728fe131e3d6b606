#include "amble/gait/guided_walk.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "amble/base/random.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/gait/cycles.hpp"
#include "amble/walkers/walkers.hpp"

namespace amble {
namespace {

Gait cycle(const char* walker, const WalkerValues& values = {}) {
  const auto model = make_walker(walker, values);
  const CyclesFound found = find_cycles(*model, region_of(*model), {.starts = 6});
  EXPECT_FALSE(found.cycles.empty());
  return found.cycles.at(0);
}

struct Guided {
  std::unique_ptr<StepModel> model;
  Walk walk;
  const PlacingWalker& placing() const { return dynamic_cast<const PlacingWalker&>(*model); }
};
Guided guided(const WalkPlan& plan, int steps, const char* walker = "pointmass3d") {
  Guided out{make_walker(walker), {}};
  ReturnMap map(*out.model);
  out.walk = guided_walk(map, cycle(walker).x, steps, plan);
  return out;
}
const HipPush kPush{.footfall = 6, .impulse = {0.0, -0.1, 0.0}};

TEST(LegAngles, TurningThereAndBackIsNothingAndKeepsTheSpeed) {
  Random random(7);
  for (int i = 0; i < 50; ++i) {
    const LegAngles leg{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-2, 2), random.uniform(-2, 2)};
    const double angle = random.uniform(-3, 3);
    const LegAngles there = leg.turned(angle), back = there.turned(-angle);
    EXPECT_NEAR(back.a, leg.a, 1e-13);
    EXPECT_NEAR(back.b, leg.b, 1e-13);
    EXPECT_NEAR(back.da, leg.da, 1e-11);
    EXPECT_NEAR(back.db, leg.db, 1e-11);
    const auto speed = [](const LegAngles& l) { return std::hypot(l.da * std::cos(l.b), l.db); };
    EXPECT_NEAR(speed(there), speed(leg), 1e-12);
  }
}

TEST(FloorPath, NearestPointAndHeadingOfACircle) {
  const FloorPath path = circle_path(5.0);
  for (const double angle : {0.1, 1.0, 3.0, 5.0, 6.2}) {
    const double r = 4.7;  // from its centre (0, 5)
    const FloorPath::Point at = path.nearest(r * std::sin(angle), 5.0 - r * std::cos(angle));
    // From inside, the corners of 2000 lines hide as much as half their angle times the distance.
    EXPECT_NEAR(at.x, 5.0 * std::sin(angle), 5e-4);
    EXPECT_NEAR(at.y, 5.0 - 5.0 * std::cos(angle), 5e-4);
    EXPECT_NEAR(std::remainder(at.heading - angle, 2.0 * M_PI), 0.0, 1e-4);
  }
  EXPECT_NEAR(path.nearest(8.0, 0.0).y, 5.0 - 5.0 * 5.0 / std::hypot(8.0, 5.0), 1e-2);  // it does not go on straight
  EXPECT_NEAR(straight_path(0.3).beside(7.0, 2.0).y, 0.3, 1e-9);
  EXPECT_NEAR(sine_path(0.5, 20.0, 40.0).beside(5.0, 0.0).y, 0.5, 1e-5);
}

TEST(GuidedWalk, APushedWalkerRecoversAndWalksOnFasterOnAnotherLine) {  // DS Fig 5.20
  const Guided pushed = guided({.pushes = {kPush}}, 60);
  ASSERT_FALSE(pushed.walk.fell);
  EXPECT_NEAR(pushed.walk.x[1], -0.1, 1e-3);
  EXPECT_NEAR(pushed.walk.residual(), 0.0, 1e-10);
  EXPECT_GT(pushed.walk.steps[6].pushed, 0.0);
  const auto speed = [](const StepLedger& s) { return s.length / s.period; };
  EXPECT_GT(speed(pushed.walk.steps.back()), speed(pushed.walk.steps.front()));
  const Guided still = guided({}, 60);
  EXPECT_LT(pushed.walk.place.y, still.walk.place.y - 0.01);  // to the side that it was pushed to
}

TEST(GuidedWalk, APushIsTheSameWhicheverWayTheWalkerHeads) {
  const auto model = make_walker("pointmass3d");
  ReturnMap map(*model);
  auto& walker = dynamic_cast<PlacingWalker&>(map.model());
  OwnedVector x = cycle("pointmass3d").x, turned = x;
  walker.push({0.02, -0.1, 0.0}, x.data());
  constexpr double angle = 0.7;
  walker.turn(angle, turned.data());
  walker.push({std::cos(angle) * 0.02 + std::sin(angle) * -0.1, std::cos(angle) * -0.1 - std::sin(angle) * 0.02, 0.0},
              turned.data());
  walker.turn(-angle, turned.data());
  EXPECT_LT((x - turned).norm(), 1e-12);
}

TEST(GuidedWalk, ReturnsToItsLine) {  // DS Fig 5.21
  WalkPlan plan{.path = straight_path()};
  const Guided still = guided(plan, 201);
  plan.pushes = {kPush};
  const Guided pushed = guided(plan, 201);
  ASSERT_FALSE(pushed.walk.fell);
  const auto undisturbed = path_errors(still.placing(), still.walk, *plan.path, false),
             disturbed = path_errors(pushed.placing(), pushed.walk, *plan.path, false);
  double largest = 0.0;
  for (std::size_t i = 0; i < disturbed.size(); ++i) largest = std::max(largest, std::abs(disturbed[i] - undisturbed[i]));
  EXPECT_GT(largest, 0.03);
  EXPECT_NEAR(disturbed.back(), undisturbed.back(), 2e-3);
}

TEST(GuidedWalk, MultipliersOfFollowingALineSayHowFast) {
  const auto model = make_walker("pointmass3d");
  const auto& placing = dynamic_cast<const PlacingWalker&>(*model);
  const OwnedVector x = cycle("pointmass3d").x;
  const auto free = line_multipliers(placing, x, {.position_gain = 0.0, .velocity_gain = 0.0});
  // Without gains the line does not matter: its multiplier is -1, since left and right change places, and energy's is 1.
  EXPECT_NEAR(std::abs(free[0]), 1.0, 1e-7);
  EXPECT_NEAR(std::abs(free[1]), 1.0, 1e-7);
  EXPECT_NEAR(std::abs(free[2]), 0.67598, 1e-5);
  const auto led = line_multipliers(placing, x, {});
  EXPECT_NEAR(std::abs(led[0]), 1.0, 1e-6);  // of energy
  EXPECT_NEAR(std::abs(led[1]), 0.857, 1e-3);
}

TEST(GuidedWalk, TheGainsOfTheBookNeedALowerLateralGain) {  // DS (5.41) with Kp = 1, Kd = 1.5
  const WalkPlan plan{.position_gain = 1.0, .velocity_gain = 1.5};
  const auto leading = [&](double gain) {
    const auto model = make_walker("pointmass3d", {{"lateral_gain", gain}});
    const auto all = line_multipliers(dynamic_cast<const PlacingWalker&>(*model), cycle("pointmass3d", {{"lateral_gain", gain}}).x, plan);
    double largest = 0.0;
    for (const auto& z : all)
      if (std::abs(z - 1.0) > 1e-6) largest = std::max(largest, std::abs(z));  // energy's is one
    return largest;
  };
  EXPECT_NEAR(leading(0.3), 1.165, 1e-3);
  EXPECT_NEAR(leading(0.2), 0.944, 1e-3);
}

TEST(GuidedWalk, FollowsAWaveAndACircle) {  // DS Fig 5.22
  const WalkPlan wave{.path = sine_path(0.5, 60.0, 150.0)};
  const Guided along = guided(wave, 150);
  ASSERT_FALSE(along.walk.fell);
  for (const double e : path_errors(along.placing(), along.walk, *wave.path, false)) EXPECT_LT(std::abs(e), 0.15);
  for (const double radius : {10.0, -7.0, 4.0}) {
    const WalkPlan ring{.path = circle_path(radius), .turns = true};
    const Guided round = guided(ring, 120);
    ASSERT_FALSE(round.walk.fell);
    for (const double e : path_errors(round.placing(), round.walk, *ring.path, true)) EXPECT_LT(std::abs(e), 0.15);
    EXPECT_GT(std::abs(round.walk.place.turn), 2.0 * M_PI);  // it has been round
  }
}

TEST(GuidedWalk, WithoutLookingAheadItWalksBesideACircle) {
  const WalkPlan ring{.path = circle_path(10.0), .turns = true, .looks_ahead = false};
  const Guided round = guided(ring, 120);
  ASSERT_FALSE(round.walk.fell);
  const std::vector<double> errors = path_errors(round.placing(), round.walk, *ring.path, true);
  EXPECT_NEAR(errors.back(), errors[errors.size() - 3], 2e-3);  // it has settled
  // Where the offset asks for the rate that the circle needs: Kp y = -v^2 / (r g Kl), and Kd of the turn within a step.
  const double v = round.walk.distance() / round.walk.duration(), half = 0.5 * round.walk.distance() / 120.0;
  const double expected = -(v * v / (10.0 * 9.81 * 0.3) + 0.3 * v * half / 10.0) / 0.3;
  EXPECT_NEAR(0.5 * (errors.back() + errors[errors.size() - 2]), expected, 0.1 * std::abs(expected));
}

TEST(GuidedWalk, PushOffBringsTheSpeedThatIsAskedForAsFarAsALegCan) {
  const auto model = make_walker("pointmass3d");
  ReturnMap map(*model);
  const Walk w = guided_walk(map, cycle("pointmass3d").x, 30, {.speeds = {{2, 1.2}, {15, 1.8}}});
  ASSERT_FALSE(w.fell) << w.failure;
  auto& walker = dynamic_cast<PlacingWalker&>(map.model());
  EXPECT_NEAR(walker.phase(0).kinetic_energy(w.x.data()) + walker.phase(0).potential_energy(w.x.data()),
              walker.energy_at(1.8), 1e-10);
  EXPECT_NEAR(w.residual(), 0.0, 1e-10);
  for (const StepLedger& s : w.steps) EXPECT_GE(s.supplied, 0.0);
}

TEST(GuidedWalk, WithoutPushOffTheWalkerComesToRest) {
  const Guided out = guided({.stop = 10}, 60);
  EXPECT_TRUE(out.walk.stopped);
  EXPECT_FALSE(out.walk.fell);
  for (std::size_t i = 10; i < out.walk.steps.size(); ++i) EXPECT_EQ(out.walk.steps[i].supplied, 0.0);
  EXPECT_LT(out.walk.steps.size(), 40u);
}

// ---- legs with mass

TEST(Legs3d, BecomesThePointMassWithLightLegs) {
  const WalkerValues light{{"leg_mass", 1e-5}, {"swing_rate", 100.0}, {"hip_mass", 1.0}, {"lateral_gain", 0.3}, {"speed", 1.87}};
  const Gait gait = cycle("legs3d", light);
  // The point mass at the same energy.
  const auto mass = make_walker("pointmass3d");
  ReturnMap map(*mass);
  dynamic_cast<PlacingWalker&>(map.model()).command({.energy = 9.81 + 0.5 * 1.87 * 1.87});
  const NewtonResult found = find_cycle(map, cycle("pointmass3d").x);
  ASSERT_TRUE(found.converged);
  const Gait same = gait_at(map, found.x);
  EXPECT_NEAR(gait.period, same.period, 1e-4);
  EXPECT_NEAR(gait.step_length, same.step_length, 1e-4);
  EXPECT_NEAR(std::abs(gait.leading()), std::abs(same.leading()), 1e-2);
}

TEST(Legs3d, IsStableWithFeedbackAndNotWithout) {
  EXPECT_FALSE(cycle("legs3d", {{"lateral_gain", 0.0}}).stable());
  const Gait gait = cycle("legs3d");
  EXPECT_TRUE(gait.stable());
  EXPECT_EQ(gait.neutral, 0);
}

TEST(Legs3d, DerivativesOfItsStepAreThoseOfDifferences) {
  const auto model = make_walker("legs3d");
  const OwnedVector x = cycle("legs3d").x;
  ReturnMap map(*model);
  const Step varied = map(x, ReturnMap::Want::derivative);
  for (int k = 0; k < 8; ++k) {
    const Eigen::VectorXd d = Eigen::VectorXd::Unit(8, k);
    constexpr double h = 1e-4;
    const Eigen::VectorXd slope = (8.0 * (map(x + h * d).x - map(x - h * d).x) - (map(x + 2 * h * d).x - map(x - 2 * h * d).x)) / (12.0 * h);
    EXPECT_LT((varied.derivative.col(k) - slope).norm(), 1e-6 * (1.0 + slope.norm())) << k;
  }
}

TEST(Legs3d, ItsBooksCloseAndItRecovers) {
  const Guided out = guided({.pushes = {{6, {0.0, -0.3, 0.0}}}}, 40, "legs3d");
  ASSERT_FALSE(out.walk.fell) << out.walk.failure;
  EXPECT_LT(std::abs(out.walk.residual()), 1e-9 * out.walk.exchanged());
  EXPECT_GT(out.walk.spent(), 0.0);
  EXPECT_LT((out.walk.x - cycle("legs3d").x).norm(), 1e-2);
}

TEST(GuidedWalk, WhatMakesNoSenseIsRefused) {
  const auto compass = make_walker("compass");
  ReturnMap map(*compass);
  const Eigen::Vector4d x(0.3, -0.6, -1.0, 0.7);
  EXPECT_EQ(message_of([&] { guided_walk(map, x, 3, {.stop = 1}); }),
            "paths, pushes and speeds are for walkers that place their feet: pointmass3d, legs3d");
  EXPECT_EQ(message_of([] { FloorPath({{0.0, 0.0}}); }), "a path through 1 points: expected two or more");
  EXPECT_EQ(message_of([] { FloorPath({{0.0, 1.0}, {0.0, 1.0}}); }), "points 1 and 2 of a path are in one place");
  EXPECT_EQ(message_of([] { sine_path(0.3, 0.0, 1.0); }), "a path with waves of 0 m over 1 m: expected more than 0");
  EXPECT_EQ(message_of([] { WalkPlan{.speeds = {{0, -1.0}}}.validate(); }),
            "'foot placement' has a speed of -1: expected a number above 0");
}

}  // namespace
}  // namespace amble
