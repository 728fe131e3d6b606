#include <gtest/gtest.h>

#include "amble/contact/collide.hpp"
#include "amble/contact/test/random_shapes.hpp"

namespace amble {
namespace {

constexpr Kind kKinds[] = {Kind::sphere,   Kind::capsule,   Kind::box,
                           Kind::cylinder, Kind::ellipsoid, Kind::mesh};

/// Two shapes, of which one passes the other, and perhaps through it, in small steps.
struct Passing {
  CollisionShape a, b;
  Pose X_WA, X_WB, by;

  explicit Passing(std::uint64_t seed) {
    Random random(seed);
    a = random_shape(random, kKinds[seed % 6]), b = random_shape(random, kKinds[3 + seed / 6 % 3]);
    X_WA = random_pose(random, 0.3);
    const V from = random_vector(random, 1.0).normalized();
    X_WB = X_WA * Pose(SO3<double>::exp(random_vector(random, 3.0)), 1.8 * from);
    by = Pose(SO3<double>::exp(random_vector(random, 5e-3)),
              X_WA.rotation() * V(-8e-3 * from) + random_vector(random, 2e-3));
  }
  /// The largest way that a point of b goes.
  double step() {
    const Pose X = X_WB;
    X_WB = Pose(by.translation()) * X * Pose(by.rotation());
    return (X_WB.translation() - X.translation()).norm() +
           b.reach() * (X_WB.rotation().matrix() - X.rotation().matrix()).norm();
  }
};

double least(const ContactManifold& manifold) {
  double out = std::numeric_limits<double>::infinity();
  for (int i = 0; i < manifold.count; ++i) out = std::min(out, manifold.points[i].distance);
  return out;
}

TEST(CollideAgain, GivesWhatASearchGivesUntilTheShapesAreSunkIn) {
  constexpr double kMargin = 0.02;
  int touching = 0, apart = 0;
  for (std::uint64_t seed = 1; seed <= 90; ++seed) {
    Passing pass(seed);
    PairMemory memory;
    double moved = 0.0;
    for (int i = 0; i < 400; ++i, moved = pass.step()) {
      ContactManifold again, searched;
      collide(pass.a, pass.X_WA, pass.b, pass.X_WB, 4.0, searched);
      if (searched.count == 0 || least(searched) < 0.0) break;
      collide_again(pass.a, pass.X_WA, pass.b, pass.X_WB, kMargin, moved, memory, again);
      EXPECT_LT(memory.distance, least(searched) + 1e-9) << seed << " step " << i;
      ASSERT_EQ(again.count > 0, least(searched) < kMargin) << seed << " step " << i;
      ++(again.count > 0 ? touching : apart);
      if (again.count == 0) continue;
      EXPECT_NEAR(least(again), least(searched), 1e-9) << seed << " step " << i;
      EXPECT_LT((again.points[0].normal - searched.points[0].normal).norm(), 1e-6) << seed << " step " << i;
    }
  }
  EXPECT_GT(touching, 100);
  EXPECT_GT(apart, 2000);
}

/// The points are in the shapes, no point of either is farther along the normal, and the depth follows the
/// motion: the shapes come out the way they went in.
TEST(CollideAgain, StaysWithTheNormalOfShapesThatSinkIn) {
  int sunk = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    Passing pass(seed);
    PairMemory memory;
    double moved = 0.0, before = std::numeric_limits<double>::infinity();
    int steps = 0;
    for (int i = 0; i < 400 && steps < 12; ++i, moved = pass.step()) {
      ContactManifold at;
      collide_again(pass.a, pass.X_WA, pass.b, pass.X_WB, 1e-3, moved, memory, at);
      if (at.count == 0) continue;
      const double distance = least(at);
      // a corner that is as near to a billionth of the size stands for the nearest points
      EXPECT_NEAR(gap(pass.a, pass.X_WA, pass.b, pass.X_WB, at.points[0].normal), distance, 3e-9)
          << seed << " step " << i;
      if (std::isfinite(before)) {
        EXPECT_GT(distance, before - moved - 3e-9) << seed << " step " << i;
      }
      for (int k = 0; k < at.count; ++k) {
        EXPECT_LT(outside(pass.a, pass.X_WA.inverse() * at.points[k].p_a), 1e-6) << seed << " step " << i;
        EXPECT_LT(outside(pass.b, pass.X_WB.inverse() * at.points[k].p_b), 1e-6) << seed << " step " << i;
      }
      before = distance;
      steps += distance < 0.0;
    }
    sunk += steps > 0;
  }
  EXPECT_GT(sunk, 60);
}

TEST(CollideAgain, AMemoryOfOtherPlacesDoesNoHarm) {
  Random random(5);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Passing pass(seed);
    PairMemory memory;
    ContactManifold at, searched;
    for (int i = 0; i < 20;
         ++i) {  // nothing is promised of how far they moved: here from anywhere to anywhere
      const Pose X_WB = random_pose(random, 1.5);
      collide(pass.a, pass.X_WA, pass.b, X_WB, 0.1, searched);
      collide_again(pass.a, pass.X_WA, pass.b, X_WB, 0.1, 0.0, memory, at);
      if (searched.count > 0 && least(searched) < 0.0) continue;
      ASSERT_EQ(at.count > 0, searched.count > 0) << seed << " place " << i;
      if (at.count > 0) {
        EXPECT_NEAR(least(at), least(searched), 1e-9) << seed << " place " << i;
      }
    }
  }
}

}  // namespace
}  // namespace amble
