#include "amble/base/test/source_dir.hpp"
#include "amble/simulation/time_stepping.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "amble/base/test/count_allocations.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/base/test/random_numbers.hpp"
#include "amble/constraints/assembly.hpp"
#include "amble/contact/contact_scene.hpp"
#include "amble/contact/joint_blocks.hpp"
#include "amble/contact/rigid_contact.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/io/load.hpp"
#include "amble/mechanism/box_scenes.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "amble/ports/rigid_stop.hpp"
#include "amble/simulation/integrators.hpp"
#include "amble/simulation/simulate.hpp"

// Steps over many contacts against closed forms, laws of conservation, and themselves at other steps.
namespace amble {
namespace {

constexpr double kGravity = 9.81;

SimulatorOptions stepping(double step, double tolerance = 1e-10) {
  return {.integrator = {.tolerance = tolerance, .step = step}, .method = "time_stepping"};
}

/// A free ball on its own, with its shape.
Mechanism ball(double radius, double mass) {
  Builder b("ball");
  BodyDescription body{.name = "ball", .inertia = Inertia<double>::from_com(mass, Vector3<double>::Zero(),
                                                                           0.4 * mass * radius * radius * Matrix3<double>::Identity())};
  body.collisions.push_back({.name = "ball", .shape = {.kind = Shape::Kind::sphere, .size = {radius, 0, 0}}});
  b.body(std::move(body));
  b.joint({.name = "free", .type = "free", .parent = kWorld, .child = "ball"});
  return b.build();
}

/// One box on the ground of a slope, as the slope has it.
struct BoxOnSlope {
  BoxScene scene;
  OwnedVector q;
  Vector3<double> downhill;
};
BoxOnSlope box_on_slope(double slope_deg) {
  BoxScene scene = box_stack({.high = 1, .edge = 0.2, .mass = 3.0});
  const double angle = slope_deg * std::numbers::pi / 180.0;
  const Pose X_WS(SO3<double>::exp(Vector3<double>(0.0, angle, 0.0)), Vector3<double>::Zero());
  const Pose X_WB = X_WS * Pose(Vector3<double>(0.0, 0.0, 0.1));
  OwnedVector q(7);
  q.head(3) = X_WB.translation();
  X_WB.rotation().quaternion().to_xyzw(q.data() + 3);
  return {scene, q, X_WS.rotation() * Vector3<double>::UnitX()};
}

Vector3<double> linear_velocity(const Simulator& s) {
  const Quaternion<double> r = Quaternion<double>::from_xyzw(s.q().data() + 3);
  return r.matrix() * Vector3<double>(s.v().head(3));
}

TEST(TimeStepping, ABoxOnASlopeBelowItsAngleOfFrictionDoesNotCreepForAMinute) {
  const double friction = 0.5, slope = std::atan(friction) * 180.0 / std::numbers::pi - 0.01;
  const BoxOnSlope start = box_on_slope(slope);
  const Mechanism& m = start.scene.mechanism;
  Simulator s(m, {contact_scene("contacts", m, {.ground = plane_ground(slope), .material = {.friction = friction}})}, {},
              stepping(0.01));
  s.reset(start.q, OwnedVector(6));
  double fastest = 0.0;
  for (int i = 0; i < 6000; ++i) s.step(0.01), fastest = std::max(fastest, s.v().norm());
  EXPECT_LT(fastest, 1e-9);
  EXPECT_LT((s.q() - start.q).norm(), 1e-9);
  EXPECT_EQ(s.contact_report()->unsolved_steps, 0);
}

TEST(TimeStepping, JustAboveItSlidesWithTheRightAcceleration) {
  const double friction = 0.5, slope = std::atan(friction) * 180.0 / std::numbers::pi + 0.5;
  const BoxOnSlope start = box_on_slope(slope);
  const Mechanism& m = start.scene.mechanism;
  Simulator s(m, {contact_scene("contacts", m, {.ground = plane_ground(slope), .material = {.friction = friction}})}, {},
              stepping(1e-3));
  s.reset(start.q, OwnedVector(6));
  s.step(2.0);
  const double angle = slope * std::numbers::pi / 180.0;
  const double expected = kGravity * (std::sin(angle) - friction * std::cos(angle));
  EXPECT_NEAR(linear_velocity(s).dot(start.downhill) / 2.0, expected, 1e-6 * expected);
  // Friction takes mu N times the way, which the books of the contacts have as heat.
  const double way = 0.5 * expected * 4.0;
  const Ledger books = s.ledger();
  EXPECT_NEAR(books.entries[0].dissipated, friction * 3.0 * kGravity * std::cos(angle) * way, 1e-9 + 1e-9 * way);
  EXPECT_NEAR(books.residual(), 0.0, 1e-9 * books.exchanged);
}

/// A pendulum that is the root of its foot: a box, on the ground or on another box.
struct Swinging {
  Mechanism m;
  OwnedVector q;
  std::vector<std::string> boxes;
};
Swinging pendulum_on(int count) {
  Builder b("pendulum");
  const auto box = [&](int i, double edge) {
    const Inertia<double> inertia = Inertia<double>::from_com(5.0, Vector3<double>::Zero(), 0.2 * Matrix3<double>::Identity());
    BodyDescription body{.name = "box" + std::to_string(i), .inertia = inertia};
    body.collisions.push_back({.name = "box", .shape = {.kind = Shape::Kind::box, .size = {edge, edge, 0.2}}});
    b.body(std::move(body));
  };
  const SO3<double> aside = SO3<double>::exp(Vector3<double>(0.0, 0.0, 0.7));
  b.body({.name = "bob", .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, 0.05 * Matrix3<double>::Identity())});
  b.joint({.name = "free", .type = "free", .parent = kWorld, .child = "bob"});
  box(0, 0.6);
  b.joint({.name = "hinge", .type = "revolute", .parent = "bob", .child = "box0", .X_PF = Pose(Vector3<double>(0, 0, -0.4)), .X_CM = Pose(aside, {0, 0, 0.1}), .axis = Vector3<double>::UnitX()});
  if (count == 2) box(1, 0.8), b.joint({.name = "below", .type = "free", .parent = kWorld, .child = "box1"});
  Mechanism m = b.build();
  OwnedVector q = m.neutral();
  const SO3<double> R = aside * SO3<double>::exp(Vector3<double>(2.2, 0.0, 0.0));
  q.segment(m.q_slice("free").start, 3) = Vector3<double>(0, 0, 0.2 * count) + R * Vector3<double>(0, 0, 0.4);
  R.quaternion().to_xyzw(q.data() + m.q_slice("free").start + 3);
  q[m.q_slice("hinge").start] = -2.2;
  if (count == 2) q[m.q_slice("below").start + 2] = 0.1;
  return {m, q, count == 2 ? std::vector<std::string>{"box0", "box1"} : std::vector<std::string>{"box0"}};
}

// Each step moves what sticks by the square of how far things turn. That does not add up: a foot below a pendulum that swings
// for seconds is where it was.
TEST(TimeStepping, WhatSticksUnderASwingingPendulumStaysWhereItIs) {
  for (const int count : {1, 2}) {
    const Swinging start = pendulum_on(count);
    Simulator s(start.m, {contact_scene("contacts", start.m, {.material = {.friction = 0.9}})}, {}, stepping(1e-3));
    s.reset(start.q, OwnedVector(start.m.nv()));
    double fastest = 0.0;
    for (int i = 0; i < 300; ++i) s.step(0.01), fastest = std::max(fastest, std::abs(s.v()[start.m.v_slice("hinge").start]));
    EXPECT_GT(fastest, 3.0);  // rad/s
    Workspace work(start.m);
    for (const std::string& name : start.boxes) {
      const Pose before = pose(start.m, work, start.q, name), after = pose(start.m, work, s.q(), name);
      EXPECT_LT((after.matrix() - before.matrix()).norm(), 1e-6) << count << " " << name;
    }
    EXPECT_NEAR(s.ledger().residual(), 0.0, 1e-9);
  }
}

// The end that is asked for and the sum of steps differ by rounding: that is not a step, and nothing starts afresh after it.
TEST(TimeStepping, RoundingBetweenClocksIsNoStep) {
  const Swinging start = pendulum_on(1);
  Simulator s(start.m, {contact_scene("contacts", start.m, {.material = {.friction = 0.9}})}, {}, stepping(1e-3));
  s.reset(start.q, OwnedVector(start.m.nv()));
  s.step(0.1);
  double force = 0.0;
  for (const SteppedContact& c : s.contacts()) force += c.force.z();
  const OwnedVector v(s.v());
  s.advance(s.t() + 1e-13);
  EXPECT_EQ((s.v() - v).norm(), 0.0);
  double after = 0.0;
  for (const SteppedContact& c : s.contacts()) after += c.force.z();
  EXPECT_GT(force, 10.0);
  EXPECT_EQ(force, after);
}

TEST(TimeStepping, ATableOnFourLegsSharesItsWeightEvenly) {
  Builder b("table");
  b.body({.name = "top", .inertia = Inertia<double>::from_com(8.0, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "free", .type = "free", .parent = kWorld, .child = "top"});
  const Mechanism m = b.build();
  ContactSceneOptions o;
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.4, 0.4}) o.contacts.push_back({.body = "top", .point = {x, y, -0.7}, .friction = 0.6});
  Simulator s(m, {contact_scene("legs", m, o)}, {}, stepping(1e-3));
  OwnedVector q = m.neutral();
  q[2] = 0.7;
  s.reset(q, OwnedVector(6));
  s.step(1.0);
  EXPECT_LT(s.v().norm(), 1e-11);
  ASSERT_EQ(s.contacts().size(), 4u);
  double weight = 0.0;
  for (const SteppedContact& c : s.contacts()) {
    EXPECT_NEAR(c.force.z(), 2.0 * kGravity, 1e-4);  // how they share it is for rounding to say, and wanders from step to step
    weight += c.force.z();
  }
  EXPECT_NEAR(weight, 8.0 * kGravity, 1e-8);
}

