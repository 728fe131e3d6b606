#include "amble/control/legged/support_polygon.hpp"

#include <gtest/gtest.h>

#include "amble/base/random.hpp"

namespace amble {
namespace {

SupportPolygon square() {
  SupportPolygon out;
  for (const double x : {1.0, -1.0})
    for (const double y : {-1.0, 1.0}) out.add({x, y});
  return out;
}

TEST(SupportPolygon, points_inside_stay_and_others_go_to_the_nearest_edge_or_corner) {
  const SupportPolygon s = square();
  EXPECT_EQ(s.clip({0.3, -0.9}), Vector2<double>(0.3, -0.9));
  EXPECT_LT((s.clip({0.3, -2.0}) - Vector2<double>(0.3, -1.0)).norm(), 1e-15);
  EXPECT_LT((s.clip({5.0, 7.0}) - Vector2<double>(1.0, 1.0)).norm(), 1e-15);
}

TEST(SupportPolygon, inner_and_repeated_points_are_no_corners) {
  SupportPolygon s = square();
  s.add({0.0, 0.0}), s.add({1.0, 0.0}), s.add({1.0, 1.0});
  EXPECT_EQ(s.corners(), 4);
}

TEST(SupportPolygon, a_line_and_a_point_clip_onto_themselves) {
  SupportPolygon s;
  s.add({1.0, 2.0});
  EXPECT_EQ(s.clip({7.0, -3.0}), Vector2<double>(1.0, 2.0));
  s.add({1.0, 4.0});
  EXPECT_LT((s.clip({7.0, 3.0}) - Vector2<double>(1.0, 3.0)).norm(), 1e-15);
}

TEST(SupportPolygon, no_point_of_the_hull_is_nearer_than_the_clipped_one) {
  Random random(5);
  for (int trial = 0; trial < 200; ++trial) {
    SupportPolygon s;
    std::vector<Vector2<double>> points;
    for (int i = 0; i < 7; ++i) {
      points.push_back({random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)});
      s.add(points.back());
    }
    const Vector2<double> p(random.uniform(-3.0, 3.0), random.uniform(-3.0, 3.0)), near = s.clip(p);
    // The variational inequality of a projection: (p - near) . (x - near) <= 0 for every x of the set.
    for (const Vector2<double>& x : points) EXPECT_LE((p - near).dot(x - near), 1e-12) << trial;
    EXPECT_LT((s.clip(near) - near).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace amble
