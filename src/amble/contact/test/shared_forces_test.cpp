#include "amble/contact/shared_forces.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "amble/base/random.hpp"

namespace amble {
namespace {

using Dense = Eigen::MatrixXd;
using Numbers = Eigen::VectorXd;

const Dense kNothingHeld(0, 6);

/// Rows of points on one rigid body, (normal, t1, t2) each.
void put_point(Dense& J, int i, const Eigen::Vector3d& point, const Eigen::Matrix3d& axes) {
  for (int k = 0; k < 3; ++k) J.row(3 * i + k) << axes.col(k).transpose(), point.cross(axes.col(k)).transpose();
}

Eigen::Matrix3d level() {
  Eigen::Matrix3d axes;
  axes << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  return axes;
}

/// A table of half widths a, b whose weight is at height h over its four feet.
Dense table(double a, double b, double h) {
  Dense J(12, 6);
  for (int i = 0; i < 4; ++i) put_point(J, i, {i & 1 ? a : -a, i & 2 ? b : -b, -h}, level());
  return J;
}

Numbers least(const Dense& J, const Numbers& load) { return J.transpose().completeOrthogonalDecomposition().solve(load); }

double beyond(const Numbers& f, std::span<const double> friction) {
  double worst = 0.0;
  for (std::size_t i = 0; i < friction.size(); ++i)
    worst = std::max({worst, -f[3 * i], f.segment<2>(3 * i + 1).norm() - friction[i] * f[3 * i]});
  return worst / f.cwiseAbs().maxCoeff();
}

TEST(SharedForces, AnyLoadThatConesCanBearIsShared) {
  Random random(7);
  for (int trial = 0; trial < 400; ++trial) {
    const int count = 2 + trial % 7;
    const double most = 0.1 + random.uniform(0.0, 1.0);
    std::vector<double> friction(count, most);
    Dense J(3 * count, 6);
    Numbers known(3 * count);
    for (int i = 0; i < count; ++i) {
      const auto any = [&] { return random.uniform(-1.0, 1.0); };
      const Eigen::Matrix3d turned = Eigen::Quaterniond(any(), any(), any(), any()).normalized().toRotationMatrix() * level();
      const bool flat = trial % 2 == 0;
      put_point(J, i, {any(), any(), flat ? -1.0 : any()}, flat ? level() : turned);
      const bool edge = trial % 5 == 0;  // all slip at once, along one way: there is nothing to spare
      const double n = random.uniform(0.0, 1.0), angle = edge ? 0.3 : random.uniform(0.0, 6.28);
      known.segment<3>(3 * i) << n, most * n * std::cos(angle), most * n * std::sin(angle);
    }
    const Numbers load = J.transpose() * known, p = least(J, load);
    const auto f = shared_forces(J, kNothingHeld, friction, p);
    ASSERT_TRUE(f.has_value()) << trial;
    EXPECT_LT(beyond(*f, friction), 1e-10) << trial;
    EXPECT_LT((J.transpose() * *f - load).norm(), 1e-12 * load.norm()) << trial;
    EXPECT_LT((*f - p).norm(), (known - p).norm() * (1.0 + 1e-10)) << trial << ": none is nearer";
  }
}

TEST(SharedForces, ATableOnASlopeBearsWhatItsFrictionSays) {
  // The whole can hold up to tan(angle) = friction, whatever its height; the smallest forces cannot.
  const Dense J = table(0.3, 0.2, 0.25);
  const std::vector<double> friction(4, 0.5);
  for (const double slope : {0.1, 0.3, 0.45, 0.4999999, 0.5000001, 0.6}) {
    Numbers load(6);
    load << slope, 0.0, 1.0, 0.0, 0.0, 0.0;
    const auto f = shared_forces(J, kNothingHeld, friction, least(J, load));
    EXPECT_EQ(f.has_value(), slope < 0.5) << slope;
  }
}

TEST(SharedForces, ForcesInsideTheirConesStayAsTheyAre) {
  const Dense J = table(0.3, 0.2, 0.25);
  const std::vector<double> friction(4, 0.5);
  Numbers p(12);
  p << 1, 0.1, 0, 2, 0, 0.3, 3, 0, 0, 0, 0, 0;
  EXPECT_EQ(*shared_forces(J, kNothingHeld, friction, p), p);
}

TEST(SharedForces, ASingleContactHasNothingToShare) {
  Dense J(3, 6);
  put_point(J, 0, {0, 0, -1}, level());
  const double friction[] = {0.5};
  EXPECT_TRUE(shared_forces(J, kNothingHeld, friction, Eigen::Vector3d(1.0, 0.4, 0.0)).has_value());
  EXPECT_FALSE(shared_forces(J, kNothingHeld, friction, Eigen::Vector3d(1.0, 0.6, 0.0)).has_value());
  EXPECT_FALSE(shared_forces(J, kNothingHeld, friction, Eigen::Vector3d(-1.0, 0.0, 0.0)).has_value());
}

TEST(SharedForces, WithInfiniteFrictionNoForcePulls) {
  const Dense J = table(0.3, 0.2, 0.25);
  const std::vector<double> friction(4, std::numeric_limits<double>::infinity());
  Numbers p(12), pulls(12);
  p.setZero();
  for (int i = 0; i < 4; ++i) p[3 * i] = i == 0 || i == 3 ? -0.1 : 1.0;  // the diagonals may exchange their load
  const auto f = shared_forces(J, kNothingHeld, friction, p);
  ASSERT_TRUE(f.has_value());
  for (int i = 0; i < 4; ++i) EXPECT_GE((*f)[3 * i], -1e-12) << i;
  EXPECT_LT((J.transpose() * (*f - p)).norm(), 1e-12);
}

TEST(SharedForces, WhatOthersHoldMayTakeALoad) {
  Dense J(3, 6), held(1, 6);
  put_point(J, 0, {0, 0, 0}, level());
  held << 1, 0, 0, 0, 0, 0;  // a rail along which nothing goes
  const double friction[] = {0.5};
  const auto f = shared_forces(J, held, friction, Eigen::Vector3d(1.0, 0.9, 0.0));
  ASSERT_TRUE(f.has_value());
  EXPECT_NEAR((*f)[0], 1.0, 1e-12);
  EXPECT_NEAR((*f)[1], 0.5, 1e-12);
}

}  // namespace
}  // namespace amble
