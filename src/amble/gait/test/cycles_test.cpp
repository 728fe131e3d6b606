#include "amble/gait/cycles.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/gait/basin.hpp"
#include "amble/gait/continuation.hpp"
#include "amble/gait/walk.hpp"
#include "amble/walkers/walkers.hpp"

namespace amble {
namespace {

CyclesFound cycles(const char* walker, const WalkerValues& values, int starts = 400) {
  const auto model = make_walker(walker, values);
  return find_cycles(*model, region_of(*model), {.starts = starts});
}

TEST(Cycles, OfTheSimplestWalkerAreThePublishedOnes) {
  const CyclesFound found = cycles("simplest", {});
  ASSERT_EQ(found.cycles.size(), 2u);
  const Gait &fast = found.cycles[0], &slow = found.cycles[1];
  EXPECT_NEAR(slow.x[0], 0.2003109005443, 1e-12);
  EXPECT_NEAR(slow.x[2], -0.1998324730050, 1e-12);
  EXPECT_NEAR(slow.period, 3.882463752851, 1e-10);
  EXPECT_NEAR(std::abs(slow.multipliers[0] - std::complex(-0.190099841, 0.557598777)), 0.0, 2e-9);
  EXPECT_TRUE(slow.stable());
  EXPECT_NEAR(fast.x[0], 0.1939373698102, 1e-12);
  EXPECT_NEAR(fast.period, 3.096105868078, 1e-10);
  EXPECT_EQ(fast.multipliers.size(), 2u);  // the others are zero whatever the motion
  EXPECT_NEAR(fast.multipliers[0].real(), 4.003864359, 2e-9);
  EXPECT_FALSE(fast.stable());
}

TEST(Cycles, OfTheCompassOnThreeDegrees) {
  const CyclesFound found = cycles("compass", {{"gravity", 9.8}});
  ASSERT_GE(found.cycles.size(), 2u);
  const Gait &fast = found.cycles[0], &slow = found.cycles[1];
  EXPECT_NEAR(fast.x[0], 0.27955433525687, 1e-12);
  EXPECT_NEAR(fast.speed, 0.90786811069, 1e-10);
  EXPECT_NEAR(fast.multipliers[0].real(), 4.46063992, 1e-8);
  EXPECT_NEAR(slow.x[0], 0.29929446431878, 1e-12);
  EXPECT_NEAR(slow.x[3], 0.70840651133442, 1e-11);
  EXPECT_NEAR(slow.period, 0.78279761708788, 1e-11);
  EXPECT_NEAR(std::abs(slow.multipliers[0] - std::complex(-0.29333074, 0.39259006)), 0.0, 2e-8);
  EXPECT_NEAR(slow.multipliers[2].real(), 0.08646620, 1e-8);
  // What impacts take is what gravity gives.
  EXPECT_NEAR(slow.cost_of_transport, std::sin(3.0 * std::numbers::pi / 180.0), 1e-12);
}

/// A foot that rolls comes further than its feet stand apart: a passive walker loses what gravity gives along all of it.
TEST(Cycles, OnRoundFeetAStepIsAsLongAsTheWayThatGravityWorksAlong) {
  const auto model = make_walker("compass", {{"foot_radius", 0.3}});
  const CyclesFound found = find_cycles(*model, region_of(*model), {.starts = 60});
  ASSERT_FALSE(found.cycles.empty());
  for (const Gait& gait : found.cycles) EXPECT_NEAR(gait.cost_of_transport, std::sin(model->slope()), 1e-9);
}

TEST(Cycles, OfTheRimlessWheelAreInClosedForm) {
  for (const double spokes : {6.0, 8.0, 12.0})
    for (const double inertia : {0.0, 0.2}) {
      const double half = std::numbers::pi / spokes, slope = 12.0 * std::numbers::pi / 180.0;
      const CyclesFound found =
          cycles("rimless", {{"spokes", spokes}, {"slope_deg", 12.0}, {"inertia", inertia}}, 50);
      ASSERT_EQ(found.cycles.size(), 1u);
      const double kept = (std::cos(2.0 * half) + inertia) / (1.0 + inertia);
      const double gain = 4.0 * 9.81 * std::sin(half) * std::sin(slope) / (1.0 + inertia);
      EXPECT_NEAR(found.cycles[0].x[1], -kept * std::sqrt(gain / (1.0 - kept * kept)), 1e-11);
      ASSERT_EQ(found.cycles[0].multipliers.size(), 1u);
      EXPECT_NEAR(found.cycles[0].multipliers[0].real(), kept * kept, 1e-10);
    }
}

TEST(Cycles, AreTheSameOnAnyNumberOfThreads) {
  const auto model = make_walker("compass");
  const CyclesFound one = find_cycles(*model, region_of(*model), {.starts = 120, .threads = 1});
  const CyclesFound two = find_cycles(*model, region_of(*model), {.starts = 120, .threads = 2});
  ASSERT_EQ(one.cycles.size(), two.cycles.size());
  for (std::size_t i = 0; i < one.cycles.size(); ++i) EXPECT_EQ(one.cycles[i].x, two.cycles[i].x);
}

TEST(Cycles, ThereIsNoneUphillAndItSaysHowCloseItCame) {
  const CyclesFound found = cycles("compass", {{"slope_deg", -2.0}}, 100);
  EXPECT_TRUE(found.cycles.empty());
  EXPECT_EQ(found.starts, 100);
  ASSERT_TRUE(found.closest || !found.failures.empty());
}

TEST(Cycles, ARegionIsReadWithItsMistakes) {
  const auto model = make_walker("compass");
  const Region region = region_of(*model, {"q3=0.1:0.2"});
  EXPECT_EQ(region.lower[0], 0.1);
  EXPECT_EQ(region.upper[0], 0.2);
  for (const char* wrong : {"q9=0:1", "q3", "q3=1", "q3=1:x", "q3=2:1", "q3=nan:1"})
    EXPECT_THROW(region_of(*model, {wrong}), Error) << wrong;
}

TEST(Cycles, KneesWalkDownWithoutScuffing) {
  const auto model = make_walker("dribbel", {}, Scuffing::detect);
  const CyclesFound found = find_cycles(*model, region_of(*model));
  ASSERT_FALSE(found.cycles.empty());
  EXPECT_TRUE(found.cycles.back().stable());
}

WalkerFamily family(const char* walker, const char* parameter, WalkerValues values) {
  return {parameter, [=](double value) {
            WalkerValues all = values;
            all[parameter] = value;
            return make_walker(walker, all);
          }};
}

/// Gaits of walkers from near them.
struct Near {
  const char* walker;
  WalkerValues values;
  std::vector<double> x;
  bool stable;
};
std::vector<Near> walkers_with_trunks_or_rolling_feet() {
  return {
      {"bisecting", {}, {0.344, -0.344, -1.016, -0.128}, true},
      {"bisecting", {{"foot_radius", 0.3}, {"hip_stiffness", 0.0}}, {0.517, -0.517, -1.177, 0.318}, false},
      {"human", {}, {0.557, -0.557, 0.0, -1.144, -0.041, 0.0}, true},
      {"compass", {{"foot_radius", 0.2}}, {0.37, -0.74, -1.25, 0.86}, true}};
}

Gait gait_near(ReturnMap& map, const Near& near) {
  const Eigen::Map<const Eigen::VectorXd> guess(near.x.data(), static_cast<Eigen::Index>(near.x.size()));
  const NewtonResult found = find_cycle(map, guess);
  EXPECT_TRUE(found.converged) << near.walker << " " << found.failure;
  return gait_at(map, found.x);
}

/// What gravity gives on the way is what impacts take, also on feet that roll.
TEST(Cycles, WalkersWithTrunksWalkDownAndFeetThatRollGoFurther) {
  for (const Near& near : walkers_with_trunks_or_rolling_feet()) {
    const auto model = make_walker(near.walker, near.values);
    ReturnMap map(*model);
    const Gait gait = gait_near(map, near);
    EXPECT_NEAR(gait.cost_of_transport, std::sin(model->slope()), 1e-10) << near.walker;
    EXPECT_NEAR(walk(map, gait.x, 1).residual(), 0.0, 1e-11 * model->weight()) << near.walker;
    EXPECT_EQ(gait.stable(), near.stable) << near.walker;
  }
}

TEST(Cycles, StableGaitsOfBisectingTrunkAndPeopleTakeAPush) {
  for (const Near& near : walkers_with_trunks_or_rolling_feet()) {
    if (!near.stable) continue;
    const auto model = make_walker(near.walker, near.values);
    ReturnMap map(*model);
    const Gait gait = gait_near(map, near);
    OwnedVector pushed = gait.x;
    pushed[pushed.size() / 2] *= 1.003;
    const Walk walked = walk(map, pushed, 40);
    ASSERT_FALSE(walked.fell) << near.walker << " " << walked.failure;
    EXPECT_LT((walked.x - gait.x).norm(), 1e-2 * (pushed - gait.x).norm()) << near.walker;
  }
}

TEST(Continuation, TheSimplestWalkerLosesStabilityWhereItWasPublished) {
  const double degree = 180.0 / std::numbers::pi;
  const auto branches = continue_cycles(
      family("simplest", "slope_deg", {}),
      {.from = 0.012 * degree, .to = 0.0178 * degree, .step = 0.1, .doublings = 1, .starts = 150});
  ASSERT_EQ(branches.size(), 3u);
  ASSERT_EQ(branches[1].bifurcations.size(), 1u);
  EXPECT_EQ(branches[1].bifurcations[0].kind, BifurcationKind::period_doubling);
  EXPECT_NEAR(branches[1].bifurcations[0].value / degree, 0.0150884, 5e-8);
  EXPECT_EQ(branches[1].end, "end of the range");
  EXPECT_NEAR(branches[1].points.back().value, 0.0178 * degree, 1e-12);
  // The doubled cycle takes over its stability, and doubles again.
  EXPECT_EQ(branches[2].steps, 2);
  EXPECT_EQ(branches[2].parent, 1);
  EXPECT_TRUE(branches[2].points[1].gait.stable());
  ASSERT_EQ(branches[2].bifurcations.size(), 1u);
  EXPECT_NEAR(branches[2].bifurcations[0].value, 1.012380606, 1e-8);
}

TEST(Continuation, GoesRoundAFold) {
  // Uphill from where they are, the fast and the slow gait meet: one branch leads from one to the other.
  const auto all = continue_cycles(family("compass", "slope_deg", {{"gravity", 9.8}, {"hip_damping", 0.05}}),
                                   {.from = 3.0, .to = 0.2, .step = 0.05, .doublings = 0, .starts = 150});
  ASSERT_EQ(all.size(), 2u);
  for (const Branch& branch : all) {
    EXPECT_EQ(branch.end, "back at the start of the range");
    ASSERT_EQ(branch.bifurcations.size(), 1u);
    EXPECT_EQ(branch.bifurcations[0].kind, BifurcationKind::fold);
    // There, one is a multiplier.
    ReturnMap map(*make_walker(
        "compass", {{"gravity", 9.8}, {"hip_damping", 0.05}, {"slope_deg", branch.bifurcations[0].value}}));
    const std::vector<std::complex<double>> multipliers = gait_at(map, branch.bifurcations[0].x).multipliers;
    const auto nearest = std::min_element(multipliers.begin(), multipliers.end(), [](auto a, auto b) {
      return std::abs(a - 1.0) < std::abs(b - 1.0);
    });
    EXPECT_LT(std::abs(*nearest - 1.0), 1e-6);
  }
  EXPECT_LT((all[0].points.back().gait.x - all[1].points.front().gait.x).norm(), 1e-9);
  EXPECT_LT((all[1].points.back().gait.x - all[0].points.front().gait.x).norm(), 1e-9);
}

TEST(Continuation, RefusesWhatIsNoRange) {
  EXPECT_THROW(continue_cycles(family("compass", "slope_deg", {}), {.from = 1.0, .to = 1.0}), Error);
  EXPECT_THROW(continue_cycles(family("compass", "slope_deg", {}), {.from = 1.0, .to = 2.0, .step = 0.0}),
               Error);
}

TEST(Basin, OfTheRimlessWheelIsThatOfWheelsThatGetOverTheTop) {
  const auto model = make_walker("rimless", {{"slope_deg", 8.0}});
  const CyclesFound found = find_cycles(*model, region_of(*model), {.starts = 50});
  const Region region = region_of(*model, {"dangle=-2:0"});
  const Basin basin = find_basin(*model, found.cycles, region, {.total = 2000, .threads = 2});
  const double half = std::numbers::pi / 8.0, slope = 8.0 * std::numbers::pi / 180.0;
  const double least = std::sqrt(2.0 * 9.81 * (1.0 - std::cos(half - slope)));
  EXPECT_NEAR(basin.fraction, (2.0 - least) / 2.0, 1.5 / 2000.0);
  EXPECT_EQ(basin.fate.size(), 2000u);
}

TEST(Basin, HasAVolumeThatDoesNotDependOnTheGrid) {
  const auto model = make_walker("compass", {{"gravity", 9.8}});
  const CyclesFound found = find_cycles(*model, region_of(*model), {.starts = 150});
  const std::vector<std::string> near{"q3=0.295:0.303", "dq3=-1.08:-1.065", "dq4=0.69:0.72"};
  const Region region = region_of(*model, near);
  const Basin coarse = find_basin(*model, found.cycles, region, {.cells = {2, 2, 2}});
  const Basin fine = find_basin(*model, found.cycles, region, {.cells = {4, 3, 2}});
  EXPECT_EQ(coarse.fraction, 1.0);
  EXPECT_EQ(fine.fraction, 1.0);
  EXPECT_NEAR(coarse.volume, fine.volume, 1e-4 * fine.volume);
  EXPECT_THROW(find_basin(*model, found.cycles, region, {.cells = {2, 2}}), Error);
  EXPECT_THROW(find_basin(*model, found.cycles, region, {.cells = {2, 0, 2}}), Error);
}

TEST(Walk, TheLedgerOfEveryStepCloses) {
  const auto model = make_walker("compass", {{"hip_stiffness", 0.5}, {"hip_damping", 0.02}});
  const CyclesFound found = find_cycles(*model, region_of(*model), {.starts = 150});
  const auto stable =
      std::find_if(found.cycles.begin(), found.cycles.end(), [](const Gait& g) { return g.stable(); });
  ASSERT_NE(stable, found.cycles.end());
  ReturnMap map(*model);
  const Walk walked = walk(map, stable->x, 20);
  EXPECT_FALSE(walked.fell);
  EXPECT_EQ(walked.steps.size(), 20u);
  for (const StepLedger& s : walked.steps) EXPECT_NEAR(s.residual(), 0.0, 1e-11);
  EXPECT_NE(walked.steps[0].dampers, 0.0);
  EXPECT_NE(walked.exchanged(), 0.0);
  const auto scuffs = std::find_if(walked.assumptions.begin(), walked.assumptions.end(),
                                   [](const Assumption& a) { return a.name == "no scuffing"; });
  ASSERT_NE(scuffs, walked.assumptions.end());
  EXPECT_FALSE(scuffs->holds());
}

TEST(Walk, AStepDownOfACentimetreIsSurvivedAndOneOfTenIsNot) {
  const auto model = make_walker("compass", {{"gravity", 9.8}});
  ReturnMap map(*model);
  OwnedVector x(4);
  x << 0.29929446431878, -0.59858892863756, -1.07296282191054, 0.70840651133442;
  EXPECT_FALSE(walk(map, x, 40, {.height = 0.01}).fell);
  EXPECT_TRUE(walk(map, x, 40, {.height = 0.1}).fell);
  EXPECT_FALSE(walk(map, x, 40).fell);  // nothing of it stays
}

}  // namespace
}  // namespace amble
