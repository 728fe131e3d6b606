#include <gtest/gtest.h>

#include <cmath>

#include "amble/base/error.hpp"
#include "amble/base/random.hpp"
#include "amble/gait/continuation.hpp"
#include "amble/gait/walk.hpp"
#include "amble/walkers/walkers.hpp"

namespace amble {
namespace {

Gait cycle(const WalkerValues& values = {}) {
  const auto model = make_walker("pointmass3d", values);
  const CyclesFound found = find_cycles(*model, region_of(*model), {.starts = 40});
  EXPECT_EQ(found.cycles.size(), 1u);
  return found.cycles.at(0);
}

std::vector<double> sorted_moduli(const Gait& gait) {
  std::vector<double> all;
  for (const auto& z : gait.multipliers) all.push_back(std::abs(z));
  return all;
}

TEST(PointMass3d, ItsCycleIsThatOfTheNominalAngles) {
  const Gait gait = cycle();
  EXPECT_NEAR(gait.period, 0.321964534416, 1e-11);
  EXPECT_NEAR(std::sqrt(2.0 * gait.energy_supplied), 0.6343792496, 1e-9);
  EXPECT_NEAR(gait.energy_supplied, gait.energy_lost, 1e-12);
  EXPECT_NEAR(gait.x[0], -0.3, 1e-12);
  EXPECT_NEAR(gait.x[1], -0.1, 1e-11);
  EXPECT_NEAR(std::pow(std::cos(gait.x[1]), 2) * gait.x[4], 2.0, 1e-11);
  EXPECT_NEAR(gait.step_length, 2.0 * std::sin(0.3) * std::cos(0.1), 1e-10);
}

TEST(PointMass3d, FixedSetPointsAreUnstableAndGainsBetweenAreNot) {
  // Moduli from a return map of its own, by differences.
  const struct {
    double gain;
    std::vector<double> moduli;
    bool stable;
  } cases[] = {{0.0, {1.50280377, 1.0}, false},
               {0.1, {1.22627791, 1.0, 0.12420995}, false},
               {0.17, {1.0, 0.97951417, 0.26435254}, true},
               {0.3, {1.0, 0.67598, 0.67598}, true},
               {0.65, {1.0, 0.99501, 0.99501}, true},
               {0.7, {1.03258, 1.03258, 1.0}, false}};
  for (const auto& c : cases) {
    const Gait gait = cycle({{"lateral_gain", c.gain}});
    const std::vector<double> moduli = sorted_moduli(gait);
    ASSERT_EQ(moduli.size(), c.moduli.size()) << c.gain;
    for (std::size_t i = 0; i < moduli.size(); ++i) EXPECT_NEAR(moduli[i], c.moduli[i], 1e-5) << c.gain;
    EXPECT_EQ(gait.stable(), c.stable) << c.gain;
    EXPECT_EQ(gait.neutral, 1);
  }
}

TEST(PointMass3d, TheGainLosesStabilityByDoublingBelowAndByATorusAbove) {
  const WalkerFamily family{"lateral_gain", [](double gain) {
                              return make_walker("pointmass3d", {{"lateral_gain", gain}});
                            }};
  const std::vector<Branch> branches = continue_cycle(family, cycle({{"lateral_gain", 0.1}}),
                                                      {.from = 0.1, .to = 0.8, .step = 0.1, .doublings = 0});
  ASSERT_EQ(branches.size(), 1u);
  std::vector<double> doublings, tori;
  for (const Bifurcation& b : branches[0].bifurcations) {
    if (b.kind == BifurcationKind::period_doubling) doublings.push_back(b.value);
    if (b.kind == BifurcationKind::torus) tori.push_back(b.value);
    EXPECT_NE(b.kind, BifurcationKind::fold);
  }
  ASSERT_EQ(doublings.size(), 1u);
  ASSERT_EQ(tori.size(), 1u);
  EXPECT_NEAR(doublings[0], 0.165, 0.005);
  EXPECT_NEAR(tori[0], 0.656, 0.01);
  // Right there, and only there, a multiplier crosses.
  EXPECT_NEAR(std::abs(cycle({{"lateral_gain", doublings[0]}}).leading()), 1.0, 1e-6);
  EXPECT_NEAR(std::abs(cycle({{"lateral_gain", tori[0]}}).leading()), 1.0, 1e-6);
}

TEST(PointMass3d, NeitherMassNorUnitsOfLengthMatter) {
  const Gait plain = cycle(), heavy = cycle({{"hip_mass", 7.0}});
  EXPECT_NEAR(heavy.period, plain.period, 1e-12);
  EXPECT_NEAR(heavy.energy_lost, 7.0 * plain.energy_lost, 1e-10);
  // Half as long, in half the gravity, everything takes as long.
  const Gait small = cycle({{"leg_length", 0.5}, {"gravity", 0.5 * 9.81}});
  EXPECT_NEAR(small.period, plain.period, 1e-11);
  EXPECT_NEAR(small.step_length, 0.5 * plain.step_length, 1e-11);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(std::abs(small.multipliers[i]), std::abs(plain.multipliers[i]), 1e-8);
}

TEST(PointMass3d, PushOffIsThatOfTheBookAndKeepsTheEnergy) {
  Random random(3);
  const auto model = make_walker("pointmass3d", {{"hip_mass", 1.7}, {"leg_length", 0.9}});
  StepPhase& fall = model->phase(1);
  for (int trial = 0; trial < 200; ++trial) {
    double x[8], next[8];
    for (double& number : x) number = random.uniform(-0.5, 0.5);
    const double lost = fall.reset(x, next, nullptr), supplied = fall.energy_supplied(x);
    const double s4 = x[0] - x[2];
    // DS (5.37), for a leg of unit length.
    const double speed =
        0.9 *
        (x[5] * std::cos(s4) * std::cos(x[3]) * std::sin(x[1]) +
         std::cos(x[1]) * (x[4] * std::cos(x[3]) * std::sin(s4) - x[5] * std::sin(x[3]))) /
        (1.0 + std::cos(x[1]) * std::cos(s4) * std::cos(x[3]) + std::sin(x[1]) * std::sin(x[3]));
    EXPECT_NEAR(supplied, 0.5 * 1.7 * speed * speed, 1e-13);
    EXPECT_NEAR(lost, supplied, 1e-13);
    EXPECT_NEAR(fall.kinetic_energy(x), model->phase(0).kinetic_energy(next), 1e-13);
  }
}

TEST(PointMass3d, AlignedLegsKeepTheHorizontalVelocityAndMirrorTheVerticalOne) {
  // DS 5.4.3: with q6 = -q4 and q7 = -q5 the impact mirrors the velocity of the hip in the floor.
  const auto model = make_walker("pointmass3d");
  const double x[8] = {0.25, -0.12, -0.25, 0.12, 1.9, 0.2, 0.0, 0.0};
  double next[8];
  model->phase(1).reset(x, next, nullptr);
  const auto velocity = [](double a, double b, double va, double vb) {
    return std::array{std::cos(a) * std::cos(b) * va - std::sin(a) * std::sin(b) * vb, -std::cos(b) * vb,
                      -std::sin(a) * std::cos(b) * va - std::cos(a) * std::sin(b) * vb};
  };
  const auto before = velocity(x[0], x[1], x[4], x[5]), after = velocity(next[0], next[1], next[4], next[5]);
  EXPECT_NEAR(after[0], before[0], 1e-14);
  EXPECT_NEAR(after[1], -before[1], 1e-14);  // left and right changed places
  EXPECT_NEAR(after[2], -before[2], 1e-14);
}

TEST(PointMass3d, TheFootIsPlacedToTheSideThatTheHipMovesTo) {
  // y = -sin q5 from the stance foot: with dq5 > 0 the hip goes to -y, and the foot is at y + sin q7.
  const auto model = make_walker("pointmass3d");
  double x[8] = {0.0, -0.1, 0.3, 0.1, 2.0, 0.05, 0.0, 0.0}, next[8];
  model->phase(0).reset(x, next, nullptr);
  EXPECT_NEAR(next[3], 0.1 - 0.3 * 0.05, 1e-15);
  EXPECT_LT(std::sin(next[3]), std::sin(0.1));
}

TEST(PointMass3d, LegsWithoutLateralAnglesAreNotSingular) {
  const auto model = make_walker("pointmass3d");
  const double x[8] = {0.3, 0.0, -0.3, 0.0, 1.9, 0.0, 0.0, 0.0};
  double next[8];
  model->phase(1).reset(x, next, nullptr);
  EXPECT_NEAR(next[4], 1.9, 1e-14);
  EXPECT_NEAR(next[5], 0.0, 1e-15);
}

TEST(PointMass3d, RecoversFromAPushToItsSideAndItsBooksClose) {
  const auto model = make_walker("pointmass3d");
  ReturnMap map(*model);
  OwnedVector x = cycle().x;
  x[5] += 0.05;
  const Walk walked = walk(map, x, 40);
  ASSERT_FALSE(walked.fell) << walked.failure;
  EXPECT_NEAR(walked.residual(), 0.0, 1e-10);
  EXPECT_NEAR(walked.x[1], -0.1, 1e-4);
  for (const StepLedger& s : walked.steps) EXPECT_NEAR(s.supplied, s.lost, 1e-12);
  for (const Assumption& a : walked.assumptions) EXPECT_TRUE(a.holds()) << a.name;
  const auto fixed = make_walker("pointmass3d", {{"lateral_gain", 0.0}});
  ReturnMap falls(*fixed);
  EXPECT_TRUE(walk(falls, x, 60).fell);
}

TEST(PointMass3d, WrongParametersAreNamed) {
  for (const auto& [name, value] :
       {std::pair{"swing_angle", 0.2}, {"lateral_angle", 2.0}, {"hip_mass", 0.0}, {"forward_rate", -1.0}}) {
    try {
      make_walker("pointmass3d", {{name, value}});
      ADD_FAILURE() << name;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace amble