TEST(TimeStepping, ABallThatSlidesComesToRollAtFiveSeventhsOfItsSpeed) {
  const Mechanism m = ball(0.1, 1.3);
  Simulator s(m, {contact_scene("contacts", m, {.material = {.friction = 0.3}})}, {}, stepping(1e-3));
  OwnedVector q = m.neutral(), v(6);
  q[2] = 0.1, v[0] = 2.0;
  s.reset(q, v);
  s.step(1.0);
  EXPECT_NEAR(linear_velocity(s).x(), 2.0 * 5.0 / 7.0, 1e-9);
  EXPECT_NEAR(s.q()[2], 0.1, 1e-12);
}

TEST(TimeStepping, ABouncingBallKeepsTheShareOfItsSpeedThatRestitutionSays) {
  const Mechanism m = ball(0.1, 1.0);
  for (const double e : {0.3, 0.7, 1.0}) {
    Simulator s(m, {contact_scene("contacts", m, {.material = {.restitution = e}})}, {}, stepping(1e-3));
    OwnedVector q = m.neutral();
    q[2] = 1.1;
    s.reset(q, OwnedVector(6));
    double before = 0.0;
    while (s.v()[2] <= 0.0) before = s.v()[2], s.step(1e-3);
    EXPECT_NEAR(s.v()[2], -e * before, 1e-12) << e;
  }
}

