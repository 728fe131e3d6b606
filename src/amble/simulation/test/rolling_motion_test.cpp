#include <gtest/gtest.h>

#include <numbers>

#include "amble/constraints/surface_constraints.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/simulation/motion_flows.hpp"
#include "amble/simulation/rkmk.hpp"

// Things that roll, against closed forms and what they conserve.
namespace amble {
namespace {

/// A homogeneous ball or a thin disc, free to move.
struct Roller {
  double mass, radius, spin;  // spin: its moment of inertia, for a disc about its axis
  Mechanism m;

  static Roller ball(double mass, double radius) {
    const double I = 0.4 * mass * radius * radius;
    return {mass, radius, I, build(mass, Vector3<double>(I, I, I))};
  }
  static Roller disc(double mass, double radius) {
    const double I = 0.5 * mass * radius * radius;
    return {mass, radius, I, build(mass, Vector3<double>(I / 2, I / 2, I))};
  }
  static Mechanism build(double mass, const Vector3<double>& moments) {
    Builder b("roller");
    b.body({.name = "roller", .inertia = Inertia<double>::from_com(mass, {0, 0, 0}, moments.asDiagonal())});
    b.joint({.name = "free", .type = "free", .parent = kWorld, .child = "roller"});
    return b.build();
  }
};

struct Motion {
  Vector3<double> p, v, w;  // world axes
  Matrix3<double> R;
};

Motion motion(const OwnedVector& q, const Eigen::VectorXd& v) {
  const Matrix3<double> R = SO3<double>(Quaternion<double>::from_xyzw(q.data() + 3)).matrix();
  return {q.head<3>(), R * v.head<3>(), R * v.tail<3>(), R};
}

double energy(const Mechanism& m, const OwnedVector& q, const Eigen::VectorXd& v) {
  Workspace work(m);
  return kinetic_energy(m, work, q, v) + potential_energy(m, work, q);
}

/// The ball's spin about the normal stays, and with rho the distance of its centre from that of the bowl, so does the
/// vertical part of rho (its own angular momentum) - r (that of its centre): the force at the contact drops out.
TEST(RollingMotion, ABallInABowlKeepsItsEnergyAndTwoMomenta) {
  const Roller ball = Roller::ball(0.7, 0.2);
  const double bowl = 1.1, rho = bowl - ball.radius;
  const Surface sphere =
      implicit_surface([=](const auto& p) { return bowl * bowl - p[0] * p[0] - p[1] * p[1] - p[2] * p[2]; });
  ConstrainedFlow flow(
      ConstrainedDynamics(ball.m, {rolling_ball_constraint(ball.m, "bowl", {}, sphere, {1, Pose()}, ball.radius)}));
  OwnedVector q = ball.m.neutral(), v(6);
  q.head<3>() = rho * Vector3<double>(0.6, 0.0, -0.8);
  v << 0, 0, 0, 4.0, -1.0, 7.0;
  flow.dynamics().set_state(q, v);
  v = flow.dynamics().project_velocity(v);
  const auto conserved = [&](const OwnedVector& q, const Eigen::VectorXd& v) {
    const Motion x = motion(q, v);
    const Vector3<double> n = -x.p / rho;
    const Vector3<double> mixed = rho * ball.spin * x.w - ball.radius * ball.mass * cross<double>(x.p, x.v);
    return Vector3<double>(energy(ball.m, q, v), x.w.dot(n), mixed[2]);
  };
  const Vector3<double> before = conserved(q, v);
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-13});
  run.set_state(0.0, q, v);
  double lowest = q[2];
  run.run(5.0, [&] { lowest = std::min(lowest, run.q()[2]); });
  EXPECT_LT((conserved(run.q(), run.x()) - before).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT(lowest, q[2] - 0.05);  // it does move
  EXPECT_NEAR(run.q().head<3>().norm(), rho, 1e-11);
}

/// Inside an upright cylinder a ball does not run down: with Omega the rate at which it goes round and k^2 = 2/7
/// Omega^2 (I / (I + m r^2) for a homogeneous ball), z'' = -k^2 z - 2/7 Omega r w0 - 5/7 g, where w0 is its first
/// spin about the outward direction.
TEST(RollingMotion, ABallInAnUprightCylinderGoesUpAndDown) {
  const Roller ball = Roller::ball(0.5, 0.1);
  const double wall = 1.0, rho = wall - ball.radius, Omega = 6.0, w0 = 2.0, rise = 0.7;
  const Surface cylinder = implicit_surface([=](const auto& p) { return wall * wall - p[0] * p[0] - p[1] * p[1]; });
  ConstrainedFlow flow(
      ConstrainedDynamics(ball.m, {rolling_ball_constraint(ball.m, "wall", {}, cylinder, {1, Pose()}, ball.radius)}));
  OwnedVector q = ball.m.neutral(), v(6);
  q[0] = rho;
  v << 0, rho * Omega, rise, w0, rise / ball.radius, -rho * Omega / ball.radius;
  flow.dynamics().set_state(q, v);
  ASSERT_LT(flow.dynamics().velocity_error().norm(), 1e-13);
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-13});
  run.set_state(0.0, q, v);
  const double k = std::sqrt(2.0 / 7.0) * Omega,
               rest = -(2.0 / 7.0 * Omega * ball.radius * w0 + 5.0 / 7.0 * 9.81) / (k * k);
  for (double t : {0.5, 1.0, 2.0, 4.0}) {
    run.run(t);
    EXPECT_NEAR(run.q()[2], rest * (1.0 - std::cos(k * t)) + rise / k * std::sin(k * t), 1e-9) << t;
    EXPECT_NEAR(std::atan2(run.q()[1], run.q()[0]), std::remainder(Omega * t, 2.0 * std::numbers::pi), 1e-9) << t;
  }
}

