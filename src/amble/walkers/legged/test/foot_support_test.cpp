#include "amble/walkers/legged/foot_support.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "amble/mechanism/mechanism.hpp"

namespace amble {
namespace {

/// One free body with these shapes.
Mechanism foot(const std::vector<PlacedShape>& shapes) {
  ModelDescription d{.name = "foot"};
  BodyDescription b{
      .name = "foot",
      .inertia = Inertia<double>::from_com(1.0, {0.0, 0.0, 0.0}, 0.01 * Matrix3<double>::Identity())};
  b.collisions = shapes;
  d.bodies = {b};
  d.joints = {{.name = "free", .type = "free", .parent = kWorld, .child = "foot", .X_PF = {}, .X_CM = {}}};
  return compile(d);
}

FootSupport support(const std::vector<PlacedShape>& shapes,
                    const Vector3<double>& up = Vector3<double>::UnitZ()) {
  const Mechanism m = foot(shapes);
  std::string trouble;
  return support_of_shapes(PosedLinks(m, m.neutral()), {1}, up, ShapeUse::collision, true, trouble).value();
}

PlacedShape placed(Shape::Kind kind, const Vector3<double>& size, const Vector3<double>& p,
                   const SO3<double>& R = {}) {
  return {.name = "",
          .shape = {.kind = kind, .size = size, .file = "", .path = ""},
          .X_BS = Pose(R, p),
          .color = {}};
}

TEST(FootSupports, ABoxStandsOnItsFourCorners) {
  const FootSupport s = support({placed(Shape::Kind::box, {0.2, 0.1, 0.04}, {0.03, 0.01, -0.05})});
  EXPECT_EQ(s.shape, Foot::Shape::sole);
  ASSERT_EQ(s.corners.size(), 4u);
  EXPECT_LT((s.center() - Vector3<double>(0.03, 0.01, -0.07)).norm(), 1e-12);
}

TEST(FootSupports, ABoxThatIsDrawnTiltedStandsOnItsFace) {
  const SO3<double> R = SO3<double>::about(1, 0.3);
  const FootSupport s = support({placed(Shape::Kind::box, {0.2, 0.1, 0.04}, {0.0, 0.0, 0.0}, R)});
  EXPECT_EQ(s.shape, Foot::Shape::sole);
  ASSERT_EQ(s.corners.size(), 4u);
  EXPECT_LT((s.up - R * Vector3<double>::UnitZ()).norm(), 1e-9);
}

TEST(FootSupports, FourSmallSpheresAreASoleAndOneIsABall) {
  std::vector<PlacedShape> shapes;
  for (const double x : {-0.05, 0.12})
    for (const double y : {-0.03, 0.03})
      shapes.push_back(placed(Shape::Kind::sphere, {0.005, 0, 0}, {x, y, -0.03}));
  const FootSupport s = support(shapes);
  EXPECT_EQ(s.shape, Foot::Shape::sole);
  ASSERT_EQ(s.corners.size(), 4u);
  EXPECT_NEAR(s.corners[0][2], -0.035, 1e-12);
  const FootSupport ball = support({shapes[0]});
  EXPECT_EQ(ball.shape, Foot::Shape::ball);
  EXPECT_EQ(ball.radius, 0.005);
  EXPECT_LT((ball.center() - Vector3<double>(-0.05, -0.03, -0.035)).norm(), 1e-12);
}

TEST(FootSupports, ALyingCapsuleIsALine) {
  const FootSupport s = support({placed(Shape::Kind::capsule, {0.01, 0.1, 0}, {0, 0, 0},
                                        SO3<double>::about(1, 0.5 * std::numbers::pi))});
  EXPECT_EQ(s.shape, Foot::Shape::line);
  ASSERT_EQ(s.corners.size(), 2u);
  EXPECT_NEAR((s.corners[0] - s.corners[1]).norm(), 0.1, 1e-9);
}

TEST(FootSupports, HullsKeepEightCornersInside) {
  std::vector<Vector3<double>> circle;
  for (int i = 0; i < 50; ++i) circle.push_back({std::cos(0.1257 * i), std::sin(0.1257 * i), 0.0});
  const std::vector<Vector3<double>> corners = support_hull(circle, Vector3<double>::UnitZ());
  ASSERT_EQ(corners.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) {  // counterclockwise
    const Vector3<double> a = corners[(i + 1) % 8] - corners[i],
                          b = corners[(i + 2) % 8] - corners[(i + 1) % 8];
    EXPECT_GT(cross<double>(a, b)[2], 0.0);
  }
}

TEST(FootSupports, TheBoxOfABoxsInertiaIsThatBox) {
  const Vector3<double> half(0.12, 0.05, 0.02);
  const Vector3<double> squares = half.cwiseProduct(half);
  const Matrix3<double> I =
      (2.0 / 3.0) *
      Matrix3<double>((squares.sum() * Vector3<double>::Ones() - squares).asDiagonal());  // of 2 kg
  EXPECT_LT((inertia_box(Inertia<double>::from_com(2.0, {0.1, 0, 0}, I), SO3<double>()) - half).norm(),
            1e-12);
}

}  // namespace
}  // namespace amble
