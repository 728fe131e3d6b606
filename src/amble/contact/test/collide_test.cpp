#include "amble/contact/collide.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "amble/base/error.hpp"
#include "amble/contact/test/random_shapes.hpp"

namespace amble {
namespace {

/// The signed distance is the largest gap over all directions: here a large one, by trying many and climbing
/// from the best.
double large_gap(const CollisionShape& a, const Pose& X_WA, const CollisionShape& b, const Pose& X_WB) {
  Random random(7);
  std::vector<std::pair<double, V>> tried;
  const auto value = [&](const V& n) { return gap(a, X_WA, b, X_WB, n); };
  for (int i = 0; i < 200; ++i) {
    const V n = V(random.normal(), random.normal(), random.normal()).normalized();
    tried.emplace_back(value(n), n);
  }
  std::sort(tried.begin(), tried.end(), [](const auto& x, const auto& y) { return x.first > y.first; });
  double most = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < 5; ++k) {
    auto [best, n] = tried[k];
    for (double step = 0.2; step > 1e-10; step *= 0.7)
      for (int i = 0; i < 16; ++i) {
        const V next = (n + step * V(random.normal(), random.normal(), random.normal())).normalized();
        if (value(next) > best) best = value(next), n = next;
      }
    most = std::max(most, best);
  }
  return most;
}

double least(const ContactManifold& manifold) {
  double out = std::numeric_limits<double>::infinity();
  for (int i = 0; i < manifold.count; ++i) out = std::min(out, manifold.points[i].distance);
  return out;
}

void expect_sound(const ContactManifold& manifold, const CollisionShape& a, const Pose& X_WA,
                  const CollisionShape& b, const Pose& X_WB, double margin, double skin,
                  const std::string& trace) {
  SCOPED_TRACE(trace);
  for (int i = 0; i < manifold.count; ++i) {
    const ContactPoint& point = manifold.points[i];
    EXPECT_LT(point.distance, margin);
    EXPECT_NEAR(point.normal.norm(), 1.0, 1e-12);
    EXPECT_NEAR((point.p_b - point.p_a - point.distance * point.normal).norm(), 0.0, 1e-12);
    EXPECT_LT(outside(a, X_WA.inverse() * point.p_a), skin);
    EXPECT_LT(outside(b, X_WB.inverse() * point.p_b), skin);
  }
}

std::string name(Kind kind) {
  return std::array<std::string, 8>{"sphere",    "capsule", "box",   "cylinder",
                                    "ellipsoid", "mesh",    "plane", "ground"}[static_cast<int>(kind)];
}

TEST(Collide, ConvexBodiesOverAPlaneTouchWithTheirLowestPoint) {
  for (const Kind kind :
       {Kind::sphere, Kind::capsule, Kind::box, Kind::cylinder, Kind::ellipsoid, Kind::mesh})
    for (int seed = 1; seed <= 200; ++seed) {
      Random random(seed);
      const CollisionShape shape = random_shape(random, kind), plane = plane_shape();
      const Pose X_WP = random_pose(random, 1.0), X_WB = X_WP * random_pose(random, 0.8);
      const V n = X_WP.rotation() * V::UnitZ();
      const double lowest =
          n.dot(X_WB * farthest(shape, X_WB.rotation().inverse() * V(-n)) - X_WP.translation());
      ContactManifold manifold;
      collide(plane, X_WP, shape, X_WB, 0.1, manifold);
      EXPECT_EQ(manifold.count > 0, lowest < 0.1);
      if (lowest < 0.1) {
        EXPECT_NEAR(least(manifold), lowest, 1e-13) << name(kind) << " seed " << seed;
      }
      expect_sound(manifold, plane, X_WP, shape, X_WB, 0.1, 1e-12, name(kind));
      ContactManifold turned;
      collide(shape, X_WB, plane, X_WP, 0.1, turned);
      ASSERT_EQ(turned.count, manifold.count);
      for (int i = 0; i < turned.count; ++i) {
        EXPECT_EQ(turned.points[i].normal, -manifold.points[i].normal);
        EXPECT_EQ(turned.points[i].p_a, manifold.points[i].p_b);
      }
    }
}

TEST(Collide, BodiesThatLieFlatOnAPlaneRestOnTheirCorners) {
  const Pose X_WP, flat(V(0.0, 0.0, 0.5));
  ContactManifold manifold;
  collide(plane_shape(), X_WP, box_shape({1.0, 2.0, 1.0}), flat, 0.01, manifold);
  EXPECT_EQ(manifold.count, 4);
  collide(plane_shape(), X_WP, cylinder_shape(0.3, 1.0), flat, 0.01, manifold);
  EXPECT_EQ(manifold.count, 4);
  collide(plane_shape(), X_WP, cylinder_shape(0.5, 1.0),
          Pose(SO3<double>::exp({1.5707963267948966, 0.0, 0.0}), V(0.0, 0.0, 0.5)), 0.01, manifold);
  EXPECT_EQ(manifold.count, 2);
  const ConvexMesh cube({{0, 0, 0},
                         {1, 0, 0},
                         {0, 1, 0},
                         {1, 1, 0},
                         {0, 0, 1},
                         {1, 0, 1},
                         {0, 1, 1},
                         {1, 1, 1},
                         {0.5, 0.5, 0.5}});
  EXPECT_EQ(cube.vertices().size(), 8u);
  EXPECT_EQ(cube.faces().size(), 6u);
  collide(plane_shape(), X_WP, mesh_shape(std::make_shared<ConvexMesh>(cube)), Pose(), 0.01, manifold);
  EXPECT_EQ(manifold.count, 4);
}

const ContactPoint& deepest(const ContactManifold& manifold) {
  int out = 0;
  for (int i = 1; i < manifold.count; ++i)
    if (manifold.points[i].distance < manifold.points[out].distance) out = i;
  return manifold.points[out];
}

/// The deepest point is the signed distance: the bodies have that gap along its normal, and a search finds no
/// larger one. Where they are apart the first alone proves it, since the points are in the bodies.
void expect_as_near_as_can_be(Kind ka, Kind kb, int seeds, double skin, double tolerance) {
  const double margin = 0.15;
  int touching = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    Random random(1000 * seed + 10 * static_cast<int>(ka) + static_cast<int>(kb));
    const CollisionShape a = random_shape(random, ka), b = random_shape(random, kb);
    const Pose X_WA = random_pose(random, 0.5), X_WB = random_pose(random, 1.0);
    ContactManifold manifold;
    collide(a, X_WA, b, X_WB, margin, manifold);
    const double large = large_gap(a, X_WA, b, X_WB);
    const std::string trace =
        name(ka) + " and " + name(kb) + ", seed " + std::to_string(seed) + ", gap " + std::to_string(large);
    expect_sound(manifold, a, X_WA, b, X_WB, margin, skin, trace);
    if (manifold.count == 0) {
      EXPECT_GT(large, margin - 2e-4) << trace;  // the search is not that good
      continue;
    }
    ++touching;
    const ContactPoint& point = deepest(manifold);
    EXPECT_NEAR(gap(a, X_WA, b, X_WB, point.normal), point.distance, tolerance) << trace;
    EXPECT_GT(point.distance, large - tolerance) << trace;
  }
  EXPECT_GT(touching, seeds / 10);
}

