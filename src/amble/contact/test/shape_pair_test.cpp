#include "amble/contact/shape_pair.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/base/test/source_dir.hpp"
#include "amble/contact/direct_pairs.hpp"
#include "amble/contact/nearest_shapes.hpp"
#include "amble/contact/test/moving_frames.hpp"

namespace amble {
namespace {

using namespace testing;
using Kind = CollisionShape::Kind;
constexpr std::array kConvex{Kind::sphere,   Kind::capsule,   Kind::box,
                             Kind::cylinder, Kind::ellipsoid, Kind::mesh};
const LinkFrame kFirst{0, Pose()}, kSecond{1, Pose()};

CollisionShape random_shape(Random& random, Kind kind) {
  const auto size = [&] { return random.uniform(0.3, 1.2); };
  switch (kind) {
    case Kind::sphere:
      return sphere_shape(size());
    case Kind::capsule:
      return capsule_shape(0.5 * size(), 2.0 * size());
    case Kind::box:
      return box_shape({size(), size(), size()});
    case Kind::cylinder:
      return cylinder_shape(0.5 * size(), size());
    case Kind::ellipsoid:
      return ellipsoid_shape({0.5 * size(), 0.5 * size(), 0.5 * size()});
    default:
      break;
  }
  std::vector<V> points;
  for (int i = 0; i < 14; ++i) points.push_back(random_vector(random, 0.6));
  return mesh_shape(std::make_shared<ConvexMesh>(points));
}

TEST(ShapePair, NearestPointsOfConvexShapesAreProven) {
  for (const Kind ka : kConvex)
    for (const Kind kb : kConvex)
      for (int seed = 1; seed <= 30; ++seed) {
        Random random(100 * seed + 10 * static_cast<int>(ka) + static_cast<int>(kb));
        const CollisionShape a = random_shape(random, ka), b = random_shape(random, kb);
        const detail::NearestShapes at =
            detail::nearest_shapes(a, random_pose(random, 0.8), b, random_pose(random, 0.8));
        EXPECT_TRUE(at.proven) << static_cast<int>(ka) << " " << static_cast<int>(kb) << " seed " << seed
                               << " distance " << at.distance;
        EXPECT_NEAR((at.p_b - at.p_a - at.distance * at.normal).norm(), 0.0, 1e-13);
      }
}

TEST(ShapePair, VelocitiesAreThoseOfDifferences) {
  int checked = 0;
  for (const Kind ka : kConvex)
    for (const Kind kb : kConvex)
      for (int seed = 1; seed <= 12; ++seed) {
        Random random(100 * seed + 10 * static_cast<int>(ka) + static_cast<int>(kb));
        const ContactPairPtr pair =
            shape_pair("pair", kFirst, random_shape(random, ka), kSecond, random_shape(random, kb));
        const MovingFrame a = moving(random, random_pose(random, 0.9)),
                          b = moving(random, random_pose(random, 0.9));
        const double h = 1e-5;
        // the same faces, edges and corners must meet all the while
        const auto normal = [&](double t) -> V { return pair->nearest(a.at(t), b.at(t)).normal; };
        const V bend = (normal(4 * h) - 2.0 * normal(0.0) + normal(-4 * h)) / (16 * h * h);
        if (bend.norm() > 200.0) continue;
        ++checked;
        const ContactMotion exact = pair->motion(pair->nearest(a.at(0.0), b.at(0.0)), a.at(0.0), b.at(0.0));
        EXPECT_LT(difference(exact, motion_by_differences(*pair, a, b, h)), 1e-7 * (1.0 + size_of(exact)))
            << static_cast<int>(ka) << " " << static_cast<int>(kb) << " seed " << seed;
      }
  EXPECT_GT(checked, 350);
}

TEST(ShapePair, OverAPlaneEitherWayRoundItIsTheDirectPair) {
  for (int seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const V S(0.5, 0.3, 0.2);
    const MovingFrame a = moving(random, random_pose(random, 1.0)),
                      b = moving(random, random_pose(random, 1.0));
    const ContactPairPtr direct = ellipsoid_on_plane_pair("egg", kFirst, kSecond, S);
    const ContactPairPtr shapes = shape_pair("egg", kFirst, plane_shape(), kSecond, ellipsoid_shape(S));
    const ContactPairPtr turned = shape_pair("egg", kSecond, ellipsoid_shape(S), kFirst, plane_shape());
    const ContactPoint x = direct->nearest(a.at(0.0), b.at(0.0)), y = shapes->nearest(a.at(0.0), b.at(0.0)),
                       z = turned->nearest(b.at(0.0), a.at(0.0));
    EXPECT_NEAR((x.p_b - y.p_b).norm() + (x.p_a - y.p_a).norm(), 0.0, 1e-13);
    EXPECT_NEAR((x.p_b - z.p_a).norm() + (x.p_a - z.p_b).norm() + (x.normal + z.normal).norm(), 0.0, 1e-13);
    EXPECT_EQ(z.link_a, 1);
    const ContactMotion mx = direct->motion(x, a.at(0.0), b.at(0.0)),
                        mz = turned->motion(z, b.at(0.0), a.at(0.0));
    EXPECT_NEAR((mx.p_b_dot - mz.p_a_dot).norm() + (mx.normal_dot + mz.normal_dot).norm(), 0.0, 1e-12);
    EXPECT_LT(difference(mx, shapes->motion(y, a.at(0.0), b.at(0.0))), 1e-12);
  }
}

TEST(ShapePair, OfTwoBallsItIsTheDirectPair) {
  for (int seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const MovingFrame a = moving(random, random_pose(random, 1.0)),
                      b = moving(random, random_pose(random, 1.0));
    const ContactPairPtr direct = sphere_on_sphere_pair("balls", kFirst, 0.5, kSecond, 0.2);
    const ContactPairPtr shapes = shape_pair("balls", kFirst, sphere_shape(0.5), kSecond, sphere_shape(0.2));
    const ContactPoint x = direct->nearest(a.at(0.0), b.at(0.0)), y = shapes->nearest(a.at(0.0), b.at(0.0));
    EXPECT_NEAR((x.p_b - y.p_b).norm() + (x.p_a - y.p_a).norm() + (x.normal - y.normal).norm(), 0.0, 1e-12)
        << seed;
    EXPECT_LT(difference(direct->motion(x, a.at(0.0), b.at(0.0)), shapes->motion(y, a.at(0.0), b.at(0.0))),
              1e-11);
  }
}

/// Flat on flat: the middle of what they share, and no velocity.
TEST(ShapePair, FlatOnFlatTouchesInTheMiddleOfWhatIsShared) {
  const ContactPairPtr pair =
      shape_pair("stack", kFirst, box_shape({2.0, 2.0, 1.0}), kSecond, box_shape({2.0, 2.0, 1.0}));
  FrameMotion below, above;
  above.p = {1.0, 0.5, 1.1};
  const ContactPoint at = pair->nearest(below, above);
  EXPECT_NEAR((at.p_a - V(0.5, 0.25, 0.5)).norm(), 0.0, 1e-12);
  EXPECT_NEAR(at.distance, 0.1, 1e-13);
  try {
    pair->motion(at, below, above);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "contact 'stack' lies flat: its nearest points are a line or an area, which has no "
                 "velocity; collide() gives its corners");
  }
  const ContactPairPtr lying = shape_pair("log", kFirst, plane_shape(), kSecond, cylinder_shape(0.2, 1.0));
  above.R = SO3<double>::exp({0.5 * std::numbers::pi, 0.0, 0.0}).matrix();
  EXPECT_NEAR((lying->nearest(below, above).p_b - V(1.0, 0.5, 0.9)).norm(), 0.0, 1e-12);
}

TEST(ShapePair, BodiesThatJustTouchAreProvenToo) {
  Random random(3);
  for (int seed = 1; seed <= 60; ++seed) {
    for (const Kind ka : kConvex) {
      const CollisionShape a = random_shape(random, ka),
                           b = random_shape(random, kConvex[seed % kConvex.size()]);
      const Pose X_WA = random_pose(random, 1.0), X_WB = random_pose(random, 1.0);
      const detail::NearestShapes apart = detail::nearest_shapes(a, X_WA, b, X_WB);
      ASSERT_TRUE(apart.proven);
      for (const double left : {0.0, 1e-12, -1e-12, 1e-7, -1e-7}) {
        const Pose closer(X_WB.rotation(), X_WB.translation() - (apart.distance - left) * apart.normal);
        const detail::NearestShapes at = detail::nearest_shapes(a, X_WA, b, closer);
        EXPECT_TRUE(at.proven) << seed << " " << static_cast<int>(ka) << " left " << left;
        // sunk in, the shortest way out may be another one
        EXPECT_GT(at.distance, left - 1e-10) << seed << " " << static_cast<int>(ka);
        EXPECT_LT(at.distance, std::max(left, 0.0) + 1e-10) << seed << " " << static_cast<int>(ka);
      }
    }
  }
}

TEST(ShapePair, WhatHasNoNearestPointsIsRefused) {
  EXPECT_THROW(shape_pair("two", kFirst, plane_shape(), kSecond, plane_shape()), Error);
  EXPECT_THROW(shape_pair("box", kFirst, ground_shape(plane_ground()), kSecond, box_shape({1, 1, 1})), Error);
  EXPECT_NO_THROW(
      shape_pair("egg", kFirst, ground_shape(plane_ground()), kSecond, ellipsoid_shape({1, 2, 1})));
  const ContactPairPtr pair =
      shape_pair("balls", kFirst, sphere_shape(1.0), kSecond, ellipsoid_shape({1, 2, 1}));
  EXPECT_THROW(pair->motion({.normal = V(0.0, 0.0, 0.0)}, FrameMotion{}, FrameMotion{}), Error);
}

TEST(ConvexMesh, AShapeOfAModelIsReadFromTheFileThatWasFound) {
  const std::string corpus = source_dir() + "/fuzz/corpus/";
  for (const char* file : {"obj/box.obj", "stl/box.stl", "msh/box.msh"}) {
    const Shape shape{Shape::Kind::mesh, {2.0, 1.0, 1.0}, "package://parts/box", corpus + file};
    const auto mesh = load_convex_mesh(shape);
    EXPECT_EQ(mesh->vertices().size(), 8u) << file;
    EXPECT_EQ(mesh->faces().size(), 6u) << file;
  }
  const Shape lost{Shape::Kind::mesh, {1.0, 1.0, 1.0}, "box.obj", ""};
  EXPECT_EQ(message_of([&] { load_convex_mesh(lost); }), "mesh 'box.obj' was not found when its model was loaded; it is looked for beside the model file and in the folders above it");
  EXPECT_EQ(load_convex_mesh(corpus + "dae/triangle.dae")->vertices().size() > 3, true);  // by the helper
}

TEST(ConvexMesh, AFileGivesTheHullOfWhatItHolds) {
  const std::string file = ::testing::TempDir() + "amble_convex_mesh.obj";
  if (FILE* const out = std::fopen(file.c_str(), "w")) {
    std::fputs(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.1 0.1 0.1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 5\nf 2 4 5\nf 3 "
        "4 5\n",
        out);
    std::fclose(out);
  }
  const auto mesh = load_convex_mesh(file, {2.0, 1.0, 1.0});
  EXPECT_EQ(mesh->vertices().size(), 4u);
  EXPECT_EQ(mesh->faces().size(), 4u);
  EXPECT_NEAR(mesh->vertices()[mesh->farthest(V::UnitX())].x(), 2.0, 1e-6);
  std::remove(file.c_str());
}

}  // namespace
}  // namespace amble
