#include <gtest/gtest.h>

#include <numbers>

#include "amble/base/test/message_of.hpp"
#include "amble/constraints/closed_mechanisms.hpp"
#include "amble/constraints/pair_constraints.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/simulation/motion_flows.hpp"
#include "amble/simulation/rkmk.hpp"

// Motions under constraints against published and closed-form results.
namespace amble {
namespace {

/// Upright and turning at 1 rad/s to the right, so that the tips move at 1 m/s.
OwnedVector turning(const ConstrainedMechanism& windmill) {
  const Mechanism& m = windmill.mechanism;
  OwnedVector v(m.nv());
  for (const std::string& joint : m.joint_names())
    v[m.v_slice(joint).start] = joint.starts_with("ground") ? -1.0 : 1.0;
  return v;
}

/// As long as the rods stay parallel they are one pendulum: three uprights of J = 1/3 and two level rods at its tip,
/// so (3 J + 2) w^2 / 2 + (3/2 + 2) g sin(angle) is constant.
TEST(ConstrainedMotion, AWindmillFallsAsOnePendulum) {
  const ConstrainedMechanism x = n_four_bar(2);
  const Mechanism& m = x.mechanism;
  const OwnedVector v = turning(x);
  ConstrainedFlow flow(ConstrainedDynamics(m, x.constraints));
  flow.dynamics().set_state(x.q, v);
  EXPECT_LT(flow.dynamics().violation().norm(), 1e-15);
  EXPECT_LT(flow.dynamics().velocity_error().norm(), 1e-15);
  EXPECT_EQ(flow.dynamics().rank(), 4);  // of ten rows: in the plane two for each loop
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-11});
  run.set_state(0.0, x.q, v);
  const auto energy = [](double angle, double speed) { return 1.5 * speed * speed + 3.5 * 9.81 * std::sin(angle); };
  for (double t : {0.2, 0.4, 0.6}) {  // it lies flat a moment later
    run.run(t);
    const double angle = run.q()[m.q_slice("ground0").start], speed = run.x()[m.v_slice("ground0").start];
    EXPECT_NEAR(energy(angle, speed), energy(std::numbers::pi / 2, 1.0), 1e-8);
    for (const char* other : {"ground1", "ground2"}) EXPECT_NEAR(run.q()[m.q_slice(other).start], angle, 1e-9);
  }
  EXPECT_EQ(flow.singularities_passed(), 0);
  run.run(1.0);
  EXPECT_EQ(flow.singularities_passed(), 1);
  EXPECT_LT(flow.worst_violation(), 1e-9);
}

/// IFToMM A02: ten times all rods lie flat, and the published motion goes on with all of them parallel.
TEST(ConstrainedMotion, WindmillsAreWhereThePublishedSolutionSays) {
  struct Reference {
    int n;
    double x, y;
  };
  for (const Reference& r :
       {Reference{2, 0.32845811154081, 0.94451853817860}, {40, 0.18051222668673, 0.98357274058231}}) {
    const ConstrainedMechanism x = n_four_bar(r.n);
    ConstrainedFlow flow(ConstrainedDynamics(x.mechanism, x.constraints));
    MuntheKaasIntegrator run(flow, {.tolerance = 1e-11});
    run.set_state(0.0, x.q, turning(x));
    run.run(10.0);
    const Slice first = x.mechanism.q_slice("ground0");
    const double angle = run.q()[first.start], speed = run.x()[x.mechanism.v_slice("ground0").start];
    EXPECT_NEAR(std::cos(angle), r.x, 1e-9) << r.n;
    EXPECT_NEAR(std::sin(angle), r.y, 1e-9) << r.n;
    EXPECT_EQ(flow.singularities_passed(), 10) << r.n;
    if (r.n != 2) continue;
    EXPECT_NEAR(-speed * std::sin(angle), 1.42305147020694, 1e-8);
    EXPECT_NEAR(speed * std::cos(angle), -0.49486884548704, 1e-8);
  }
}