TEST(Collide, BallsSticksAndBoxesAreAsNearAsCanBe) {
  for (const Kind ka : {Kind::sphere, Kind::capsule, Kind::box})
    for (const Kind kb : {Kind::sphere, Kind::capsule}) expect_as_near_as_can_be(ka, kb, 100, 3e-6, 1e-9);
}

/// The signed distance of two boxes: the largest gap along all directions between two corners, a corner and
/// an edge, two edges, and of the faces.
double box_distance(const CollisionShape& a, const Pose& X_WA, const CollisionShape& b, const Pose& X_WB) {
  double most = -std::numeric_limits<double>::infinity();
  const auto along = [&](const V& d) {
    if (d.norm() < 1e-9) return;
    for (const double sign : {-1.0, 1.0}) most = std::max(most, gap(a, X_WA, b, X_WB, sign * d.normalized()));
  };
  const auto corner = [](const CollisionShape& s, const Pose& X, int k) {
    return X * s.size.cwiseProduct(V(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1));
  };
  const auto axis = [](const Pose& X, int i) { return V(X.rotation().matrix().col(i)); };
  for (int i = 0; i < 3; ++i) {
    along(axis(X_WA, i));
    along(axis(X_WB, i));
    for (int j = 0; j < 3; ++j) along(cross<double>(axis(X_WA, i), axis(X_WB, j)));
  }
  for (int k = 0; k < 8; ++k)
    for (int l = 0; l < 8; ++l) {
      const V d = corner(b, X_WB, l) - corner(a, X_WA, k);
      along(d);
      for (int i = 0; i < 3; ++i)
        for (const Pose& X : {X_WA, X_WB}) along(d - axis(X, i).dot(d) * axis(X, i));
    }
  return most;
}

