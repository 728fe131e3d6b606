#include "amble/geometry/wrapping.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

namespace amble {
namespace {

using std::numbers::pi;
using V = Vector3<double>;

double length(const V& p0, const Wrap& w, const V& p1) {
  return (w.first - p0).norm() + w.length + (p1 - w.second).norm();
}

V anywhere(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> x(-size, size);
  return {x(random), x(random), x(random)};
}

TEST(Wrapping, AStraightWayThatIsClearStaysStraight) {
  EXPECT_FALSE(wrap({false, 1.0}, {-2.0, 1.1, 0.0}, {2.0, 1.1, 0.0}));
  EXPECT_FALSE(wrap({true, 1.0}, {-2.0, 1.1, 5.0}, {2.0, 1.1, -3.0}));
  EXPECT_FALSE(wrap({false, 1.0}, {0.5, 0.0, 0.0}, {2.0, 0.1, 0.0})) << "an end inside";
}

TEST(Wrapping, HalfwayRoundACircleIsKnownInClosedForm) {
  // From (-2, 0) to (2, 0) past the unit circle: two tangents of sqrt 3 and an arc of 60 degrees.
  for (const bool cylinder : {false, true}) {
    const auto w = wrap({cylinder, 1.0}, {-2.0, 0.0, 0.0}, {2.0, 0.0, 0.0}, V(0.0, 3.0, 0.0));
    ASSERT_TRUE(w);
    EXPECT_NEAR(length({-2.0, 0.0, 0.0}, *w, {2.0, 0.0, 0.0}), 2.0 * std::sqrt(3.0) + pi / 3.0, 1e-14);
  }
}

TEST(Wrapping, TheSidePointPullsTheCordToItsSide) {
  const V p0(-0.5, 3.0, 0.0), p1(0.5, 3.0, 0.0);
  EXPECT_FALSE(wrap({true, 1.0}, p0, p1, V(0.0, 2.0, 0.0)));
  const auto below = wrap({true, 1.0}, p0, p1, V(0.0, -2.0, 0.0));
  ASSERT_TRUE(below);
  // A whole turn, less the angle between the ends and those from each end to where its tangent touches.
  const double expected = 2.0 * pi - 2.0 * std::atan2(0.5, 3.0) - 2.0 * std::acos(1.0 / std::hypot(0.5, 3.0));
  EXPECT_NEAR(below->length, expected, 1e-14);
  EXPECT_GT(below->length, pi) << "more than half a turn";
}

TEST(Wrapping, ACordOnACylinderIsAHelix) {
  const V p0(-2.0, 0.0, -1.0), p1(2.0, 0.0, 3.0);
  const auto w = wrap({true, 1.0}, p0, p1, V(0.0, 3.0, 0.0));
  ASSERT_TRUE(w);
  const double flat = 2.0 * std::sqrt(3.0) + pi / 3.0;
  EXPECT_NEAR(length(p0, *w, p1), std::hypot(flat, 4.0), 1e-14);
  EXPECT_NEAR(w->first[2], -1.0 + 4.0 * std::sqrt(3.0) / flat, 1e-14);
}

TEST(Wrapping, TouchesAreOnTheSurfaceAndTangent) {
  std::mt19937 random(7);
  int seen = 0;
  for (int i = 0; i < 2000; ++i) {
    const V p0 = anywhere(random, 2.0), p1 = anywhere(random, 2.0), side = anywhere(random, 3.0);
    const bool sided = i % 2 == 0 && side.norm() > 1.0;
    const auto w = wrap({false, 0.8}, p0, p1, sided ? std::optional(side) : std::nullopt);
    if (!w) continue;
    ++seen;
    EXPECT_NEAR(w->first.norm(), 0.8, 1e-12);
    EXPECT_NEAR(w->second.norm(), 0.8, 1e-12);
    EXPECT_NEAR(w->first.dot(w->first - p0), 0.0, 1e-12);
    EXPECT_NEAR(w->second.dot(w->second - p1), 0.0, 1e-12);
  }
  EXPECT_GT(seen, 300);
}

TEST(Wrapping, InsideTheCordTouchesWhereItIsReflected) {
  // The shortest way between two points by way of a circle that holds neither: both pieces make the same
  // angle with it.
  const V p0(1.0, 0.9, 0.0), p1(-1.0, 1.2, 0.0);
  const auto w = wrap({true, 0.5}, p0, p1, V(0.1, 0.0, 0.0));
  ASSERT_TRUE(w);
  EXPECT_EQ(w->length, 0.0);
  EXPECT_NEAR(w->first.norm(), 0.5, 1e-12);
  const V normal = w->first.normalized(), a = (p0 - w->first).normalized(), b = (p1 - w->first).normalized();
  EXPECT_NEAR(a.dot(normal), b.dot(normal), 1e-9);
  EXPECT_FALSE(wrap({true, 0.5}, {1.0, 0.1, 0.0}, {-1.0, 0.2, 0.0}, V(0.1, 0.0, 0.0)))
      << "the straight way meets the circle";
}

TEST(Wrapping, NoSizeOfABadInputMakesANumberThatIsNone) {
  const double huge = 1e150, nothing = 0.0;
  for (const double x : {huge, nothing, 1e-300})
    for (const bool cylinder : {false, true}) {
      const auto w = wrap({cylinder, 1.0}, {x, x, x}, {-x, 2.0 * x, x}, V(x, 1.0, 0.0));
      if (w) EXPECT_TRUE(w->first.allFinite() && w->second.allFinite() && std::isfinite(w->length));
    }
}

}  // namespace
}  // namespace amble