TEST(TimeStepping, ABoxThatLandsAskewOnOneThatMovesSticksWithAllItsCorners) {
  // Its corners come down one after the other while it turns; the lower one glides, so that momentum along it stays.
  BoxScene scene = box_stack({.high = 2, .edge = 0.2, .mass = 3.0});
  const Mechanism& m = scene.mechanism;
  const double speed = 0.4;
  for (const double tilt : {0.0, 0.01, 0.05}) {
    ContactSceneOptions options{.material = {.friction = 0.9}};
    options.materials[kWorld] = {.friction = 0.0};
    Simulator s(m, {contact_scene("contacts", m, options)}, {}, stepping(1e-3));
    OwnedVector q = scene.q, v(12);
    const SO3<double> R = SO3<double>::exp(Vector3<double>(tilt, -0.7 * tilt, 0.0));
    R.quaternion().to_xyzw(q.data() + 10);
    q[9] += 0.3 * tilt;
    v[0] = speed;
    v.segment(6, 3) = R.inverse() * Vector3<double>(speed, 0.0, 0.0);
    s.reset(q, v);
    s.advance(1.5);
    const Quaternion<double> lower = Quaternion<double>::from_xyzw(s.q().data() + 3),
                             upper = Quaternion<double>::from_xyzw(s.q().data() + 10);
    const Vector3<double> below = lower.matrix() * Vector3<double>(s.v().head(3)),
                          above = upper.matrix() * Vector3<double>(s.v().segment(6, 3));
    EXPECT_NEAR(0.5 * (below.x() + above.x()), speed, 1e-9) << tilt;
    EXPECT_LT((above - below).norm(), 1e-8) << tilt << ": they go on as one";
    EXPECT_NEAR(s.q()[9] - s.q()[2], 0.2, 1e-9) << tilt;
    EXPECT_EQ(s.contact_report()->unsolved_steps, 0) << tilt;
    EXPECT_EQ(s.contacts().size(), 8u) << tilt;
  }
}

