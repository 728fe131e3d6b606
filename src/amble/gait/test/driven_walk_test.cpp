#include "amble/gait/driven_walk.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "amble/base/test/message_of.hpp"
#include "amble/gait/cycles.hpp"
#include "amble/gait/drive_sweep.hpp"
#include "amble/gait/walk.hpp"
#include "amble/simulation/simulator.hpp"
#include "amble/walkers/described_walker.hpp"

namespace amble {
namespace {

WalkerValues level(double gain = 10.0) { return {{"slope_deg", 0.0}, {"proportional_gain", gain}}; }

DrivenWalker dribbel(const WalkerValues& more = {}) {
  WalkerValues values = level();
  for (const auto& [name, value] : more) values[name] = value;
  return driven_kind("dribbel")(values);
}

Gait only_stable(const StepModel& model) {
  for (const Gait& gait : find_cycles(model, region_of(model), {.starts = 120, .threads = 2}).cycles)
    if (gait.stable()) return gait;
  ADD_FAILURE() << "no stable cycle";
  return {};
}

TEST(DrivenWalk, DribbelWalksOnLevelGroundByItsHipMotor) {
  const DrivenWalk walk = walk_driven(dribbel(), {.duration = 10.0});
  ASSERT_FALSE(walk.fell) << walk.failure;
  // Ranges of an independent computation, with gear ratios of 66 to 113.
  EXPECT_GT(walk.speed, 0.43);
  EXPECT_LT(walk.speed, 0.51);
  EXPECT_GT(walk.cost_of_transport, 0.15);
  EXPECT_LT(walk.cost_of_transport, 0.25);
  EXPECT_LT(walk.peak_current, 8.0);
  EXPECT_GT(walk.lowest_clearance, 0.0);
  EXPECT_LT(std::abs(walk.ledger.residual()), 1e-7 * walk.ledger.exchanged);
}

TEST(DrivenWalk, ThePowersOfAWalkAddUp) {
  const DrivenWalk w = walk_driven(dribbel({{"gear_efficiency", 0.72}}), {.duration = 12.0});
  ASSERT_FALSE(w.fell) << w.failure;
  EXPECT_NEAR(w.battery, w.copper + w.shaft, 1e-6);
  EXPECT_NEAR(w.shaft, w.gearbox + w.joint, 1e-6);
  // Measured over 6 s, and the mechanism ends with another energy than it began with: by less than 4 J.
  EXPECT_LT(6.0 * std::abs(w.joint - w.feet - w.knees), 4.0);
  EXPECT_GT(w.gearbox, 0.0);
  EXPECT_NEAR(w.electronics, 11.2, 1e-9);
  // The stance pair's magnets are on all the time, the others for a part of it.
  EXPECT_GT(w.magnets, 2.0 * 3.74);
  EXPECT_LT(w.magnets, 4.0 * 3.74);
  for (const LedgerEntry& e : w.ledger.entries) EXPECT_LT(std::abs(e.gap()), 1e-7 * w.ledger.exchanged) << e.name;
}

/// A controller that acts all the time is a spring: the simulator, with its contacts, magnets, motor and switches, against
/// the analysis model, with its formulas for impacts.
TEST(DrivenWalk, ADriveWithoutSamplingWalksAsTheAnalysisModel) {
  const DrivenWalker walker = dribbel({{"sample_period", 0.0}});
  DescribedWalker model(with_drive_as_spring(walker));
  const Gait gait = only_stable(model);
  ASSERT_GT(gait.x.size(), 0);
  DrivenWalker from_there = walker;
  from_there.drive.start = {{"pitch", gait.x[0]}, {"dpitch", gait.x[3]}, {"dhip", gait.x[4]}};
  const DrivenWalk walk = walk_driven(from_there, {.duration = 6.0 * gait.period, .measured_from = 0.0, .tolerance = 1e-11});
  ASSERT_FALSE(walk.fell) << walk.failure;
  ASSERT_GE(walk.footfalls.size(), 5u);
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(walk.footfalls[i], (i + 1) * gait.period, 2e-5 * (i + 1));
  EXPECT_NEAR(walk.speed, gait.speed, 1e-4);
  // What the motor delivers is what impacts take.
  EXPECT_NEAR(walk.cost_of_transport, gait.cost_of_transport, 0.02 * gait.cost_of_transport);
}

TEST(DrivenWalk, TheBuiltInModelAndItsDescriptionHaveTheSameCycles) {
  const auto builtin = make_walker("dribbel", level());
  EXPECT_TRUE(builtin->powered());
  const Gait one = only_stable(*builtin), other = only_stable(DescribedWalker(with_drive_as_spring(dribbel())));
  EXPECT_NEAR(one.speed, other.speed, 1e-9);
  EXPECT_NEAR(std::abs(one.leading()), std::abs(other.leading()), 1e-7);
}

TEST(DrivenWalk, SamplingBarelyChangesTheSpeed) {
  const Gait gait = only_stable(*make_walker("dribbel", level()));
  const DrivenWalk walk = walk_driven(dribbel({{"sample_period", 0.001}}), {.duration = 20.0});
  ASSERT_FALSE(walk.fell) << walk.failure;
  EXPECT_NEAR(walk.speed, gait.speed, 0.01 * gait.speed);
}

TEST(DrivenWalk, RoundFeetAndHipSpringsAreOptions) {
  const DrivenWalk point = walk_driven(dribbel()), round = walk_driven(dribbel({{"foot_radius", 0.1}})),
                   sprung = walk_driven(dribbel({{"hip_stiffness", 2.0}}));
  ASSERT_FALSE(point.fell || round.fell || sprung.fell) << round.failure << sprung.failure;
  EXPECT_LT(round.feet / round.speed, point.feet / point.speed);  // McGeer 1990: arcs lose less in each metre
  EXPECT_NE(sprung.speed, point.speed);
}

TEST(DrivenWalk, AFloorThatGivesWayTendsToARigidOne) {
  const DrivenWalk rigid = walk_driven(dribbel()), soft = walk_driven(dribbel(), {.floor = {.compliant = true}});
  ASSERT_FALSE(soft.fell) << soft.failure;
  EXPECT_NEAR(soft.speed, rigid.speed, 0.1 * rigid.speed);
  EXPECT_LT(std::abs(soft.ledger.residual()), 1e-6 * soft.ledger.exchanged);
}

TEST(DrivenWalk, ASweepIsTheSameOnAnyNumberOfThreads) {
  const std::vector<SweepAxis> axes = {sweep_axis("set_point=0.25:0.3:2"), sweep_axis("proportional_gain=8:12:2")};
  const auto swept = [&](int threads) {
    return sweep_drive(driven_kind("dribbel"), level(), axes, {.walk = {.duration = 3.0}, .threads = threads});
  };
  const DriveSweep one = swept(1), two = swept(2);
  ASSERT_EQ(one.walks.size(), 4u);
  EXPECT_EQ(one.values(1), (std::vector{0.25, 12.0}));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(one.walks[i]->speed, two.walks[i]->speed);
    EXPECT_EQ(one.walks[i]->walked, two.walks[i]->walked);
  }
}

TEST(DrivenWalk, WhatIsNoDriveOrNoSweepIsNamed) {
  EXPECT_EQ(message_of([] { driven_kind("compass"); }),
            "walker 'compass' has no drive: of the built-in ones dribbel has, a walker file may have [drive]");
  EXPECT_EQ(message_of([] { walk_driven(driven_kind("dribbel")({})); }),
            "walker 'dribbel' has no drive that is on: its gains are 0");
  EXPECT_EQ(message_of([] { walk_driven(dribbel(), {.duration = -1.0}); }), "a walk of -1 s is asked for: expected more than 0");
  EXPECT_EQ(message_of([] { sweep_axis("set_point"); }),
            "'set_point' is no axis of a sweep: expected NAME=FROM:TO:COUNT, such as set_point=0.1:0.5:9");
  EXPECT_NE(message_of([] { sweep_drive(driven_kind("dribbel"), level(), {sweep_axis("setpoint=0:1:2")}); }).find("set_point"), std::string::npos);
  EXPECT_NE(message_of([] { driven_figure("sped"); }).find("speed"), std::string::npos);
  DrivenWalker wrong = dribbel();
  wrong.drive.joint = "hop";
  EXPECT_EQ(message_of([&] { walk_driven(wrong); }),
            "walker 'dribbel': its drive is at joint 'hop', which is none that turns about an axis (did you mean 'hip'?)");
  wrong.drive.joint = "hip", wrong.drive.directions = {{"left", -1.0}, {"right", -1.0}};
  EXPECT_NE(message_of([&] { walk_driven(wrong); }).find("not those of two sides"), std::string::npos);
}

/// Long.
TEST(DrivenWalkEvidence, TenMinutesOnLevelGround) {
  const DrivenWalk walk = walk_driven(dribbel(), {.duration = 600.0});
  ASSERT_FALSE(walk.fell) << walk.failure;
  EXPECT_GT(walk.steps, 600);
  EXPECT_LT(walk.peak_current, 8.0);
  EXPECT_LT(std::abs(walk.ledger.residual()), 1e-6 * walk.ledger.exchanged);
}

}  // namespace
}  // namespace amble
