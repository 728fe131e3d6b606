#include "amble/gait/expansion.hpp"

#include <gtest/gtest.h>

#include "amble/base/error.hpp"

namespace amble {
namespace {

TEST(Expansion, ASimplerWalkerHasTheMassOfTheOther) {
  for (const char* name : {"dribbel", "torso", "trunk", "human"})
    for (const std::string& simpler : simpler_walkers(name)) {
      const WalkerKind& kind = walker_kind(name);
      const SimplerWalker simple = simpler_walker(kind, {}, simpler);
      EXPECT_NEAR(make_walker(*simple.kind, simple.values)->weight(), make_walker(kind)->weight(), 1e-9)
          << name << " from " << simpler;
    }
}

TEST(Expansion, DribbelWithStraightKneesIsItsCompass) {
  // Lengths, masses and inertia are equal, so a passive step of one is one of the other while knees are
  // straight.
  const SimplerWalker simple = simpler_walker(walker_kind("dribbel"), {}, "compass");
  const auto compass = make_walker(*simple.kind, simple.values), dribbel = make_walker("dribbel");
  const double x[4] = {0.2, 0.1, -0.9, 0.7};
  double a[2], b[2];
  compass->phase(0).acceleration(x, a, nullptr);
  dribbel->phase(1).acceleration(x, b, nullptr);
  EXPECT_NEAR(a[0], b[0], 1e-10);
  EXPECT_NEAR(a[1], b[1], 1e-10);
}

TEST(Expansion, TheGaitOfACompassLeadsToOneOfDribbel) {
  GaitSearchSettings settings{.starts = 2};
  settings.program.speed = 0.5;
  const GaitSearchResult found =
      search_gaits_expanding(walker_kind("dribbel"), {{"slope_deg", 0.0}}, {}, "compass", settings);
  ASSERT_TRUE(found.found());
  EXPECT_NEAR(found.gaits[0].speed, 0.5, 1e-8);
  EXPECT_LT(found.gaits[0].certificate.residual(), 1e-6);
}

TEST(Expansion, UnknownPairsAreNamed) {
  try {
    simpler_walker(walker_kind("dribbel"), {}, "rimless");
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("compass"), std::string::npos) << e.what();
  }
  EXPECT_THROW(simpler_walker(walker_kind("compass"), {}, "dribbel"), Error);
}

}  // namespace
}  // namespace amble