TEST(TimeStepping, AStackOfBoxesStandsStill) {
  const BoxScene scene = box_stack({.along_x = 2, .along_y = 1, .high = 5});
  const Mechanism& m = scene.mechanism;
  Simulator s(m, {contact_scene("contacts", m)}, {}, stepping(2e-3));
  s.reset(scene.q, OwnedVector(m.nv()));
  s.step(1.0);
  EXPECT_LT((s.q() - scene.q).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT(s.contact_report()->deepest, 1e-8);
  EXPECT_EQ(s.contact_report()->unsolved_steps, 0);
}

TEST(TimeStepping, DominoesFallOneAfterAnother) {
  const BoxScene scene = dominoes({.count = 4});
  const Mechanism& m = scene.mechanism;
  Simulator s(m, {contact_scene("contacts", m, {.material = {.friction = 0.4}})}, {}, stepping(1e-3));
  s.reset(scene.q, OwnedVector(m.nv()));
  s.step(2.0);
  for (int i = 0; i < 4; ++i) EXPECT_LT(s.q()[7 * i + 2], 0.035) << i;  // upright they are at 0.04
  EXPECT_LT(s.contact_report()->deepest, 1e-4);
  EXPECT_LT(s.contact_report()->worst_residual, 1e-8);
}

TEST(TimeStepping, AJointAtItsLimitStopsThereAndLeavesIt) {
  Builder b("flap");
  b.body({.name = "flap", .inertia = Inertia<double>::from_com(1.0, {0.5, 0, 0}, 0.1 * Matrix3<double>::Identity())});
  JointDescription joint{.name = "hinge", .type = "revolute", .parent = kWorld, .child = "flap", .axis = {0, -1, 0}};
  joint.properties.lower = {-0.4}, joint.properties.upper = {2.0};
  b.joint(std::move(joint));
  const Mechanism m = b.build();
  Simulator s(m, {stepped_joint_limits("limits", m)}, {}, stepping(1e-3));
  s.reset(Eigen::VectorXd::Constant(1, 0.5), OwnedVector(1));
  s.step(3.0);
  EXPECT_NEAR(s.q()[0], -0.4, 1e-12);
  EXPECT_NEAR(s.v()[0], 0.0, 1e-12);
  s.reset(Eigen::VectorXd::Constant(1, -0.4), Eigen::VectorXd::Constant(1, 1.0));
  s.step(0.05);
  EXPECT_GT(s.q()[0], -0.38);
}

TEST(TimeStepping, DryFrictionHoldsAJointUntilTheLoadIsLarger) {
  for (const double friction : {4.90, 4.91}) {  // the load is 0.5 g = 4.905 N m
    Builder b("flap");
    b.body({.name = "flap", .inertia = Inertia<double>::from_com(1.0, {0.5, 0, 0}, 0.1 * Matrix3<double>::Identity())});
    JointDescription joint{.name = "hinge", .type = "revolute", .parent = kWorld, .child = "flap", .axis = {0, 1, 0}};
    joint.properties.friction = {friction};
    b.joint(std::move(joint));
    const Mechanism m = b.build();
    Simulator s(m, {}, {}, stepping(1e-3));
    s.reset(OwnedVector(1), OwnedVector(1));
    s.step(1.0);
    if (friction > 4.905)
      EXPECT_LT(std::abs(s.v()[0]), 1e-14);
    else
      EXPECT_NEAR(s.v()[0], 0.005 / 0.35, 1e-3);
  }
}

TEST(TimeStepping, AJointThatFrictionStopsIsExactlyStillAndTheForceThatHoldsItIsTold) {
  Builder b("flap");
  b.body({.name = "flap", .inertia = Inertia<double>::from_com(1.0, {0.5, 0, 0}, 0.1 * Matrix3<double>::Identity())});
  JointDescription joint{.name = "hinge", .type = "revolute", .parent = kWorld, .child = "flap", .axis = {0, 1, 0}};
  joint.properties.friction = {6.0};
  b.joint(std::move(joint));
  const Mechanism m = b.build();
  Simulator s(m, {}, {}, stepping(1e-3));
  s.reset(OwnedVector(1), Eigen::VectorXd::Constant(1, 0.5));
  s.step(2.0);
  EXPECT_GT(s.q()[0], 0.01);
  EXPECT_EQ(s.v()[0], 0.0);
  ASSERT_EQ(s.contacts().size(), 1u);
  EXPECT_NEAR(s.contacts()[0].force[0], -0.5 * m.gravity().norm() * std::cos(s.q()[0]), 1e-9);
  EXPECT_NEAR(s.ledger().residual(), 0.0, 1e-12);
}

TEST(TimeStepping, DampingOfAnySizeIsStable) {
  Builder b("flap");
  b.body({.name = "flap", .inertia = Inertia<double>::from_com(0.01, {0.1, 0, 0}, 1e-5 * Matrix3<double>::Identity())});
  JointDescription joint{.name = "hinge", .type = "revolute", .parent = kWorld, .child = "flap"};
  joint.properties.damping = {100.0};
  b.joint(std::move(joint));
  const Mechanism m = b.build();
  Simulator s(m, {}, {}, stepping(1e-3));
  s.reset(OwnedVector(1), Eigen::VectorXd::Constant(1, 5.0));
  s.step(0.1);
  EXPECT_LT(std::abs(s.v()[0]), 1e-12);
  const Ledger books = s.ledger();
  EXPECT_NEAR(books.residual(), 0.0, 1e-12);
  EXPECT_GT(books.entries[0].dissipated, 0.0);
}

TEST(TimeStepping, AClosedLoopFallsOnItsFeet) {
  Builder b("four bar, loose");
  const auto rod = [](double length) {
    return Inertia<double>::from_com(length, {length / 2, 0, 0}, length * length * length / 12 * Matrix3<double>::Identity());
  };
  b.body({.name = "base", .inertia = rod(1.0)});
  b.joint({.name = "root", .type = "free", .parent = kWorld, .child = "base"});
  b.body({.name = "left", .inertia = rod(0.5)});
  JointDescription sprung{.name = "a", .type = "revolute", .parent = "base", .child = "left", .axis = {0, 1, 0}};
  sprung.properties.stiffness = {80.0}, sprung.properties.reference = {-1.2}, sprung.properties.damping = {1.0};
  b.joint(std::move(sprung));  // it would fall flat, where its branches of motion meet
  b.body({.name = "right", .inertia = rod(0.5)});
  b.joint({.name = "b", .type = "revolute", .parent = "base", .child = "right", .X_PF = Pose(Vector3<double>(1, 0, 0)), .axis = {0, 1, 0}});
  b.body({.name = "top", .inertia = rod(1.0)});
  b.joint({.name = "c", .type = "revolute", .parent = "left", .child = "top", .X_PF = Pose(Vector3<double>(0.5, 0, 0)), .axis = {0, 1, 0}});
  b.loop({.name = "d", .type = "revolute", .body_a = "right", .body_b = "top", .X_AF = Pose(Vector3<double>(0.5, 0, 0)),
          .X_BM = Pose(Vector3<double>(1, 0, 0)), .axis = {0, 1, 0}});
  const Mechanism m = b.build();
  ContactSceneOptions o;
  for (const double x : {0.0, 1.0})
    for (const double y : {-0.2, 0.2}) o.contacts.push_back({.body = "base", .point = {x, y, 0}, .friction = 0.5});
  o.contacts.push_back({.body = "top", .point = {0, 0, 0}, .radius = 0.05, .friction = 0.5});
  o.contacts.push_back({.body = "top", .point = {1, 0, 0}, .radius = 0.05, .friction = 0.5});
  Simulator s(m, {contact_scene("feet", m, o)}, {}, stepping(1e-3));
  OwnedVector q = m.neutral();
  q[2] = 0.3, q.tail(3).setConstant(-1.2);
  s.reset(assemble(m, q, {.held = {"root"}}).q, OwnedVector(m.nv()));
  s.step(2.0);
  ASSERT_NE(s.constrained(), nullptr);
  s.constrained()->dynamics().set_state(s.q(), s.v());
  EXPECT_LT(s.constrained()->dynamics().violation().cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT(s.contact_report()->worst_residual, 1e-8);
  EXPECT_NEAR(s.ledger().residual(), 0.0, 1e-9);
  EXPECT_GE(s.contacts().size(), 3u);
}

TEST(TimeStepping, RandomMechanismsOnTheGroundMeetTheLawsInEveryStepAndGainNoEnergy) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const RandomMechanism r = random_mechanism(seed, {.bodies = 5, .fixed = 0.0, .properties = false});
    const Mechanism& m = r.mechanism;
    Random random(seed);
    ContactSceneOptions o{.material = {.friction = 0.7}};
    for (const std::string& body : m.body_names())
      for (int k = 0; k < 2; ++k) {
        ContactSpec spec{.body = body, .radius = 0.1, .friction = 0.7};
        for (int i = 0; i < 3; ++i) spec.point[i] = random.uniform(-0.4, 0.4);
        spec.offset = -3.0;
        o.contacts.push_back(spec);
      }
    Simulator s(m, {contact_scene("ground", m, o)}, {}, stepping(1e-3));
    s.reset(m.random(random), random_numbers(random, m.nv(), -1.0, 1.0));
    double highest = s.kinetic_energy() + s.potential_energy();
    s.step(1.0);
    EXPECT_LT(s.contact_report()->worst_residual, 1e-8) << seed;
    EXPECT_LT(s.kinetic_energy() + s.potential_energy(), highest + 0.05 * std::abs(highest) + 0.5) << seed;
    EXPECT_NEAR(s.ledger().residual(), 0.0, 1e-9 * (1.0 + s.ledger().exchanged)) << seed;
    EXPECT_GE(s.ledger().entries[0].dissipated, -1e-9) << seed;
  }
}

