#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "amble/verify/evidence.hpp"
#include "amble/verify/geometry/themes.hpp"
#include "amble/verify/walker_control/themes.hpp"

namespace amble {
namespace {

TEST(Evidence, WhatIsNotANumberFails) {
  const double nan = std::nan("");
  for (std::uint64_t bad = 0; bad < 3; ++bad) {
    const VerificationEntry entry =
        worst_entry({"a.b", "", "two routes", 1.0}, 3, [=](std::uint64_t seed) { return seed == bad ? nan : 0.5; });
    EXPECT_FALSE(entry.run().pass()) << "seed " << bad;
  }
  Eigen::VectorXd x = Eigen::VectorXd::Ones(5);
  EXPECT_EQ(relative_error(x, x), 0.0);
  x[3] = nan;
  EXPECT_TRUE(std::isnan(relative_error(x, Eigen::VectorXd::Ones(5))));
  EXPECT_TRUE(std::isnan(relative_error(Eigen::VectorXd::Ones(5), x)));
}

TEST(Evidence, TheWorstOfAllSeedsIsTold) {
  const VerificationEntry entry = worst_entry({"a.b", "here", "two routes", 2.0}, 4, [](std::uint64_t seed) {
    return seed == 2 ? 3.0 : 1.0;
  });
  const Verification v = entry.run();
  EXPECT_EQ(v.ours, 3.0);
  EXPECT_EQ(v.reference, 0.0);
  EXPECT_FALSE(v.pass());
  EXPECT_EQ(v.source, "here");
}

TEST(Evidence, FloatingTreesHaveAFreeRootWithoutADrive) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Motion s = floating_motion(seed);
    EXPECT_EQ(s.m.joints().front().type, "free");
    EXPECT_EQ(s.m.armature().head<6>().norm(), 0.0);
  }
}

TEST(Areas, EntriesAreNamedOnceAndByTheirArea) {
  std::set<std::string> names;
  for (const VerificationArea& area : verification_areas())
    for (const VerificationEntry& entry : area.entries) {
      EXPECT_TRUE(entry.id.starts_with(area.name + ".")) << entry.id;
      EXPECT_TRUE(names.insert(entry.id).second) << entry.id;
    }
}

void expect_to_pass(const VerificationArea& area) {
  for (const VerificationEntry& entry : area.entries) {
    const Verification v = entry.run();
    EXPECT_TRUE(v.pass()) << v.id << ": " << v.ours << ", expected " << v.reference;
    EXPECT_EQ(v.id, entry.id);
  }
}

TEST(DynamicsArea, EveryEntryPasses) { expect_to_pass(verify_dynamics()); }
TEST(CoordinatesArea, EveryEntryPasses) { expect_to_pass(verify_coordinates()); }
TEST(ConstraintsArea, EveryEntryPasses) { expect_to_pass(verify_constraints()); }
TEST(SimulationArea, EveryEntryPasses) { expect_to_pass(verify_simulation()); }
TEST(GaitsArea, EveryEntryPasses) { expect_to_pass(verify_gaits()); }
TEST(WalkerControlArea, EveryEntryPasses) { expect_to_pass(verify_walker_control()); }
TEST(WholeBodyArea, EveryEntryPasses) { expect_to_pass(verify_whole_body()); }
TEST(GeometryArea, EveryEntryPasses) { expect_to_pass(verify_geometry()); }

}  // namespace
}  // namespace amble
