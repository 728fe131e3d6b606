#include "amble/control/walking/curve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "amble/base/test/message_of.hpp"
#include "amble/control/walking/curve_field.hpp"
#include "amble/mechanism/builder.hpp"

namespace amble {
namespace {

using Eigen::VectorXd;

/// A point in a plane.
Mechanism point() {
  Builder b("point");
  const Inertia<double> mass =
      Inertia<double>::from_com(1.0, Vector3<double>::Zero(), Matrix3<double>::Identity());
  b.body({.name = "rail", .auxiliary = true});
  b.body({.name = "mass", .inertia = mass});
  b.joint({.name = "x", .type = "prismatic", .parent = "world", .child = "rail", .axis = {1, 0, 0}});
  b.joint({.name = "y", .type = "prismatic", .parent = "rail", .child = "mass", .axis = {0, 1, 0}});
  return b.build();
}

Mechanism floating() {
  Builder b("body");
  b.body({.name = "body",
          .inertia =
              Inertia<double>::from_com(2.0, {0.1, 0.0, 0.0}, Vector3<double>(0.1, 0.2, 0.25).asDiagonal())});
  b.joint({.name = "free", .type = "free", .parent = "world", .child = "body"});
  return b.build();
}

OwnedVector two(double x, double y) { return Eigen::Vector2d(x, y); }

OwnedVector ellipse(double s) {
  const double angle = 2.0 * std::numbers::pi * s;
  return two(2.0 * std::cos(angle), std::sin(angle));
}

/// A free body that tumbles on its way round, closed: its quaternion comes back with the other sign.
OwnedVector tumbling(double s) {
  const double angle = 2.0 * std::numbers::pi * s;
  OwnedVector q(7);
  q.head<3>() << std::cos(angle), std::sin(angle), 0.3 * std::sin(2.0 * angle);
  q.tail<4>() << std::sin(0.5 * angle) * 0.6, std::sin(0.5 * angle) * 0.8 * std::cos(angle),
      std::sin(0.5 * angle) * 0.8 * std::sin(angle), std::cos(0.5 * angle);
  return q;
}

TEST(Curve, IsNearestWhereItsDistanceIsLeast) {
  const TrackedCurve curve(point(), ellipse, true);
  const VectorXd weights = VectorXd::Ones(2);
  for (const auto& q : {two(2.5, 0.3), two(-1.0, -1.4), two(0.1, 0.7), two(1.9, -0.01)}) {
    const double s = curve.nearest(q, weights);
    const VectorXd way = curve.position(s) - q;
    EXPECT_NEAR(way.dot(curve.tangent(s)), 0.0, 1e-10) << q.transpose();
    for (int i = 0; i < 1000; ++i) EXPECT_LE(way.norm(), (ellipse(i / 1000.0) - q).norm() + 1e-12);
  }
}

TEST(Curve, WeightsSayWhatIsNear) {
  const TrackedCurve line(point(), [](double s) { return two(s, s); });
  const double s = line.nearest(two(0.8, 0.2), Eigen::Vector2d(9.0, 1.0));
  EXPECT_NEAR(s, (9.0 * 0.8 + 0.2) / 10.0, 1e-12);
}

TEST(Curve, TangentIsTheVelocityAlongIt) {
  const TrackedCurve curve(point(), ellipse, true);
  for (const double s : {0.0, 0.13, 0.5, 0.9999}) {
    const double angle = 2.0 * std::numbers::pi * s;
    const Eigen::Vector2d expected =
        2.0 * std::numbers::pi * Eigen::Vector2d(-2.0 * std::sin(angle), std::cos(angle));
    EXPECT_NEAR((curve.tangent(s) - expected).norm(), 0.0, 1e-10) << s;
  }
}

TEST(Curve, ThroughSamplesOfATumblingBodyIsOfFifthOrder) {
  const Mechanism m = floating();
  const auto error = [&](int count) {
    std::vector<OwnedVector> samples;
    for (int i = 0; i < count; ++i) samples.push_back(tumbling(static_cast<double>(i) / count));
    const TrackedCurve curve = curve_through(m, samples, true);
    for (int i = 0; i < count; ++i)
      EXPECT_NEAR(m.difference(curve.position(static_cast<double>(i) / count), samples[i]).norm(), 0.0,
                  1e-12);
    double worst = 0.0;
    for (int i = 0; i < 301; ++i)
      worst = std::max(worst, m.difference(curve.position(i / 301.0), tumbling(i / 301.0)).norm());
    return worst;
  };
  const double coarse = error(40), fine = error(80);
  EXPECT_LT(fine, 1e-4);
  EXPECT_GT(std::log2(coarse / fine), 4.5);
}

TEST(Curve, ThroughSamplesAnOpenOneStartsAndEndsAtThem) {
  std::vector<OwnedVector> samples;
  for (int i = 0; i <= 8; ++i) samples.push_back(two(0.1 * i, std::pow(0.1 * i, 4)));
  const TrackedCurve curve = curve_through(point(), samples);
  for (const double s : {0.0, 0.03, 0.4, 0.77, 1.0})  // polynomials of order four are met
    EXPECT_NEAR((curve.position(s) - two(0.8 * s, std::pow(0.8 * s, 4))).norm(), 0.0, 1e-14) << s;
}

TEST(CurveField, LeadsAlongTheCurveOnItAndTowardsItBesideIt) {
  const TrackedCurve curve(point(), ellipse, true);
  const VelocityField field = field_towards(curve, {.attraction = 3.0});
  OwnedVector w(2);
  field(ellipse(0.2), w);
  const OwnedVector along = curve.tangent(0.2);
  EXPECT_NEAR((w - along / along.norm()).norm(), 0.0, 1e-10);
  w.setZero();
  const OwnedVector q = ellipse(0.2) * 1.1;
  field(q, w);
  const double s = curve.nearest(q, VectorXd::Ones(2));
  EXPECT_GT(w.dot(curve.position(s) - q), 0.0);
}

TEST(CurveField, ItsRateIsThatOfSmallerDifferences) {
  const Mechanism m = floating();
  const VelocityField field = field_towards(TrackedCurve(m, tumbling, true), {.attraction = 1.0});
  const OwnedVector q = m.integrate(tumbling(0.3), 0.1 * VectorXd::LinSpaced(6, -1.0, 1.0));
  const VectorXd v = VectorXd::LinSpaced(6, 1.0, -0.4);
  const OwnedVector rate = rate_along(m, field, q, v);
  OwnedVector ahead(6), behind(6);
  constexpr double h = 1e-4;
  field(m.integrate(q, h * v), ahead);
  field(m.integrate(q, -h * v), behind);
  EXPECT_NEAR((rate - (ahead - behind) / (2.0 * h)).norm(), 0.0, 1e-5 * rate.norm());
}

TEST(Curve, WhatIsNoneIsRefused) {
  const Mechanism m = point();
  EXPECT_EQ(message_of([&] { TrackedCurve(m, [](double) { return two(1.0, 1.0); }); }),
            "a curve of 'point' stands still at s = 0");
  EXPECT_EQ(message_of([&] { TrackedCurve(m, {}); }), "a curve of 'point' has no position");
  EXPECT_EQ(message_of([&] {
              curve_through(m, {two(0, 0), two(1, 1)});
            }),
            "a curve through 2 samples of 'point': expected at least 5");
  const TrackedCurve curve(m, ellipse, true);
  EXPECT_EQ(message_of([&] { field_towards(curve, {.weights = two(1.0, 0.0)}); }),
            "weights of a field towards a curve of 'point': expected 2 numbers above 0");
  EXPECT_EQ(message_of([&] { field_towards(curve, {.attraction = -1.0}); }),
            "attraction -1 of a field towards a curve: expected 0 or more");
}

}  // namespace
}  // namespace amble