TEST(TimeStepping, AMotionWithoutContactsConvergesToThatOfOtherSchemes) {
  const RandomMechanism r = random_mechanism(5, {.bodies = 5, .fixed = 0.0, .properties = false});
  const Mechanism& m = r.mechanism;
  Random random(2);
  const OwnedVector q = m.random(random), v = random_numbers(random, m.nv(), -1.0, 1.0);
  Simulator exact(m);
  exact.reset(q, v), exact.advance(0.2);
  double last = 0.0;
  for (const double step : {1e-3, 5e-4}) {
    Simulator s(m, {}, {}, stepping(step));
    s.reset(q, v), s.advance(0.2);
    const double error = m.difference(exact.q(), s.q()).norm();
    if (last > 0.0) {
      EXPECT_NEAR(last / error, 2.0, 0.1);
    }
    last = error;
  }
  EXPECT_LT(last, 1e-2);
}

TEST(TimeStepping, AHumanoidFallsDownInAHeap) {
  ModelDescription limp = load(source_dir() + "/models/humanoid.urdf", {.base = Base::floating}).description();
  for (JointDescription& joint : limp.joints) joint.properties.friction.clear();
  const Mechanism m = compile(std::move(limp), Physics::warn);
  Simulator s(m, {contact_scene("contacts", m), stepped_joint_limits("limits", m)}, {}, stepping(1e-3));
  OwnedVector q = m.neutral();
  q[2] = 1.0;
  s.reset(q, OwnedVector(m.nv()));
  s.step(2.0);
  EXPECT_LT(s.contact_report()->worst_residual, 1e-6);
  EXPECT_LT(s.contact_report()->deepest, 1e-3);
  EXPECT_LT(s.q()[2], 0.6);
  EXPECT_NEAR(s.ledger().residual(), 0.0, 1e-8 * s.ledger().exchanged);
}