TEST(Collide, BoxesAreAsNearAsCanBe) {
  const double margin = 0.1;
  int apart = 0, inside = 0;
  for (int seed = 1; seed <= 3000; ++seed) {
    Random random(seed);
    const CollisionShape a = random_shape(random, Kind::box), b = random_shape(random, Kind::box);
    const Pose X_WA = random_pose(random, 0.3), X_WB = random_pose(random, 0.8);
    const double truth = box_distance(a, X_WA, b, X_WB);
    ContactManifold manifold;
    collide(a, X_WA, b, X_WB, margin, manifold);
    const std::string trace = "seed " + std::to_string(seed) + ", distance " + std::to_string(truth);
    expect_sound(manifold, a, X_WA, b, X_WB, margin, 3e-6, trace);
    ++(truth > 0.0 ? apart : inside);
    if (truth > margin) {
      EXPECT_EQ(manifold.count, 0) << trace;
    }
    // An edge near the normal of a face goes with the face: then a little off, at most by 1 - cos(2.6
    // degrees).
    if (truth > margin * 0.998) continue;
    ASSERT_GT(manifold.count, 0) << trace;
    EXPECT_NEAR(deepest(manifold).distance, truth, 2e-3 * std::abs(truth) + 1e-6) << trace;
  }
  EXPECT_GT(apart, 300);
  EXPECT_GT(inside, 300);
}

TEST(Collide, OtherConvexBodiesAreAsNearAsCanBe) {
  for (const Kind ka : {Kind::sphere, Kind::capsule, Kind::box, Kind::cylinder, Kind::ellipsoid, Kind::mesh})
    for (const Kind kb : {Kind::cylinder, Kind::ellipsoid, Kind::mesh})
      expect_as_near_as_can_be(ka, kb, 60, 1e-6, 1e-9);
}

TEST(Collide, ANormalThatWasRightAMomentAgoLeadsToTheSamePoints) {
  Random random(21);
  int met = 0;
  for (int trial = 0; trial < 400; ++trial) {
    constexpr Kind kKinds[] = {Kind::capsule, Kind::box, Kind::cylinder, Kind::ellipsoid, Kind::mesh};
    const CollisionShape a = random_shape(random, kKinds[trial % 5]), b = random_shape(random, kKinds[2 + trial % 3]);
    const Pose X_WA = random_pose(random, 0.1), X_WB = random_pose(random, 1.5);
    const Pose moved = X_WB * Pose(SO3<double>::exp(random_vector(random, 2e-3)), random_vector(random, 2e-3));
    ContactManifold before, searched, led;
    collide(a, X_WA, b, X_WB, 2.0, before);
    collide(a, X_WA, b, moved, 2.0, searched);
    if (before.count == 0 || deepest(searched).distance < 0.0) continue;  // sunk in, there may be several ways out
    ++met;
    collide(a, X_WA, b, moved, 2.0, led, &before.points[0].normal);
    ASSERT_EQ(led.count, searched.count) << trial;
    EXPECT_NEAR(deepest(led).distance, deepest(searched).distance, 1e-9) << trial;
    EXPECT_LT((deepest(led).normal - deepest(searched).normal).norm(), 1e-7) << trial;
    const V wrong = -before.points[0].normal;
    collide(a, X_WA, b, moved, 2.0, led, &wrong);
    EXPECT_NEAR(deepest(led).distance, deepest(searched).distance, 1e-9) << trial << ": a wrong one does no harm";
  }
  EXPECT_GT(met, 150);
}

