#include "amble/contact/direct_pairs.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/contact/shape_pair.hpp"
#include "amble/contact/test/moving_frames.hpp"

namespace amble {
namespace {

using namespace testing;

const LinkFrame kGround{0, Pose()}, kBody{1, Pose()};
const std::vector<std::pair<const char*, Tip>> kTips{{"point", point_tip()},
                                                     {"sphere", sphere_tip(0.3)},
                                                     {"disc", disc_tip(0.4)},
                                                     {"ellipse", ellipse_tip(0.4, 0.2)},
                                                     {"ellipsoid", ellipsoid_tip({0.5, 0.3, 0.2})}};

/// Normal to a, the distance between, and on both sides of it.
void expect_sound(const ContactPoint& at, const std::string& trace) {
  EXPECT_NEAR(at.normal.norm(), 1.0, 1e-14) << trace;
  EXPECT_NEAR((at.p_b - at.p_a - at.distance * at.normal).norm(), 0.0, 1e-14) << trace;
  EXPECT_EQ(at.link_a, 0);
  EXPECT_EQ(at.link_b, 1);
}

TEST(DirectPairs, OverAMovingPlaneNoPointOfTheTipIsLower) {
  for (const auto& [name, tip] : kTips)
    for (int seed = 1; seed <= 50; ++seed) {
      Random random(seed);
      const ContactPairPtr pair = tip_on_plane_pair("foot", kGround, kBody, tip);
      const MovingFrame a = moving(random, random_pose(random, 1.0)),
                        b = moving(random, random_pose(random, 1.0));
      const ContactPoint at = pair->nearest(a.at(0.0), b.at(0.0));
      expect_sound(at, name);
      EXPECT_NEAR((a.start.inverse() * at.p_a).z(), 0.0, 1e-14);
      EXPECT_NEAR((at.normal - a.start.rotation() * V::UnitZ()).norm(), 0.0, 1e-14);
      for (int k = 0; k < 200; ++k) {
        V on = V(random.normal(), random.normal(), random.normal());
        if (tip.kind == Tip::Kind::ellipse) on.z() = 0.0;
        on = tip.kind == Tip::Kind::sphere ? V(tip.size[0] * on.normalized())
                                           : V(tip.size.cwiseProduct(on.normalized()));
        EXPECT_GE((a.start.inverse() * (b.start * on)).z(), at.distance - 1e-14) << name << " seed " << seed;
      }
    }
}

TEST(DirectPairs, VelocitiesOverAMovingPlaneAreThoseOfDifferences) {
  for (const auto& [name, tip] : kTips)
    for (int seed = 1; seed <= 100; ++seed) {
      Random random(seed);
      const ContactPairPtr pair = tip_on_plane_pair("foot", kGround, kBody, tip);
      const MovingFrame a = moving(random, random_pose(random, 1.0)),
                        b = moving(random, random_pose(random, 1.0));
      if (std::abs(a.at(0.0).R.col(2).dot(b.at(0.0).R.col(2))) > 0.99)
        continue;  // a rim that lies nearly flat runs away
      const ContactMotion exact = pair->motion(pair->nearest(a.at(0.0), b.at(0.0)), a.at(0.0), b.at(0.0));
      EXPECT_LT(difference(exact, motion_by_differences(*pair, a, b, 2e-3)), 1e-9 * (1.0 + size_of(exact)))
          << name << " seed " << seed;
    }
}

TEST(DirectPairs, TheFormulasOfTheBookGiveTheSamePoints) {
  for (int seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const MovingFrame a = moving(random, random_pose(random, 1.0)),
                      b = moving(random, random_pose(random, 1.0));
    const Pose H_10 = b.start.inverse() * a.start;
    const V x = H_10.rotation() * V::UnitX(), y = H_10.rotation() * V::UnitY(),
            z = H_10.rotation() * V::UnitZ();
    // DS (3.3) with epsilon = 0
    const V disc = -0.4 / std::hypot(z.x(), z.y()) * V(z.x(), z.y(), 0.0);
    EXPECT_NEAR(
        (disc_on_plane_pair("", kGround, kBody, 0.4)->nearest(a.at(0.0), b.at(0.0)).p_b - b.start * disc)
            .norm(),
        0.0, 1e-13);
    // DS (3.7)
    const V S(0.5, 0.3, 0.2);
    const V down = y.cwiseQuotient(S).cross(x.cwiseQuotient(S)).normalized();
    const ContactPoint at = ellipsoid_on_plane_pair("", kGround, kBody, S)->nearest(a.at(0.0), b.at(0.0));
    EXPECT_NEAR((at.p_b - b.start * V(S.cwiseProduct(down))).norm(), 0.0, 1e-13);
  }
  // DS (3.6): an ellipse over a line, x-y the plane of both, so that y of the line's frame is its normal
  for (int seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    const double angle = random.uniform(-3.0, 3.0);
    const Pose X_0B(SO3<double>::exp({0.0, 0.0, angle}), V(0.3, 1.0, 0.0));
    const V x = X_0B.rotation().inverse() * V::UnitX(), S(0.5, 0.2, 1.0);
    const V on = S.cwiseProduct(x.cwiseQuotient(S).cross(V::UnitZ()).normalized());
    const LinkFrame line{
        0, Pose(SO3<double>::exp({-0.5 * std::numbers::pi, 0.0, 0.0}))};  // its z is the world's y
    FrameMotion a, b;
    a.R = line.X_LF.rotation().matrix();
    b.R = X_0B.rotation().matrix();
    b.p = X_0B.translation();
    EXPECT_NEAR((ellipse_on_plane_pair("", line, kBody, 0.5, 0.2)->nearest(a, b).p_b - X_0B * on).norm(), 0.0,
                1e-13);
  }
}

TEST(DirectPairs, TheRateOfTheDiscsPointInTheBookHasItsSignTurned) {
  for (int seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const MovingFrame b = moving(random, random_pose(random, 1.0));
    const double r = 0.4;
    const auto z_at = [&](double t) -> V {
      return b.at(t).R.transpose() * V::UnitZ();
    };  // the plane's z in the disc's axes
    const auto point = [&](double t) -> V {
      const V z = z_at(t);
      return -r / std::hypot(z.x(), z.y()) * V(z.x(), z.y(), 0.0);
    };
    const V z = z_at(0.0), zd = slope_of(z_at, 1e-3), differences = slope_of(point, 1e-3);
    const double rho = std::hypot(z.x(), z.y()), along = (z.x() * zd.x() + z.y() * zd.y()) / (rho * rho);
    const V printed =
        r / rho * V(zd.x() - z.x() * along, zd.y() - z.y() * along, 0.0);  // DS (3.5), epsilon = 0
    EXPECT_LT((differences + printed).norm(), 1e-8 * (1.0 + printed.norm()));
    EXPECT_GT((differences - printed).norm(), 1e-3 * printed.norm());
  }
}

MovingFrame above(Random& random, const MovingFrame& a, double height) {
  const Pose X_AB(SO3<double>::exp(random_vector(random, 3.0)),
                  V(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), height));
  return moving(random, a.start * X_AB);
}

TEST(DirectPairs, VelocitiesOverWavesAreThoseOfDifferences) {
  const GroundPtr waves = sine_ground({.amplitude = 0.05, .frequency = 0.4, .direction_deg = 90.0});
  const Surface same =
      height_surface([](auto, auto y) { return 0.05 * sin(2.0 * std::numbers::pi * 0.4 * y); });
  for (const auto& [name, tip] : kTips)
    for (int seed = 1; seed <= 40; ++seed) {
      Random random(seed);
      const MovingFrame a = moving(random, random_pose(random, 1.0)),
                        b = above(random, a, random.uniform(0.2, 0.7));
      if (tip.kind == Tip::Kind::ellipse && std::abs(a.at(0.0).R.col(2).dot(b.at(0.0).R.col(2))) > 0.95)
        continue;
      const ContactPairPtr pair = tip_on_ground_pair("foot", kGround, waves, kBody, tip);
      const ContactPoint at = pair->nearest(a.at(0.0), b.at(0.0));
      expect_sound(at, name);
      const V foot = a.start.inverse() * at.p_a;
      EXPECT_NEAR(waves->clearance(foot), 0.0, 1e-13);
      EXPECT_NEAR((a.start.rotation() * waves->at(foot.x(), foot.y()).normal() - at.normal).norm(), 0.0,
                  1e-12);
      const ContactMotion exact = pair->motion(at, a.at(0.0), b.at(0.0));
      EXPECT_LT(difference(exact, motion_by_differences(*pair, a, b, 2e-3)), 1e-8 * (1.0 + size_of(exact)))
          << name << " seed " << seed;

      const ContactPairPtr twin = tip_on_surface_pair("foot", kGround, same, kBody, tip);
      const ContactPoint there = twin->nearest(a.at(0.0), b.at(0.0));
      EXPECT_NEAR((there.p_a - at.p_a).norm() + (there.p_b - at.p_b).norm(), 0.0, 1e-11)
          << name << " seed " << seed;
      EXPECT_LT(difference(exact, twin->motion(there, a.at(0.0), b.at(0.0))), 1e-9 * (1.0 + size_of(exact)));
    }
}

TEST(DirectPairs, VelocitiesOverAnEllipsoidSurfaceAreThoseOfDifferences) {
  const Surface egg = implicit_surface(
      [](const auto& p) { return p[0] * p[0] / 4.0 + p[1] * p[1] / 1.0 + p[2] * p[2] / 2.25 - 1.0; });
  for (const auto& [name, tip] : kTips)
    for (int seed = 1; seed <= 30; ++seed) {
      Random random(seed);
      const MovingFrame a = moving(random, random_pose(random, 1.0)), b = above(random, a, 2.2);
      if (tip.kind == Tip::Kind::ellipse && std::abs(a.at(0.0).R.col(2).dot(b.at(0.0).R.col(2))) > 0.8)
        continue;
      const ContactPairPtr pair = tip_on_surface_pair("foot", kGround, egg, kBody, tip);
      const ContactPoint at = pair->nearest(a.at(0.0), b.at(0.0));
      const ContactMotion exact = pair->motion(at, a.at(0.0), b.at(0.0));
      EXPECT_LT(difference(exact, motion_by_differences(*pair, a, b, 1e-3)), 1e-8 * (1.0 + size_of(exact)))
          << name << " seed " << seed;
    }
}

TEST(DirectPairs, SpheresMeetOnTheLineOfTheirCentres) {
  for (int seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    const MovingFrame a = moving(random, random_pose(random, 1.0)),
                      b = moving(random, random_pose(random, 1.0));
    const ContactPairPtr pair = sphere_on_sphere_pair("balls", kGround, 0.5, kBody, 0.2);
    const ContactPoint at = pair->nearest(a.at(0.0), b.at(0.0));
    EXPECT_NEAR(at.distance, (b.start.translation() - a.start.translation()).norm() - 0.7, 1e-14);
    const ContactMotion exact = pair->motion(at, a.at(0.0), b.at(0.0));
    EXPECT_LT(difference(exact, motion_by_differences(*pair, a, b, 1e-3)), 1e-8 * (1.0 + size_of(exact)));
  }
}

TEST(DirectPairs, CurvaturesAreThoseOfTheClosedForms) {
  Random random(5);
  const MovingFrame a = moving(random, random_pose(random, 1.0));
  // an ellipsoid on its z axis: curvatures c / a^2 and c / b^2
  const MovingFrame b{a.start * Pose(V(0.1, 0.2, 0.5)), V::Zero(), V::Zero()};
  const V S(0.5, 0.3, 0.2);
  for (const ContactPairPtr& pair : {ellipsoid_on_plane_pair("", kGround, kBody, S),
                                     shape_pair("", kGround, plane_shape(), kBody, ellipsoid_shape(S))}) {
    const auto curved = curvatures(*pair, pair->nearest(a.at(0.0), b.at(0.0)), a.at(0.0), b.at(0.0));
    ASSERT_TRUE(curved);
    EXPECT_EQ(curved->a.principal, Vector2<double>::Zero());
    EXPECT_NEAR(curved->b.principal[0], 0.2 / 0.25, 1e-13);
    EXPECT_NEAR(curved->b.principal[1], 0.2 / 0.09, 1e-13);
    EXPECT_NEAR(std::abs(curved->b.directions.col(0).dot(b.at(0.0).R.col(0))), 1.0, 1e-13);
  }
  // the crest of a wave A sin(k y): A k^2 across it, none along; a rim is sharp across
  const double A = 0.05, k = 2.0 * std::numbers::pi * 0.4;
  const GroundPtr waves = sine_ground({.amplitude = A, .frequency = 0.4, .direction_deg = 90.0});
  FrameMotion world, body;
  body.p = {0.3, 0.25 / 0.4, 0.8};
  body.R = SO3<double>::exp({0.5 * std::numbers::pi, 0.0, 0.0}).matrix();
  const ContactPairPtr rim = tip_on_ground_pair("", kGround, waves, kBody, disc_tip(0.4));
  const auto curved = curvatures(*rim, rim->nearest(world, body), world, body);
  EXPECT_NEAR(curved->a.principal[0], 0.0, 1e-12);
  EXPECT_NEAR(curved->a.principal[1], A * k * k, 1e-10);
  EXPECT_NEAR(curved->b.principal[0], 1.0 / 0.4, 1e-12);
  EXPECT_EQ(curved->b.principal[1], std::numeric_limits<double>::infinity());
}

TEST(DirectPairs, ACapsuleOverAPlaneIsTwoBalls) {
  const auto pairs = capsule_on_plane_pairs("leg", kGround, kBody, 0.1, 0.6);
  EXPECT_EQ(pairs[0]->name(), "leg lower end");
  EXPECT_EQ(pairs[1]->b().link, 1);
  EXPECT_EQ(pairs[1]->b().X_LF.translation(), V(0.0, 0.0, 0.3));
  FrameMotion world, end;
  end.p = {0.0, 0.0, 0.3};
  EXPECT_NEAR(pairs[1]->nearest(world, end).distance, 0.2, 1e-15);
}

TEST(DirectPairs, WhatHasNoOnePairOfPointsIsRefused) {
  FrameMotion world, body;
  body.p = {0.0, 0.0, 1.0};
  const auto message = [&](const ContactPairPtr& pair) -> std::string {
    try {
      pair->nearest(world, body);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(disc_on_plane_pair("coin", kGround, kBody, 0.1)),
            "contact 'coin' lies flat: every point of its rim is as near, expected one");
  body.p.setZero();
  EXPECT_EQ(message(sphere_on_sphere_pair("balls", kGround, 1.0, kBody, 1.0)),
            "contact 'balls' has its centres in one point: expected two spheres beside each other");
  // a ball in a hollow that is sharper than it
  body.p = {0.0, -0.25, 2.0};
  const GroundPtr sharp = sine_ground({.amplitude = 1.0, .frequency = 1.0, .direction_deg = 90.0});
  EXPECT_THROW(tip_on_ground_pair("ball", kGround, sharp, kBody, sphere_tip(0.5))->nearest(world, body),
               Error);
  EXPECT_THROW(sphere_tip(-1.0), Error);
  EXPECT_THROW(ellipse_tip(1.0, 0.0), Error);
  EXPECT_THROW(ellipsoid_tip({1.0, 1.0, std::nan("")}), Error);
  EXPECT_THROW(tip_on_ground_pair("none", kGround, nullptr, kBody, point_tip()), Error);
}

}  // namespace
}  // namespace amble