TEST(TimeStepping, ARobotThatFallsFreelyWithJointsAtTheirLimitsIsNoProblem) {
  const Mechanism m = load(source_dir() + "/models/quadruped.urdf", {.base = Base::floating});
  Simulator s(m, {contact_scene("contacts", m, {.between_bodies = false}), stepped_joint_limits("limits", m)}, {}, stepping(1e-3));
  OwnedVector q = m.neutral();
  for (Eigen::Index i = 7; i < q.size(); ++i) q[i] = i % 2 == 0 ? m.lower()[i] : m.upper()[i];
  q[2] = 3.0;
  s.reset(q, OwnedVector(m.nv()));
  s.step(0.1);
  EXPECT_EQ(s.contact_report()->unsolved_steps, 0);
  EXPECT_NEAR(s.v()[2], -0.1 * kGravity, 1e-9);
}

TEST(TimeStepping, LegsInEachOtherThatCannotPartAreKeptFromGoingDeeperAndThatIsReported) {
  const Mechanism m = load(source_dir() + "/models/quadruped.urdf", {.base = Base::floating});
  Simulator s(m, {contact_scene("contacts", m), stepped_joint_limits("limits", m)}, {}, stepping(1e-3));
  OwnedVector q = m.neutral();
  for (Eigen::Index i = 7; i < q.size(); ++i) q[i] = i % 2 == 0 ? m.lower()[i] : m.upper()[i];
  q[2] = 3.0;
  s.reset(q, OwnedVector(m.nv()));
  s.step(1e-3);
  const double deepest = s.contact_report()->deepest;
  EXPECT_GT(deepest, 0.01);
  s.step(0.02);
  EXPECT_EQ(s.contact_report()->unsolved_steps, 0);
  EXPECT_GT(s.contact_report()->eased_steps, 0);
  EXPECT_LT(s.contact_report()->worst_residual, 1e-8);
  EXPECT_LT(s.contact_report()->deepest, deepest + 1e-6);
  EXPECT_LT(s.v().norm(), 1e2);
}

