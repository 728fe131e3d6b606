#include "amble/dynamics/linearization.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "amble/dynamics/derivatives.hpp"
#include "amble/dynamics/test/random_state.hpp"

namespace amble {
namespace {

/// Where a motion from (q, v) is after a short time t; what is left out plays no part in rates at t = 0.
Eigen::VectorXd moved(const RandomState& s, const Eigen::VectorXd& q, const Eigen::VectorXd& v, double t) {
  return s.m.integrate(q, t * v);
}

/// The rate of dq = difference(q(t), nearby(t)) at t = 0, for a nearby state off by dq = e x, dv = e y: by
/// central differences in t of slopes in e.
Eigen::VectorXd rate_of_difference(const RandomState& s, const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
  return slope_at_zero([&](double t) -> Eigen::VectorXd {
    return slope_at_zero([&](double e) -> Eigen::VectorXd {
      const Eigen::VectorXd nearby = moved(s, s.m.integrate(s.q, e * x), s.v + e * y, t);
      return s.m.difference(moved(s, s.q, s.v, t), nearby);
    });
  });
}

TEST(Linearization, TheUpperRowsAreTheRateOfTheDifferenceOfTwoMotions) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomState s = random_state(seed, {.bodies = 6, .roots = 2});
    Workspace work(s.m);
    const int n = s.m.nv();
    const Linearization l = linearize(s.m, work, s.q, s.v, s.a);
    const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(n, -1.0, 0.7),
                          y = Eigen::VectorXd::LinSpaced(n, 0.3, 1.0);
    const Eigen::VectorXd ours = l.A.topLeftCorner(n, n) * x + l.A.topRightCorner(n, n) * y;
    EXPECT_LT((ours - rate_of_difference(s, x, y)).cwiseAbs().maxCoeff(), 1e-8) << "seed " << seed;
    EXPECT_EQ(l.B.topRows(n).norm(), 0.0);
  }
}

TEST(Linearization, TheLowerRowsAreTheDerivativesOfForwardDynamics) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const RandomState s = random_state(seed, {.bodies = 8});
    Workspace work(s.m);
    const int n = s.m.nv();
    const Linearization l = linearize(s.m, work, s.q, s.v, s.a);
    const ForwardDynamicsDerivatives d = forward_dynamics_derivatives(s.m, work, s.q, s.v, s.a);
    EXPECT_EQ(l.A.bottomLeftCorner(n, n), d.dq);
    EXPECT_EQ(l.A.bottomRightCorner(n, n), d.dv);
    EXPECT_EQ(l.B.bottomRows(n), d.M_inverse);
  }
}

/// A heavy top that sleeps (turns about its vertical axis of symmetry) is stable from the spin on with
/// I3^2 spin^2 = 4 I1 m g l (Goldstein, Classical Mechanics, sec. 5.7).
TEST(Linearization, ASleepingTopIsStableFromTheSpinOfTheTextbookOn) {
  constexpr double kMass = 2.0, kHeight = 0.3, kAcross = 0.05, kAlong = 0.02;
  const double about_point = kAcross + kMass * kHeight * kHeight;
  Builder b("top");
  b.body({.name = "top",
          .inertia = Inertia<double>::from_com(
              kMass, {0.0, 0.0, kHeight},
              Vector3<double>(kAcross, kAcross, kAlong).asDiagonal().toDenseMatrix())});
  b.joint({.name = "tip", .type = "spherical", .parent = "world", .child = "top"});
  const Mechanism m = b.build();
  Workspace work(m);
  const double least_spin = std::sqrt(4.0 * about_point * kMass * -m.gravity()[2] * kHeight) / kAlong;
  const auto growth = [&](double spin) {
    const Eigen::Vector3d v(0.0, 0.0, spin), tau = Eigen::Vector3d::Zero();
    const Linearization l = linearize(m, work, m.neutral(), v, tau);
    return Eigen::EigenSolver<Eigen::MatrixXd>(l.A).eigenvalues().real().maxCoeff();
  };
  EXPECT_GT(growth(0.99 * least_spin), 0.1);
  EXPECT_LT(growth(1.01 * least_spin), 1e-6);
}

}  // namespace
}  // namespace amble
