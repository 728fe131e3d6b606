#include "amble/ports/spatial_potential.hpp"

#include <gtest/gtest.h>

#include "amble/base/slope.hpp"
#include "amble/mechanism/random_mechanism.hpp"

namespace amble {
namespace {

Matrix3<double> random_stiffness(Random& random) {
  Matrix3<double> A;
  for (int i = 0; i < 9; ++i) A(i / 3, i % 3) = random.uniform(-1.0, 1.0);
  return A * A.transpose();
}

TEST(SpatialPotential, TheWrenchIsItsDerivativeEverywhere) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    const SpatialStiffness K{random_stiffness(random), random_stiffness(random)};
    const Pose X = random_pose(random);
    const SpatialPotential here = spatial_potential(K, X);
    for (int k = 0; k < 6; ++k) {
      const Twist<double> along(Vector6<double>::Unit(k));
      const double slope =
          slope_at_zero([&](double h) { return spatial_potential(K, X * Pose::exp(h * along)).energy; });
      EXPECT_NEAR(slope, power(along, here.slope), 1e-11) << "seed " << seed;
    }
  }
}

TEST(SpatialPotential, AtRestItsSecondDerivativeIsTheStiffness) {
  Random random(4);
  const SpatialStiffness K{random_stiffness(random), random_stiffness(random)};
  for (int k = 0; k < 6; ++k) {
    const Twist<double> along(Vector6<double>::Unit(k));
    const Vector6<double> rate =
        slope_at_zero([&](double h) { return spatial_potential(K, Pose::exp(h * along)).slope.vector(); });
    Vector6<double> expected = Vector6<double>::Zero();
    if (k < 3)
      expected.head<3>() = K.translation.col(k);
    else
      expected.tail<3>() = K.rotation.col(k - 3);
    EXPECT_LT((rate - expected).norm(), 1e-11);
  }
}

TEST(SpatialPotential, IsTheSameSeenFromEitherFrame) {
  Random random(7);
  const SpatialStiffness K{random_stiffness(random), random_stiffness(random)};
  for (int i = 0; i < 20; ++i) {
    const Pose X = random_pose(random);
    EXPECT_NEAR(spatial_potential(K, X).energy, spatial_potential(K, X.inverse()).energy, 1e-13);
  }
}

TEST(SpatialPotential, IsThatOfATurnAboutAnAxisAndHasNoKinkAtHalfTurns) {
  Random random(9);
  const SpatialStiffness K{.rotation = random_stiffness(random)};
  const Vector3<double> u = Vector3<double>(1.0, -2.0, 0.5).normalized();
  for (const double angle : {0.0, 0.3, 2.0, 3.14159, 3.1416, 5.0}) {
    const Pose X(SO3<double>::exp(angle * u));
    EXPECT_NEAR(spatial_potential(K, X).energy, (1.0 - std::cos(angle)) * u.dot(K.rotation * u), 1e-13);
    EXPECT_NEAR(u.dot(spatial_potential(K, X).slope.angular()), std::sin(angle) * u.dot(K.rotation * u), 1e-13);
  }
}

}  // namespace
}  // namespace amble