/// A robot at rest anyhow, its lowest joint's origin at a height.
OwnedVector anyhow(const Mechanism& m, std::uint64_t seed) {
  Random random(seed);
  OwnedVector q = m.neutral();
  const Vector3<double> turn(random.uniform(-2.0, 2.0), random.uniform(-2.0, 2.0), random.uniform(-2.0, 2.0));
  SO3<double>::exp(turn).quaternion().to_xyzw(q.data() + 3);
  for (Eigen::Index i = 7; i < q.size(); ++i) q[i] = 0.6 * random.uniform(std::max(m.lower()[i], -1.0), std::min(m.upper()[i], 1.0));
  Workspace work(m);
  double lowest = 0.0;
  const LinkPoses X_WL = forward_kinematics(m, work, q);
  for (std::size_t i = 0; i < X_WL.size(); ++i) lowest = std::min(lowest, X_WL[i].translation().z());
  q[2] = 0.3 - lowest;
  return q;
}

// Thighs that friction wedges against the body left residuals up to 0.9 here, and steps of 0.2 s.
TEST(TimeStepping, AQuadrupedThatFallsAnyhowMeetsTheLawsInEveryStep) {
  const Mechanism m = load(source_dir() + "/models/quadruped.urdf", {.base = Base::floating});
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Simulator s(m, {contact_scene("contacts", m), stepped_joint_limits("limits", m)}, {}, stepping(1e-3));
    s.reset(anyhow(m, seed), OwnedVector(m.nv()));
    s.step(0.7);
    EXPECT_GT(s.contacts().size(), 12u) << seed;  // dry friction of 12 joints, and the ground
    EXPECT_LT(s.contact_report()->worst_residual, 1e-8) << seed;
    EXPECT_EQ(s.contact_report()->unsolved_steps, 0) << seed;
    for (const SteppedContact& c : s.contacts())  // thighs that were in the body at first have come out
      EXPECT_TRUE(c.block.kind != StepBlock::Kind::contact || c.block.at.distance > -1e-5) << seed;
    EXPECT_NEAR(s.ledger().residual(), 0.0, 1e-8 * s.ledger().exchanged) << seed;
  }
}