/// A four-bar whose shortest and longest sides are together as long as the other two also lies flat, on branches that
/// are not straight in the joints' angles. On its own branch the ratio of rocker to crank speed goes on smoothly.
TEST(ConstrainedMotion, AFourBarPassesItsChangePointSmoothly) {
  const ConstrainedMechanism x = four_bar({.ground = 1.0, .crank = 0.4, .coupler = 0.6, .rocker = 0.8});
  const Mechanism& m = x.mechanism;
  const int crank = m.v_slice("crank").start, rocker = m.v_slice("rocker").start;
  const auto run_with = [&](double tolerance) {
    ConstrainedFlow flow(ConstrainedDynamics(m, x.constraints));
    OwnedVector v(m.nv());
    v[crank] = -6.0;
    flow.dynamics().set_state(x.q, v);
    v = flow.dynamics().project_velocity(v);
    MuntheKaasIntegrator run(flow, {.tolerance = tolerance, .longest_step = 0.005});
    run.set_state(0.0, x.q, v);
    double ratio = v[rocker] / v[crank], jump = 0.0;
    run.run(1.0, [&] {
      const double now = run.x()[rocker] / run.x()[crank];
      jump = std::max(jump, std::abs(now - ratio));
      ratio = now;
    });
    EXPECT_GE(flow.singularities_passed(), 1);
    EXPECT_LT(jump, 0.15);  // the slopes of the two branches are 1.2 apart
    return OwnedVector(run.q());
  };
  const OwnedVector fine = run_with(1e-11), coarse = run_with(1e-9);
  EXPECT_LT((fine - coarse).norm(), 1e-6);
}

/// Towards the flat configuration with both uprights at 0.5, 0.2 and 0.1 rad, and then at -0.1 rad with one of them
/// astray.
TEST(ConstrainedMotion, ALostBranchIsNotPassedOver) {
  const ConstrainedMechanism x = n_four_bar(1);
  const Mechanism& m = x.mechanism;
  ConstrainedFlow flow(ConstrainedDynamics(m, x.constraints));
  const auto step_to = [&](double t, double angle, double astray) {
    OwnedVector q = m.neutral(), v(m.nv());
    q[m.q_slice("ground0").start] = angle, q[m.q_slice("ground1").start] = angle + astray,
    q[m.q_slice("pin0").start] = -angle;
    flow.after_step(t, q.data(), v.data());
  };
  step_to(-0.5, 0.5, 0.0);
  step_to(-0.2, 0.2, 0.0);
  step_to(-0.1, 0.1, 0.0);
  EXPECT_NEAR(flow.singular_time(), 0.0, 0.01);
  EXPECT_NE(message_of([&] { step_to(0.1, -0.1, 0.05); }).find("branches of motion cannot be told apart"),
            std::string::npos);
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

/// phi_6 of the Bricard loop repeats what the other rows say, at every configuration, so nothing is lost with it.
TEST(ConstrainedMotion, BricardsLoopKeepsItsEnergyAndNamesItsRedundantRow) {
  const ConstrainedMechanism x = bricard();
  const Mechanism& m = x.mechanism;
  ConstrainedFlow flow(ConstrainedDynamics(m, x.constraints));
  Workspace work(m);
  const double before = potential_energy(m, work, x.q);
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-11});
  run.set_state(0.0, x.q, OwnedVector(m.nv()));
  double moved = 0.0;
  run.run(10.0, [&] { moved = std::max(moved, m.difference(x.q, run.q()).norm()); });
  EXPECT_NEAR(kinetic_energy(m, work, run.q(), run.x()) + potential_energy(m, work, run.q()), before, 1e-8);
  EXPECT_GT(moved, 1.0);
  flow.dynamics().set_state(run.q(), run.x());
  EXPECT_EQ(flow.dynamics().rank(), 4);
  ASSERT_EQ(flow.dynamics().redundant_rows().size(), 1u);
  EXPECT_EQ(flow.dynamics().row_name(flow.dynamics().redundant_rows()[0]).rfind("hinge6: ", 0), 0u);
  EXPECT_LT(flow.worst_violation(), 1e-9);
}

TEST(ConstrainedMotion, ViolationStaysSmallForAHundredSeconds) {
  const ConstrainedMechanism loops[] = {n_four_bar(2), bricard(), slider_crank()};
  for (const ConstrainedMechanism& x : loops) {
    ConstrainedFlow flow(ConstrainedDynamics(x.mechanism, x.constraints));
    OwnedVector v = OwnedVector(Eigen::VectorXd::Ones(x.mechanism.nv()));
    flow.dynamics().set_state(x.q, v);
    MuntheKaasIntegrator run(flow, {.tolerance = 1e-10});
    run.set_state(0.0, x.q, flow.dynamics().project_velocity(v));
    run.run(100.0);
    EXPECT_LT(flow.worst_violation(), 1e-8) << x.mechanism.name();
  }
}

}  // namespace
}  // namespace amble
