#include "amble/base/test/message_of.hpp"
#include "amble/geometry/screw.hpp"

#include <gtest/gtest.h>

#include "amble/base/error.hpp"
#include "amble/geometry/test/random_geometry.hpp"

namespace amble::test {

namespace {

using V3 = Vector3<double>;

Line random_line(Random& random) { return Line::through(random_vector<3>(random), random_vector<3>(random)); }

void expect_same(const Line& a, const Line& b, double tolerance = 1e-13) {
  EXPECT_LT((a.direction() - b.direction()).norm(), tolerance);
  EXPECT_LT((a.moment() - b.moment()).norm(), tolerance * (1.0 + b.moment().norm()));
}

}  // namespace

TEST(Line, ContainsThePointsItWasMadeFrom) {
  Random random(1);
  for (int k = 0; k < 50; ++k) {
    const V3 a = random_vector<3>(random), b = random_vector<3>(random);
    const Line line = Line::through_points(a, b);
    EXPECT_LT(line.distance(a) + line.distance(b), 1e-14);
    EXPECT_NEAR(line.direction().norm(), 1.0, 1e-15);
    EXPECT_GT(line.direction().dot(b - a), 0.0);
    EXPECT_NEAR(line.direction().dot(line.moment()), 0.0, 1e-15);
    expect_same(Line::through(b, b - a), line);
    expect_same(Line::from_pluecker(-3.0 * line.direction(), -3.0 * line.moment()), line.reversed());
  }
}

TEST(Line, NearestPointIsAtRightAngles) {
  Random random(2);
  for (int k = 0; k < 50; ++k) {
    const Line line = random_line(random);
    const V3 p = random_vector<3>(random), foot = line.nearest(p);
    EXPECT_LT(line.distance(foot), 1e-14);
    EXPECT_NEAR((p - foot).dot(line.direction()), 0.0, 1e-14);
    EXPECT_NEAR((p - foot).norm(), line.distance(p), 1e-14);
    EXPECT_LT((line.nearest(V3::Zero()) - line.point()).norm(), 1e-15);
  }
}

TEST(Line, MovesWithItsPoints) {
  Random random(3);
  for (int k = 0; k < 50; ++k) {
    const V3 a = random_vector<3>(random), b = random_vector<3>(random);
    const Pose X = random_pose(random);
    expect_same(X * Line::through_points(a, b), Line::through_points(X * a, X * b));
  }
}

TEST(Line, CommonPerpendicularIsTheShortestWay) {
  Random random(4);
  for (int k = 0; k < 50; ++k) {
    const Line a = random_line(random), b = random_line(random);
    const CommonPerpendicular c = common_perpendicular(a, b);
    const V3 way = c.point_b - c.point_a;
    EXPECT_LT(a.distance(c.point_a) + b.distance(c.point_b), 1e-12);
    EXPECT_LT(std::abs(way.dot(a.direction())) + std::abs(way.dot(b.direction())), 1e-12);
    EXPECT_LT((way - c.distance * c.normal).norm(), 1e-12);
    EXPECT_NEAR(reciprocal_product(a, b), -c.distance * std::sin(c.angle), 1e-13);
    EXPECT_LT((SO3<double>::exp(c.angle * c.normal) * a.direction() - b.direction()).norm(), 1e-14);
    EXPECT_FALSE(c.parallel);
  }
}

TEST(Line, LinesThatMeetHaveNoReciprocalProduct) {
  Random random(5);
  const V3 p = random_vector<3>(random);
  const Line a = Line::through(p, random_vector<3>(random)), b = Line::through(p, random_vector<3>(random));
  EXPECT_NEAR(reciprocal_product(a, b), 0.0, 1e-15);
  const CommonPerpendicular c = common_perpendicular(a, b);
  EXPECT_LT((c.point_a - p).norm() + (c.point_b - p).norm(), 1e-13);
  EXPECT_NEAR(c.distance, 0.0, 1e-14);
}

TEST(Line, ParallelLinesHaveADistance) {
  const Line a = Line::through({1.0, 0.0, 5.0}, V3::UnitZ()),
             b = Line::through({4.0, 4.0, -2.0}, -V3::UnitZ());
  const CommonPerpendicular c = common_perpendicular(a, b);
  EXPECT_TRUE(c.parallel);
  EXPECT_DOUBLE_EQ(c.distance, 5.0);
  EXPECT_DOUBLE_EQ(c.angle, M_PI);
  EXPECT_EQ(c.point_a, V3(1.0, 0.0, 0.0));
  EXPECT_EQ(c.point_b, V3(4.0, 4.0, 0.0));
  const CommonPerpendicular same = common_perpendicular(a, a);
  EXPECT_TRUE(same.parallel);
  EXPECT_EQ(same.distance, 0.0);
  EXPECT_EQ(same.angle, 0.0);
  EXPECT_NEAR(same.normal.dot(a.direction()), 0.0, 1e-16);
  EXPECT_NEAR(same.normal.norm(), 1.0, 1e-15);
}

TEST(Line, WhatIsNoLineIsRefused) {
  EXPECT_EQ(message_of([] { Line::through(V3::Zero(), V3::Zero()); }),
            "direction of a line is (0, 0, 0): expected finite numbers that are not all zero");
  EXPECT_NE(message_of([] { Line::through(V3::Zero(), V3(NAN, 0, 1)); }).find("(nan, 0, 1)"), std::string::npos);
  EXPECT_EQ(message_of([] { Line::through_points(V3::Ones(), V3::Ones()); }),
            "a line needs two different points, but both are (1, 1, 1)");
  EXPECT_NE(message_of([] { Line::from_pluecker(V3::UnitX(), V3(0.5, 1, 0)); }).find("must be at right angles"),
            std::string::npos);
}

TEST(Screw, ChaslesTwistIsARotationAboutAnAxisAndATranslationAlongIt) {
  Random random(6);
  for (int k = 0; k < 50; ++k) {
    const Twist<double> V = random_twist(random);
    const Screw s = screw_of(V);
    EXPECT_DOUBLE_EQ(s.magnitude, V.angular().norm());
    const V3 on_axis = s.axis.point() + random.normal() * s.axis.direction();
    const V3 velocity = V.linear() + cross<double>(V.angular(), on_axis);
    EXPECT_LT((velocity - s.pitch * V.angular()).norm(), 1e-13);
    EXPECT_LT((twist_of(s).vector() - V.vector()).norm(), 1e-14 * V.vector().norm());
    // DS (2.18) with r any point of the axis.
    const V3 linear =
        s.magnitude * (cross<double>(on_axis, s.axis.direction()) + s.pitch * s.axis.direction());
    EXPECT_LT((linear - V.linear()).norm(), 1e-13 * (1.0 + V.linear().norm()));
  }
}

TEST(Screw, PoinsotWrenchIsAForceAlongAnAxisAndACoupleAboutIt) {
  Random random(7);
  for (int k = 0; k < 50; ++k) {
    const Wrench<double> F = random_wrench(random);
    const Screw s = screw_of(F);
    EXPECT_DOUBLE_EQ(s.magnitude, F.linear().norm());
    const Wrench<double> at_axis = Pose(s.axis.point()).inverse() * F;
    EXPECT_LT((at_axis.angular() - s.pitch * F.linear()).norm(), 1e-13);
    EXPECT_LT((wrench_of(s).vector() - F.vector()).norm(), 1e-14 * F.vector().norm());
  }
}

TEST(Screw, PureTranslationsAndCouplesHaveInfinitePitch) {
  const V3 u(0.0, 3.0, 4.0), zero = V3::Zero();
  for (const Screw& s :
       {screw_of(Twist<double>(u, zero)), screw_of(Wrench<double>(zero, u)), screw_of(Pose(u))}) {
    EXPECT_TRUE(s.has_infinite_pitch());
    EXPECT_EQ(s.magnitude, 5.0);
    EXPECT_EQ(s.axis.direction(), V3(0.0, 0.6, 0.8));
    EXPECT_EQ(s.axis.moment(), zero);
    EXPECT_EQ(s.angle(), 0.0);
    EXPECT_EQ(s.translation(), 5.0);
  }
  EXPECT_EQ(twist_of(screw_of(Twist<double>(u, zero))).vector(), Twist<double>(u, zero).vector());
  EXPECT_EQ(wrench_of(screw_of(Wrench<double>(zero, u))).vector(), Wrench<double>(zero, u).vector());
  EXPECT_EQ(pose_of(screw_of(Pose(u))).matrix(), Pose(u).matrix());
}

TEST(Screw, NothingHasMagnitudeZeroAndTheZAxis) {
  for (const Screw& s : {screw_of(Twist<double>()), screw_of(Wrench<double>()), screw_of(Pose())}) {
    EXPECT_EQ(s.magnitude, 0.0);
    EXPECT_EQ(s.pitch, 0.0);
    EXPECT_EQ(s.axis.direction(), V3::UnitZ());
    EXPECT_EQ(twist_of(s).vector(), Vector6<double>::Zero());
    EXPECT_EQ(wrench_of(s).vector(), Vector6<double>::Zero());
    EXPECT_EQ(pose_of(s).matrix(), Matrix4<double>::Identity());
  }
}

TEST(Screw, TinyTurnsRoundTripWithoutOverflow) {
  for (double w : {1e-8, 1e-100, 1e-300, 5e-324}) {
    const Twist<double> V({1.0, 2.0, 3.0}, {0.0, w, 0.0});
    const Screw s = screw_of(V);
    EXPECT_FALSE(std::isnan(s.pitch)) << w;
    EXPECT_TRUE(s.axis.moment().allFinite()) << w;
    EXPECT_LT((twist_of(s).linear() - V.linear()).norm(), 1e-14) << w;
  }
}

TEST(Screw, PurerRotationsHaveNoPitch) {
  const V3 p(1.0, -2.0, 0.5), d = V3(1.0, 2.0, -1.0).normalized();
  const Screw s = screw_of(Twist<double>(cross<double>(p, V3(2.0 * d)), 2.0 * d));
  EXPECT_NEAR(s.pitch, 0.0, 1e-15);
  EXPECT_LT(s.axis.distance(p), 1e-15);
}

TEST(Screw, HelicalAxisOfADisplacement) {
  Random random(8);
  for (int k = 0; k < 100; ++k) {
    const Pose X = random_pose(random);
    const Screw s = screw_of(X);
    EXPECT_GE(s.angle(), 0.0);
    EXPECT_LE(s.angle(), M_PI);
    EXPECT_NEAR(1.0 + 2.0 * std::cos(s.angle()), X.rotation().matrix().trace(), 1e-13);
    // Points of the axis only advance along it.
    const V3 p = s.axis.point() + random.normal() * s.axis.direction();
    EXPECT_LT((X * p - p - s.translation() * s.axis.direction()).norm(), 1e-12 * (1.0 + p.norm()));
    EXPECT_LT((pose_of(s).matrix() - X.matrix()).norm(), 1e-13 * (1.0 + s.axis.moment().norm()));
    expect_same(X * s.axis, s.axis, 1e-12 * (1.0 + s.axis.moment().norm()));
  }
}

TEST(Screw, TurnsBeyondPiAreMadeButNotRead) {
  const Screw s{Line::through({1.0, 0.0, 0.0}, V3::UnitZ()), 0.1, 4.0};
  const Screw read = screw_of(pose_of(s));
  EXPECT_NEAR(read.angle(), 2.0 * M_PI - 4.0, 1e-14);
  EXPECT_NEAR(read.axis.direction()[2], -1.0, 1e-14);
  EXPECT_NEAR(read.translation(), -0.4, 1e-14);
}

TEST(Screw, PitchAndMagnitudeDoNotDependOnTheFrame) {
  Random random(9);
  for (int k = 0; k < 50; ++k) {
    const Pose X = random_pose(random);
    const Twist<double> V = random_twist(random);
    const Screw moved = screw_of(X * V), expected = X * screw_of(V);
    EXPECT_NEAR(moved.pitch, expected.pitch, 1e-12 * (1.0 + std::abs(expected.pitch)));
    EXPECT_NEAR(moved.magnitude, expected.magnitude, 1e-13);
    expect_same(moved.axis, expected.axis, 1e-12);
    EXPECT_LT((twist_of(X * screw_of(V)).vector() - (X * V).vector()).norm(),
              1e-13 * (1.0 + V.vector().norm()));
  }
}

// Ball 1900: power of a wrench on a screw along a twist on another.
TEST(Screw, PowerIsTheVirtualCoefficient) {
  Random random(10);
  for (int k = 0; k < 50; ++k) {
    const Twist<double> V = random_twist(random);
    const Wrench<double> F = random_wrench(random);
    const Screw a = screw_of(V), b = screw_of(F);
    const CommonPerpendicular c = common_perpendicular(a.axis, b.axis);
    const double expected = a.magnitude * b.magnitude *
                            ((a.pitch + b.pitch) * std::cos(c.angle) - c.distance * std::sin(c.angle));
    EXPECT_NEAR(power(V, F), expected, 1e-12 * (1.0 + std::abs(expected)));
  }
}

}  // namespace amble::test
