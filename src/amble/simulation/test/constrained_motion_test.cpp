#include <gtest/gtest.h>

#include <numbers>

#include "amble/constraints/assembly.hpp"
#include "amble/constraints/pair_constraints.hpp"
#include "amble/constraints/rolling_constraints.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/simulation/motion_flows.hpp"
#include "amble/simulation/rkmk.hpp"

// Motions under constraints against published and closed-form results.
namespace amble {
namespace {

Inertia<double> rod() { return Inertia<double>::from_com(1.0, {0.5, 0, 0}, Vector3<double>(0, 1.0 / 12, 1.0 / 12).asDiagonal()); }

Pose at(double x, double y) { return Pose(SO3<double>(), {x, y, 0}); }

/// N + 1 upright and N level rods of 1 m and 1 kg, pinned: the windmill of the IFToMM library of multibody benchmarks
/// (A02). Rods lie along their own x; y is up. Where all rods lie flat the mechanism is singular.
Mechanism windmill(int n) {
  Builder b("windmill");
  const auto name = [](const char* what, int i) { return what + std::to_string(i); };
  b.gravity({0, -9.81, 0});
  for (int i = 0; i <= n; ++i) {
    b.body({.name = name("upright", i), .inertia = rod()});
    b.joint({.name = name("ground", i), .type = "revolute", .parent = kWorld, .child = name("upright", i), .X_PF = at(i, 0)});
  }
  for (int i = 0; i < n; ++i) {
    b.body({.name = name("level", i), .inertia = rod()});
    b.joint({.name = name("pin", i), .type = "revolute", .parent = name("upright", i), .child = name("level", i), .X_PF = at(1, 0)});
    b.loop({.name = name("closure", i), .type = "revolute", .body_a = name("level", i), .body_b = name("upright", i + 1),
            .X_AF = at(1, 0), .X_BM = at(1, 0)});
  }
  return b.build();
}

/// Upright, turning at 1 rad/s, so that the tips move at 1 m/s.
void start_upright(const Mechanism& m, OwnedVector& q, OwnedVector& v) {
  const double up = std::numbers::pi / 2;
  for (const std::string& joint : m.joint_names()) {
    const bool upright = joint.starts_with("ground");
    q[m.q_slice(joint).start] = upright ? up : -up;
    v[m.v_slice(joint).start] = upright ? -1.0 : 1.0;
  }
}

/// As long as the rods stay parallel they are one pendulum: three uprights of J = 1/3 and two level rods at its tip, so
/// (3 J + 2) w^2 / 2 + (3/2 + 2) g sin(angle) is constant.
TEST(ConstrainedMotion, AWindmillFallsAsOnePendulum) {
  const Mechanism m = windmill(2);
  OwnedVector q = m.neutral(), v(m.nv());
  start_upright(m, q, v);
  ConstrainedFlow flow(ConstrainedDynamics(m, loop_constraints(m)));
  flow.dynamics().set_state(q, v);
  EXPECT_LT(flow.dynamics().violation().norm(), 1e-15);
  EXPECT_LT(flow.dynamics().velocity_error().norm(), 1e-15);
  EXPECT_EQ(flow.dynamics().rank(), 4);  // of ten rows: in the plane two for each loop
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-11});
  run.set_state(0.0, q, v);
  const auto energy = [](double angle, double speed) { return 1.5 * speed * speed + 3.5 * 9.81 * std::sin(angle); };
  for (double t : {0.2, 0.4, 0.6}) {  // it lies flat a moment later
    run.run(t);
    const double angle = run.q()[m.q_slice("ground0").start], speed = run.x()[m.v_slice("ground0").start];
    EXPECT_NEAR(energy(angle, speed), energy(std::numbers::pi / 2, 1.0), 1e-8);
    for (const char* other : {"ground1", "ground2"}) EXPECT_NEAR(run.q()[m.q_slice(other).start], angle, 1e-9);
  }
  EXPECT_LT(flow.worst_violation(), 1e-9);
}