/// A thin disc on level ground.
struct LeaningDisc {
  Roller disc = Roller::disc(1.5, 0.4);
  ConstrainedFlow flow{
      ConstrainedDynamics(disc.m, {rolling_disc_constraint(disc.m, "ground", {}, {1, Pose()}, disc.radius)})};

  /// Leaning so that its plane is at `slope` to the ground.
  OwnedVector leaning(double slope) const {
    OwnedVector q = disc.m.neutral();
    SO3<double>::about(0, slope).quaternion().to_xyzw(q.data() + 3);
    q[2] = disc.radius * std::sin(slope);
    return q;
  }
};

/// With s the slope of the disc's plane, n its spin about its own axis and w its turning about the direction from its
/// lowest point to its centre, a thin disc has dn/ds = 2/3 w and dw/ds = 2 n - w cot(s), whatever its motion (Appell,
/// Korteweg): so what they are carried to at one slope stays the same.
struct SpinBySlope : Flow {
  double from, towards;  // the slope is from + towards t
  const Mechanism* mechanism() const override { return nullptr; }
  int size() const override { return 2; }
  void rates(double t, const double*, const double* x, double*, double* xdot) override {
    xdot[0] = towards * 2.0 / 3.0 * x[1];
    xdot[1] = towards * (2.0 * x[0] - x[1] / std::tan(from + towards * t));
  }
};

Eigen::Vector2d spins_at(double reference, const Motion& x) {
  const Vector3<double> axis = x.R.col(2), up = (Vector3<double>(0, 0, 1) - axis[2] * axis).normalized();
  SpinBySlope flow;
  flow.from = std::acos(axis[2]), flow.towards = reference > flow.from ? 1.0 : -1.0;
  const Eigen::Vector2d now(x.w.dot(axis), x.w.dot(up));
  if (reference == flow.from) return now;
  MuntheKaasIntegrator carry(flow, {.tolerance = 1e-14});
  carry.set_state(0.0, Eigen::VectorXd(), now);
  carry.run(std::abs(reference - flow.from));
  return carry.x();
}

