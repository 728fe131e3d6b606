#include "amble/geometry/inertia.hpp"

#include <gtest/gtest.h>

#include "amble/base/error.hpp"
#include "amble/geometry/test/random_geometry.hpp"

namespace amble::test {

namespace {

using V3 = Vector3<double>;
using M3 = Matrix3<double>;

std::vector<PointMass> random_points(Random& random, int count) {
  std::vector<PointMass> points;
  for (int k = 0; k < count; ++k) points.push_back({random.uniform(0.1, 2.0), random_vector<3>(random)});
  return points;
}

Inertia<double> random_inertia(Random& random) { return inertia_of_points(random_points(random, 7)); }

void expect_same(const Inertia<double>& a, const Inertia<double>& b, double tolerance = 1e-13) {
  EXPECT_LT((a.matrix() - b.matrix()).norm(), tolerance * (1.0 + b.matrix().norm())) << a.matrix() << "\n"
                                                                                     << b.matrix();
}

Inertia<double> diagonal(double mass, const V3& moments, const V3& com = V3::Zero()) {
  return Inertia<double>::from_com(mass, com, moments.asDiagonal());
}

}  // namespace

TEST(Inertia, MomentumIsThatOfItsPointMasses) {
  Random random(1);
  const auto points = random_points(random, 5);
  const Twist<double> V = random_twist(random);
  Wrench<double> sum;
  for (const PointMass& p : points) {
    const V3 momentum = p.mass * (V.linear() + cross<double>(V.angular(), p.position));
    sum += Wrench<double>(momentum, cross<double>(p.position, momentum));
  }
  const Inertia<double> I = inertia_of_points(points);
  EXPECT_LT(((I * V).vector() - sum.vector()).norm(), 1e-13 * sum.vector().norm());
  EXPECT_LT((I.matrix() * V.vector() - sum.vector()).norm(), 1e-13 * sum.vector().norm());
}

TEST(Inertia, KineticEnergyIsThatOfItsPointMasses) {
  Random random(2);
  const auto points = random_points(random, 5);
  const Twist<double> V = random_twist(random);
  double energy = 0.0;
  for (const PointMass& p : points)
    energy += 0.5 * p.mass * (V.linear() + cross<double>(V.angular(), p.position)).squaredNorm();
  EXPECT_NEAR(0.5 * power(V, inertia_of_points(points) * V), energy, 1e-13 * energy);
}

TEST(Inertia, ChangesFrameByCongruence) {
  Random random(3);
  for (int k = 0; k < 20; ++k) {
    const Inertia<double> I = random_inertia(random);
    const Pose X = random_pose(random);
    const Matrix6<double> Ad = X.inverse().adjoint(), expected = Ad.transpose() * I.matrix() * Ad;
    EXPECT_LT(((X * I).matrix() - expected).norm(), 1e-13 * expected.norm());
    expect_same(X.inverse() * (X * I), I, 1e-12);
  }
}

TEST(Inertia, ChangesFrameWithItsPoints) {
  Random random(4);
  auto points = random_points(random, 6);
  const Pose X = random_pose(random);
  const Inertia<double> before = inertia_of_points(points);
  for (PointMass& p : points) p.position = X * p.position;
  expect_same(X * before, inertia_of_points(points));
}

TEST(Inertia, ParallelAxisTheorem) {
  Random random(5);
  const double mass = 2.5;
  const V3 c = random_vector<3>(random), moments(0.3, 0.4, 0.5);
  const Inertia<double> I = diagonal(mass, moments, c);
  // BK (21): I(0) = I(c) + m (c.c 1 - c c^T)
  const M3 expected = M3(moments.asDiagonal()) + mass * (c.dot(c) * M3::Identity() - c * c.transpose());
  EXPECT_LT((I.about_origin() - expected).norm(), 1e-14 * expected.norm());
  EXPECT_LT((I.about_com() - M3(moments.asDiagonal())).norm(), 1e-14);
  EXPECT_LT((I.com() - c).norm(), 1e-15);
  EXPECT_EQ(I.first_moment(), V3(mass * c));
}

TEST(Inertia, SumsAreBodiesWeldedTogether) {
  Random random(6);
  auto a = random_points(random, 4);
  const auto b = random_points(random, 3);
  const Inertia<double> sum = inertia_of_points(a) + inertia_of_points(b);
  expect_same(sum - inertia_of_points(b), inertia_of_points(a));
  a.insert(a.end(), b.begin(), b.end());
  expect_same(sum, inertia_of_points(a));
  EXPECT_NEAR(sum.mass(), inertia_of_points(a).mass(), 1e-15);
}

TEST(Inertia, PointMassesRoundTrip) {
  Random random(7);
  for (int k = 0; k < 50; ++k) {
    const Inertia<double> I = random_inertia(random);
    const auto points = points_of_inertia(I);
    EXPECT_EQ(points.size(), 6u);
    for (const PointMass& p : points) EXPECT_DOUBLE_EQ(p.mass, I.mass() / 6.0);
    expect_same(inertia_of_points(points), I);
  }
  EXPECT_TRUE(points_of_inertia(Inertia<double>()).empty());
  expect_same(inertia_of_points(points_of_inertia(diagonal(2.0, V3::Zero(), V3::Ones()))),
              diagonal(2.0, V3::Zero(), V3::Ones()));
}

TEST(Inertia, PrincipalAxesAreARotationThatDiagonalises) {
  Random random(8);
  for (int k = 0; k < 20; ++k) {
    const SO3<double> R = random_rotation(random);
    const V3 c = random_vector<3>(random), moments(1.0, 1.5, 2.0);
    const Inertia<double> I = Pose(R, c) * diagonal(1.0, moments);
    const PrincipalMoments p = principal_moments(I);
    EXPECT_LT((p.moments - moments).norm(), 1e-13);
    EXPECT_LT((p.axes * p.moments.asDiagonal() * p.axes.transpose() - I.about_com()).norm(), 1e-13);
    EXPECT_NO_THROW(check_rotation(p.axes, "axes"));
  }
}

TEST(Inertia, ABatchAndADualNumberGiveTheSame) {
  Random random(9);
  const Inertia<double> I = random_inertia(random);
  const Pose X = random_pose(random);
  const auto lifted = [&]<class T>(T) {
    const Inertia<T> J(T(I.mass()), I.first_moment().template cast<T>(), I.about_origin().template cast<T>());
    return Matrix6<T>((X.template cast<T>() * J).matrix());
  };
  const auto batch = lifted(Batch<4>(0.0));
  const auto dual = lifted(Dual<double, 1>(0.0));
  const Matrix6<double> plain = (X * I).matrix();
  for (int i = 0; i < 36; ++i) {
    EXPECT_NEAR(batch(i)[3], plain(i), 1e-14 * plain.norm());
    EXPECT_NEAR(dual(i).value, plain(i), 1e-14 * plain.norm());
  }
}

TEST(Inertia, RealBodiesHaveNoProblem) {
  Random random(10);
  for (int k = 0; k < 50; ++k) EXPECT_EQ(inertia_problem(random_inertia(random)), "");
  EXPECT_EQ(inertia_problem(Inertia<double>()), "");
  EXPECT_EQ(inertia_problem(diagonal(1.0, V3::Zero(), V3(100.0, 0.0, 0.0))), "");       // a point far away
  EXPECT_EQ(inertia_problem(diagonal(1.0, V3(0.0, 2.0, 2.0), V3(3.0, 1.0, 0.0))), "");  // a rod
  EXPECT_EQ(inertia_problem(diagonal(1.0, V3(1.0, 1.0, 2.0))), "");  // a disc: equality holds
}

TEST(Inertia, WhatNoBodyCanHaveIsExplained) {
  EXPECT_EQ(inertia_problem(diagonal(-1.0, V3::Ones())), "mass -1 kg is negative");
  EXPECT_EQ(inertia_problem(diagonal(NAN, V3::Ones())),
            "mass, centre of mass or inertia is not finite (mass nan)");
  EXPECT_EQ(inertia_problem(diagonal(1.0, V3(1.0, INFINITY, 1.0))),
            "mass, centre of mass or inertia is not finite (mass 1)");
  EXPECT_EQ(inertia_problem(diagonal(0.0, V3::Ones())), "mass is zero but the inertia is not");
  EXPECT_EQ(inertia_problem(diagonal(1.0, V3(-0.5, 1.0, 1.0))),
            "principal moment of inertia -0.5 kg m^2 is negative");
  EXPECT_EQ(inertia_problem(diagonal(1.0, V3(1.0, 1.0, 3.0))),
            "principal moments of inertia 1, 1, 3 kg m^2 break the triangle inequality (1 + 1 < 3): no body "
            "can have them");
  M3 lopsided = M3::Identity();
  lopsided(0, 1) = 0.1;
  EXPECT_EQ(inertia_problem(Inertia<double>::from_com(1.0, V3::Zero(), lopsided)),
            "inertia matrix is not symmetric");
}

TEST(Inertia, AFarCentreOfMassDoesNotHideABrokenInertia) {
  EXPECT_NE(inertia_problem(diagonal(1.0, V3(1e-6, 1e-6, 4e-6), V3(50.0, 0.0, 0.0))), "");
}

TEST(Inertia, PointMassesOfAnImpossibleBodyAreRefused) {
  try {
    points_of_inertia(diagonal(1.0, V3(1.0, 1.0, 3.0)));
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("no point masses have this inertia: principal moments"),
              std::string::npos);
  }
}

}  // namespace amble::test
