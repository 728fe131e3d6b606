#include "amble/contact/body_distance.hpp"

#include <gtest/gtest.h>

#include "amble/base/error.hpp"
#include "amble/base/test/source_dir.hpp"
#include "amble/io/load.hpp"

namespace amble {
namespace {

Mechanism humanoid() { return load(source_dir() + "/models/humanoid30.urdf", {.base = Base::floating}); }

TEST(BodyDistance, OfStandingHandsFromTheFloorIsTheirHeight) {
  const Mechanism m = humanoid();
  BodyDistances distances(m, {.pairs = {{"world", "left_hand"}, {"left_foot", "world"}, {"left_hand", "right_hand"}},
                              .ground = plane_ground()});
  OwnedVector q = m.neutral();
  q[2] = 1.0;  // the soles are 0.705 m below
  const std::vector<BodyDistance>& d = distances.evaluate(q);
  EXPECT_NEAR(d[0].at.distance, 1.0 + 0.35 + 0.18 - 0.25 - 0.25 - 0.10, 1e-12);
  EXPECT_NEAR(d[1].at.distance, 0.295, 1e-12);
  EXPECT_NEAR(d[2].at.distance, 0.50 - 0.09, 1e-12);
  EXPECT_EQ(d[1].bodies.first, "left_foot");
}

TEST(BodyDistance, GradientsAreThoseOfDifferences) {
  const Mechanism m = humanoid();
  BodyDistances distances(m);
  ASSERT_GT(distances.size(), 100u);
  int checked = 0, exact = 0;
  for (int seed = 1; seed <= 3; ++seed) {
    const OwnedVector q = m.random(seed);
    Random random(seed);
    OwnedVector v(m.nv());
    for (double& x : v) x = random.uniform(-1.0, 1.0);
    const auto at = [&](double t) { return distances.evaluate(m.integrate(q, OwnedVector(t * v))); };
    const double h = 1e-4;
    const std::vector<BodyDistance> before = at(-h), after = at(h), before2 = at(-2 * h), after2 = at(2 * h);
    const std::vector<BodyDistance> here = distances.evaluate(q);
    OwnedVector row(m.nv());
    for (std::size_t i = 0; i < distances.size(); ++i) {
      distances.gradient(i, row.data());
      if (here[i].at.distance < 1e-3) continue;  // the normal of what penetrates may be another a little later
      const double near = (after[i].at.distance - before[i].at.distance) / (2.0 * h),
                   far = (after2[i].at.distance - before2[i].at.distance) / (4.0 * h), rate = (4.0 * near - far) / 3.0;
      // Differences that do not agree are across a corner, where the slope jumps.
      if (std::abs(near - far) > 1e-4) continue;
      ++checked;
      exact += std::abs(row.dot(v) - rate) < 2e-6;
      // What the collision library gives where nothing can be proven is some 1e-6 off.
      EXPECT_NEAR(row.dot(v), rate, 2e-5) << here[i].bodies.first << " " << here[i].bodies.second << " seed " << seed;
    }
  }
  EXPECT_GT(checked, 600);
  EXPECT_GT(exact, 0.99 * checked);
}

TEST(BodyDistance, NothingOfTheHumanoidTouchesWhereItStandsStraight) {
  const Mechanism m = humanoid();
  BodyDistances distances(m);
  EXPECT_EQ(distances.size(), 31u * 30u / 2u - 30u);  // all pairs but those that a joint connects
  for (const BodyDistance& d : distances.evaluate(m.neutral()))
    EXPECT_GT(d.at.distance, 0.015) << d.bodies.first << " " << d.bodies.second;
}

TEST(BodyDistance, BodiesThatMeetAreThoseWithoutAJointBetween) {
  const Mechanism m = humanoid();
  for (const BodyPair& pair : meeting_bodies(m)) {
    EXPECT_NE(pair, BodyPair("left_thigh", "left_shank"));
    EXPECT_NE(pair, BodyPair("right_foot", "right_foot"));
  }
}

TEST(BodyDistance, WhatHasNoShapeIsRefused) {
  const Mechanism m = humanoid();
  const auto message = [&](const BodyPair& pair) -> std::string {
    try {
      BodyDistances(m, {.pairs = {pair}});
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message({"left_sole", "head"}), "'left_sole' has no collision shape: a distance from it cannot be told");
  EXPECT_EQ(message({"world", "head"}), "'world' has no collision shape: a distance from it cannot be told");
  EXPECT_EQ(message({"head", "head"}), "body 'head' has no distance from itself: expected two bodies");
  EXPECT_NE(message({"heat", "head"}).find("did you mean 'head'"), std::string::npos);
}

}  // namespace
}  // namespace amble