TEST(Collide, TheRimOfALevelCanStaysWhereItWas) {
  const CollisionShape can = cylinder_shape(0.03, 0.1);
  ContactManifold out;
  for (const double tilt : {0.0, 1e-14, 1e-12}) {
    const V way(0.6, 0.8, 0.0);
    const Pose X(SO3<double>::exp(V(tilt, -0.3 * tilt, 0.0)), {0.0, 0.0, 0.05});
    collide(plane_shape(), Pose(), can, X, 1e-3, out, &way);
    ASSERT_EQ(out.count, 4) << tilt;
    EXPECT_LT((out.points[0].p_b - 0.03 * way).norm(), 1e-10) << tilt;
  }
  const V way(0.6, 0.8, 0.0);  // leaning more than rounding, the lowest point counts
  collide(plane_shape(), Pose(), can, Pose(SO3<double>::exp(V(0.0, 1e-3, 0.0)), {0.0, 0.0, 0.05}), 1e-3, out, &way);
  EXPECT_NEAR(out.points[0].p_b.x(), 0.03, 1e-4);
  EXPECT_NEAR(out.points[0].distance, 0.05 - 0.05 * std::cos(1e-3) - 0.03 * std::sin(1e-3), 1e-13);  // a lean is a difference
}

TEST(Collide, AStackedBoxRestsOnFourCornersAndATurnedOneOnEight) {
  const CollisionShape cube = box_shape({1.0, 1.0, 1.0});
  for (int seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const Pose X_WA = random_pose(random, 1.0);
    // moved and tilted by rounding
    const Pose X_AB(SO3<double>::exp(random_vector(random, 1e-9)),
                    V(0.0, 0.0, 1.0 - 1e-6) + random_vector(random, 1e-9));
    ContactManifold manifold;
    collide(cube, X_WA, cube, X_WA * X_AB, 0.01, manifold);
    ASSERT_EQ(manifold.count, 4) << seed;
    for (int i = 0; i < 4; ++i) {
      EXPECT_NEAR(manifold.points[i].distance, -1e-6, 1e-8);
      const V p = X_WA.inverse() * manifold.points[i].p_b;
      EXPECT_NEAR(std::abs(p.x()), 0.5, 1e-6);
      EXPECT_NEAR(std::abs(p.y()), 0.5, 1e-6);
    }
    const Pose turned(SO3<double>::exp({0.0, 0.0, 0.785398163397448}), V(0.0, 0.0, 1.0));
    collide(cube, X_WA, cube, X_WA * turned, 0.01, manifold);
    EXPECT_EQ(manifold.count, 8);
  }
}

TEST(Collide, CrossedBoxesTouchEdgeOnEdge) {
  const double quarter = 0.785398163397448, diagonal = std::sqrt(0.5);
  const CollisionShape cube = box_shape({1.0, 1.0, 1.0});
  const Pose below(SO3<double>::exp({quarter, 0.0, 0.0})),
      above(SO3<double>::exp({0.0, quarter, 0.0}), V(0.1, 0.2, 2.0 * diagonal - 0.01));
  ContactManifold manifold;
  collide(cube, below, cube, above, 0.0, manifold);
  ASSERT_EQ(manifold.count, 1);
  EXPECT_NEAR(manifold.points[0].distance, -0.01, 1e-14);
  EXPECT_NEAR((manifold.points[0].normal - V::UnitZ()).norm(), 0.0, 1e-14);
  EXPECT_NEAR((manifold.points[0].p_a - V(0.1, 0.0, diagonal)).norm(), 0.0, 0.2);
  EXPECT_NEAR(manifold.points[0].p_a.z(), diagonal, 1e-14);
}