#ifdef AMBLE_COUNTS_ALLOCATIONS
TEST(TimeStepping, StepsOfAStandingBodyAllocateNothing) {
  const BoxScene scene = box_stack({.high = 3});
  const Mechanism& m = scene.mechanism;
  Simulator s(m, {contact_scene("contacts", m)}, {}, stepping(1e-3));
  s.reset(scene.q, OwnedVector(m.nv()));
  s.step(0.02);
  EXPECT_EQ(allocations_of([&] { s.step(0.05); }), 0);
}
#endif

TEST(TimeStepping, OtherIntegratorsRefuseWhatIsSolvedFor) {
  const Mechanism m = ball(0.1, 1.0);
  for (const std::string& name : integrator_names()) {
    const auto make = [&] { Simulator(m, {contact_scene("contacts", m)}, {}, {.method = name}); };
    const std::string expected =
        name == "time_stepping"
            ? ""
            : "the forces of 'contacts' are solved for step by step: expected integrator \"time_stepping\"";
    EXPECT_EQ(message_of(make), expected) << name;
  }
}

TEST(TimeStepping, RigidContactsByEventsAreRefused) {
  const Mechanism m = ball(0.1, 1.0);
  const auto make = [&] { Simulator(m, rigid_contacts(m, {{.body = "ball", .radius = 0.1}}), {}, stepping(1e-3)); };
  EXPECT_NE(message_of(make).find("'contact of ball' asks for forces at an instant"), std::string::npos);
}

TEST(TimeStepping, StopsThatAskForForcesAtAnInstantAreRefused) {
  Builder b("flap");
  b.body({.name = "flap", .inertia = Inertia<double>::from_com(1.0, {0.5, 0, 0}, 0.1 * Matrix3<double>::Identity())});
  b.joint({.name = "hinge", .type = "revolute", .parent = kWorld, .child = "flap"});
  const Mechanism m = b.build();
  const auto stop = rigid_stops("stop", limits_of_joint(m, "stop", "hinge", -1.0, 1.0));
  EXPECT_NE(message_of([&] { Simulator(m, stop, {}, stepping(1e-3)); }).find("asks for forces at an instant"),
            std::string::npos);
}

TEST(TimeStepping, MaterialsThatCannotBeAndBodiesThatAreNotThereAreNamed) {
  const Mechanism m = ball(0.1, 1.0);
  EXPECT_NE(message_of([&] { contact_scene("c", m, {.material = {.friction = -1.0}}); }).find("friction of -1"), std::string::npos);
  EXPECT_NE(message_of([&] { contact_scene("c", m, {.material = {.restitution = 1.5}}); }).find("restitution of 1.5"),
            std::string::npos);
  EXPECT_NE(message_of([&] { contact_scene("c", m, {.materials = {{"bal", {}}}}); }).find("bal"), std::string::npos);
}

}  // namespace
}  // namespace amble