TEST(RollingMotion, ADiscKeepsItsEnergyAndItsTwoSpinsBySlope) {
  LeaningDisc x;
  OwnedVector q = x.leaning(1.2), v(6);
  v[5] = 6.0, v[4] = 0.8, v[3] = 0.3;
  x.flow.dynamics().set_state(q, v);
  v = x.flow.dynamics().project_velocity(v);
  const double before = energy(x.disc.m, q, v);
  const Eigen::Vector2d spins = spins_at(1.0, motion(q, v));
  MuntheKaasIntegrator run(x.flow, {.tolerance = 1e-13});
  run.set_state(0.0, q, v);
  double lowest = 2.0, highest = 0.0;
  for (int i = 1; i <= 20; ++i) {
    run.run(0.25 * i);
    const Motion now = motion(run.q(), run.x());
    lowest = std::min(lowest, now.R(2, 2)), highest = std::max(highest, now.R(2, 2));
    EXPECT_NEAR(energy(x.disc.m, run.q(), run.x()), before, 1e-10);
    EXPECT_LT((spins_at(1.0, now) - spins).norm(), 1e-10);
  }
  EXPECT_GT(highest - lowest, 0.02);  // it nods
  x.flow.dynamics().set_state(run.q(), run.x());
  EXPECT_LT(x.flow.dynamics().velocity_error().norm(), 1e-10);
  EXPECT_LT(std::abs(x.flow.dynamics().violation()[2]), 1e-10);
}

/// With its plane at `slope` to the ground and precession W, a thin disc rolls steadily when its spin n about its own
/// axis balances the moments about its centre: r W^2 s c / 4 - 3 r n W s / 2 - g c = 0, s and c the sine and cosine
/// of the slope. Its centre then goes in a circle at the speed r n.
TEST(RollingMotion, ALeaningDiscRollsInACircleAsTheClosedFormSays) {
  LeaningDisc disc;
  const double slope = 1.1, W = 2.0, r = disc.disc.radius, s = std::sin(slope), c = std::cos(slope);
  const double n = (r * W * W * s * c / 4 - 9.81 * c) / (1.5 * r * W * s);
  const OwnedVector q = disc.leaning(slope);
  OwnedVector v(6);
  v[0] = -r * n, v[4] = W * s, v[5] = n;
  disc.flow.dynamics().set_state(q, v);
  EXPECT_LT(disc.flow.dynamics().velocity_error().norm(), 1e-14);
  MuntheKaasIntegrator run(disc.flow, {.tolerance = 1e-12});
  run.set_state(0.0, q, v);
  const double t = 2.5;
  run.run(t);
  const double radius = -r * n / W;  // the velocity starts along x and turns by W t
  EXPECT_NEAR(run.q()[0], radius * std::sin(W * t), 1e-9);
  EXPECT_NEAR(run.q()[1], radius * (1.0 - std::cos(W * t)), 1e-9);
  EXPECT_NEAR(run.q()[2], r * s, 1e-9);
  const SO3<double> R(Quaternion<double>::from_xyzw(run.q().data() + 3));
  EXPECT_NEAR(R.matrix()(2, 2), c, 1e-9);
}

/// On hilly ground nothing but energy is left to check, and that the contact holds.
TEST(RollingMotion, ADiscOnHillsKeepsItsEnergyAndItsContact) {
  const Roller disc = Roller::disc(1.5, 0.4);
  const Surface hills = height_surface([](const auto& x, const auto& y) {
    using std::cos, std::sin;
    return sin(x) * 0.15 + cos(y * 1.3) * 0.1;
  });
  ConstrainedFlow flow(
      ConstrainedDynamics(disc.m, {rolling_disc_constraint(disc.m, "ground", {}, hills, {1, Pose()}, disc.radius)}));
  OwnedVector q = disc.m.neutral(), v(6);
  SO3<double>::about(0, 1.3).quaternion().to_xyzw(q.data() + 3);
  q[2] = 0.55;
  v << 0, 0, 0, 0.1, 0.5, 7.0;
  flow.dynamics().project_state(q, v);
  const double before = energy(disc.m, q, v);
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-12});
  run.set_state(0.0, q, v);
  run.run(3.0);
  EXPECT_NEAR(energy(disc.m, run.q(), run.x()), before, 1e-9 * before);
  EXPECT_GT((run.q() - q).head<2>().norm(), 1.0);
  EXPECT_LT(flow.worst_violation(), 1e-9);
}

}  // namespace
}  // namespace amble