TEST(Collide, AStickThatLiesOnABoxRestsOnItsEnds) {
  ContactManifold manifold;
  const Pose lying(SO3<double>::exp({0.0, 1.5707963267948966, 0.0}), V(0.0, 0.0, 0.6));
  collide(box_shape({4.0, 4.0, 1.0}), Pose(), capsule_shape(0.1, 1.0), lying, 0.01, manifold);
  ASSERT_EQ(manifold.count, 2);
  EXPECT_NEAR(std::abs(manifold.points[0].p_a.x()), 0.5, 1e-12);
  collide(box_shape({0.6, 4.0, 1.0}), Pose(), capsule_shape(0.1, 1.0), lying, 0.01,
          manifold);  // past both edges
  ASSERT_EQ(manifold.count, 2);
  EXPECT_NEAR(std::abs(manifold.points[0].p_a.x()), 0.3, 1e-6);
  collide(capsule_shape(0.1, 1.0), lying, capsule_shape(0.1, 1.0), Pose(V(0.0, 0.0, 0.2)) * lying, 0.01,
          manifold);
  ASSERT_EQ(manifold.count, 2);
  collide(cylinder_shape(0.5, 1.0), Pose(), box_shape({0.2, 0.2, 0.2}), Pose(V(0.1, 0.0, 0.6)), 0.01,
          manifold);
  EXPECT_EQ(manifold.count, 4);
}

TEST(Collide, OnAGroundEveryPointIsAsFarAsTheGroundIs) {
  const GroundPtr waves = sine_ground({.amplitude = 0.05, .frequency = 0.5, .direction_deg = 30.0});
  for (const Kind kind :
       {Kind::sphere, Kind::capsule, Kind::box, Kind::cylinder, Kind::ellipsoid, Kind::mesh})
    for (int seed = 1; seed <= 40; ++seed) {
      Random random(seed);
      const CollisionShape shape = random_shape(random, kind);
      const Pose X_WG = random_pose(random, 1.0), X_GB = random_pose(random, 0.6);
      ContactManifold manifold;
      collide(ground_shape(waves), X_WG, shape, X_WG * X_GB, 0.1, manifold);
      for (int i = 0; i < manifold.count; ++i) {
        const ContactPoint& point = manifold.points[i];
        const V p = X_WG.inverse() * point.p_a;
        EXPECT_NEAR(waves->clearance(p), 0.0, 1e-9) << name(kind) << seed;
        EXPECT_NEAR((X_WG.rotation().inverse() * point.normal - waves->at(p.x(), p.y()).normal()).norm(), 0.0,
                    1e-9);
        EXPECT_LT(outside(shape, (X_WG * X_GB).inverse() * point.p_b), 1e-9);
      }
    }
}

TEST(Collide, WhatMakesNoSenseIsRefused) {
  ContactManifold manifold;
  const auto message = [&](const CollisionShape& a, const Pose& X, double margin) -> std::string {
    try {
      collide(a, X, plane_shape(), Pose(), margin, manifold);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(sphere_shape(1.0), Pose(), -0.1), "collide with a margin of -0.1: expected 0 or more");
  EXPECT_EQ(message(plane_shape(), Pose(), 0.1),
            "collide of two planes or grounds: expected a body on one of them");
  EXPECT_EQ(message(sphere_shape(1.0), Pose(V(0.0, std::nan(""), 0.0)), 0.1),
            "collide with a at (0, nan, 0): expected a pose of finite numbers");
  EXPECT_THROW(sphere_shape(0.0), Error);
  EXPECT_THROW(capsule_shape(1.0, -1.0), Error);
  EXPECT_THROW(box_shape({1.0, std::nan(""), 1.0}), Error);
  EXPECT_THROW(mesh_shape(nullptr), Error);
  EXPECT_THROW(ground_shape(nullptr), Error);
  EXPECT_THROW(ConvexMesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}), Error);
  EXPECT_THROW(ConvexMesh({{0, 0, 0}, {1, 0, 0}}), Error);
  EXPECT_THROW(load_convex_mesh("no such file.obj"), Error);
}

}  // namespace
}  // namespace amble