/// IFToMM A01: a point mass on a rod of 1 m, released level; here as a free body on a distance.
TEST(ConstrainedMotion, ThePendulumIsWhereThePublishedSolutionSays) {
  Builder b("pendulum");
  b.gravity({0, -9.81, 0});
  b.body({.name = "mass", .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "free", .type = "free", .parent = kWorld, .child = "mass"});
  const Mechanism m = b.build();
  OwnedVector q = m.neutral(), v(6);
  q[0] = -1.0;
  ConstrainedFlow flow(ConstrainedDynamics(m, {distance_constraint(m, "rod", {}, {1, Pose()}, 1.0)}));
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-12});
  run.set_state(0.0, q, v);
  run.run(10.0);
  EXPECT_NEAR(run.q()[0], -0.27508746257612, 1e-8);
  EXPECT_NEAR(run.q()[1], -0.96141920509912, 1e-8);
}

/// A thin disc that rolls on the ground.
struct Disc {
  static constexpr double kRadius = 0.4, kMass = 1.5;
  Mechanism m = [] {
    constexpr double I = kMass * kRadius * kRadius / 4;
    Builder b("disc");
    b.body({.name = "disc", .inertia = Inertia<double>::from_com(kMass, {0, 0, 0}, Vector3<double>(I, I, 2 * I).asDiagonal())});
    b.joint({.name = "free", .type = "free", .parent = kWorld, .child = "disc"});
    return b.build();
  }();
  ConstrainedFlow flow{ConstrainedDynamics(m, {rolling_disc_constraint(m, "ground", {}, {1, Pose()}, kRadius)})};

  /// Leaning so that its plane is at `slope` to the ground.
  OwnedVector leaning(double slope) const {
    OwnedVector q = m.neutral();
    SO3<double>::about(0, slope).quaternion().to_xyzw(q.data() + 3);
    q[2] = kRadius * std::sin(slope);
    return q;
  }
};

TEST(ConstrainedMotion, ARollingDiscKeepsItsEnergyAndDoesNotSlip) {
  Disc disc;
  OwnedVector q = disc.leaning(1.2), v(6);
  v[5] = 6.0, v[4] = 0.8;
  disc.flow.dynamics().set_state(q, v);
  v = disc.flow.dynamics().project_velocity(v);
  Workspace work(disc.m);
  const auto energy = [&](const OwnedVector& q, const Eigen::VectorXd& v) {
    return kinetic_energy(disc.m, work, q, v) + potential_energy(disc.m, work, q);
  };
  const double before = energy(q, v);
  MuntheKaasIntegrator run(disc.flow, {.tolerance = 1e-12});
  run.set_state(0.0, q, v);
  run.run(5.0);
  EXPECT_NEAR(energy(run.q(), run.x()), before, 1e-9 * std::abs(before));
  disc.flow.dynamics().set_state(run.q(), run.x());
  EXPECT_LT(disc.flow.dynamics().velocity_error().norm(), 1e-10);
  EXPECT_LT(std::abs(disc.flow.dynamics().violation()[2]), 1e-10);
}

/// With its plane at `slope` to the ground and precession W, a thin disc rolls steadily when its spin n about its own axis
/// balances the moments about its centre: r W^2 s c / 4 - 3 r n W s / 2 - g c = 0, s and c the sine and cosine of the slope.
/// Its centre then goes in a circle at the speed r n.
TEST(ConstrainedMotion, ALeaningDiscRollsInACircleAsTheClosedFormSays) {
  Disc disc;
  const double slope = 1.1, W = 2.0, r = Disc::kRadius, s = std::sin(slope), c = std::cos(slope);
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

TEST(ConstrainedMotion, ViolationStaysSmallForAHundredSeconds) {
  const Mechanism m = windmill(1);
  OwnedVector q = m.neutral(), v(m.nv());
  start_upright(m, q, v);
  ConstrainedFlow flow(ConstrainedDynamics(m, loop_constraints(m)));
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-10});
  run.set_state(0.0, q, v);
  run.run(100.0);
  EXPECT_LT(flow.worst_violation(), 1e-8);
}

}  // namespace
}  // namespace amble
