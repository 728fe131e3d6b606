#include <gtest/gtest.h>

#include <numbers>

#include "amble/base/test/count_allocations.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/base/test/random_numbers.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/ports/actuator.hpp"
#include "amble/ports/controller.hpp"
#include "amble/ports/end_stops.hpp"
#include "amble/ports/joint_elements.hpp"
#include "amble/ports/joint_impedance.hpp"
#include "amble/ports/lock.hpp"
#include "amble/ports/motor.hpp"
#include "amble/ports/prescribed_motion.hpp"
#include "amble/ports/rigid_stop.hpp"
#include "amble/ports/spatial_elements.hpp"
#include "amble/simulation/simulator.hpp"

namespace amble {
namespace {

using Eigen::VectorXd;

constexpr double kGravity = 9.81, kMass = 2.0;

Inertia<double> ball(double mass, const Vector3<double>& at = Vector3<double>::Zero()) {
  return Inertia<double>::from_com(mass, at, Matrix3<double>::Identity() * 0.1);
}

/// A mass on a vertical rail.
Mechanism slider(double gravity = kGravity) {
  Builder b("slider");
  b.gravity({0, 0, -gravity});
  b.body({.name = "mass", .inertia = ball(kMass)});
  b.joint({.name = "rail", .type = "prismatic", .parent = "world", .child = "mass"});
  return b.build();
}

/// Thigh and shank: their joints turn about y, the knee stretches at zero.
Mechanism leg() {
  Builder b("leg");
  b.body({.name = "thigh", .inertia = ball(3.0, {0, 0, -0.2})});
  b.body({.name = "shank", .inertia = ball(1.0, {0, 0, -0.3})});
  b.joint({.name = "hip", .type = "revolute", .parent = "world", .child = "thigh", .axis = {0, 1, 0}});
  b.joint({.name = "knee",
           .type = "revolute",
           .parent = "thigh",
           .child = "shank",
           .X_PF = Pose(Vector3<double>(0, 0, -0.5)),
           .axis = {0, 1, 0}});
  return b.build();
}

Mechanism floating_body() {
  Builder b("body");
  b.body(
      {.name = "body",
       .inertia = Inertia<double>::from_com(kMass, {0.1, 0.0, -0.05}, Vector3<double>(0.1, 0.2, 0.25).asDiagonal())});
  b.joint({.name = "free", .type = "free", .parent = "world", .child = "body"});
  return b.build();
}

VectorXd one(double x) { return VectorXd::Constant(1, x); }

void expect_closed_books(Simulator& s, double share) {
  const Ledger books = s.ledger();
  ASSERT_GT(books.exchanged, 0.0);
  EXPECT_LT(std::abs(books.residual()), share * books.exchanged);
  for (const LedgerEntry& e : books.entries)
    EXPECT_LT(std::abs(e.gap()), share * (books.exchanged + std::abs(e.stored))) << e.name;
}

Simulator simulator(const Mechanism& m, std::vector<ElementPtr> elements, double tolerance = 1e-12) {
  return Simulator(m, std::move(elements), {}, {.integrator = {.tolerance = tolerance}});
}

// ---- springs

TEST(ElementsInMotion, ABodyOnASpringInSpaceSwingsAsItsMassAndStiffnessSay) {
  Builder b("body");
  b.gravity({0, 0, 0});
  b.body({.name = "body", .inertia = ball(kMass)});
  b.joint({.name = "free", .type = "free", .parent = "world", .child = "body"});
  const Mechanism m = b.build();
  const Vector3<double> K(50.0, 80.0, 20.0);
  Simulator s =
      simulator(m, {spatial_spring("s", m, {.body_b = "body"},
                                   {.translation = K.asDiagonal(), .rotation = 3.0 * Matrix3<double>::Identity()})});
  for (int k = 0; k < 3; ++k) {  // off the axes of the stiffness the spring would also turn the body
    VectorXd q = m.neutral();
    q[k] = 0.2;
    s.reset(q, VectorXd::Zero(6));
    s.advance(2.0);
    EXPECT_NEAR(s.q()[k], 0.2 * std::cos(2.0 * std::sqrt(K[k] / kMass)), 1e-10);
    expect_closed_books(s, 1e-10);
  }
}

TEST(ElementsInMotion, SpringsAndDampersInSpaceCloseTheirBooksWhileTheirRestMoves) {
  const Mechanism m = floating_body();
  const MovingPose target{[](double t) {
    return Pose(SO3<double>::exp({0.4 * std::sin(t), 0.3 * t, 0.1}), {std::sin(2 * t), 0.2 * t, 1.0});
  }};
  const SpatialStiffness K{.translation = 60.0 * Matrix3<double>::Identity(),
                           .rotation = Vector3<double>(3, 4, 5).asDiagonal()};
  const SpatialDamping D{.translation = 4.0 * Matrix3<double>::Identity(),
                         .rotation = Vector3<double>(0.4, 0.3, 0.2).asDiagonal()};
  Simulator s = simulator(
      m,
      {spatial_impedance("hand", m, {.body_b = "body", .X_Bb = Pose(Vector3<double>(0.1, 0.2, 0.0))}, K, D, target)},
      1e-11);
  s.reset(m.neutral(), VectorXd::Zero(6));
  s.advance(5.0);
  expect_closed_books(s, 1e-9);
  const LedgerEntry hand = s.ledger().entries[0];
  EXPECT_GT(hand.dissipated, 1.0);
  EXPECT_GT(std::abs(hand.supplied), 1.0);
}

// ---- stops

TEST(ElementsInMotion, AnEndStopWithoutDampingGivesBackAllAfterHalfASwing) {
  const Mechanism m = slider(0.0);
  const double k = 800.0, swing = std::numbers::pi * std::sqrt(kMass / k);
  Simulator s = simulator(
      m, {end_stops("pad", limits_of_joint(m, "pad", "rail", -kUnlimited, 1.0), {.stiffness = k, .damping = 0.0})});
  s.reset(one(0.0), one(2.0));
  s.advance(3.0);
  ASSERT_EQ(s.events().size(), 2u);
  EXPECT_NEAR(s.events()[0].t, 0.5, 1e-11);
  EXPECT_NEAR(s.events()[1].t, 0.5 + swing, 1e-10);
  EXPECT_NEAR(s.v()[0], -2.0, 1e-10);
  EXPECT_EQ(s.ledger().losses, 0.0);
  expect_closed_books(s, 1e-10);
}

/// m v dv / (1 + c v) = -k x^n dx over a whole contact: v0 - log(1 + c v0) / c = -v1 - log(1 - c v1) / c.
TEST(ElementsInMotion, AnEndStopTakesWhatHuntAndCrossleySay) {
  const Mechanism m = slider(0.0);
  for (const double exponent : {1.0, 1.5}) {
    const double c = 0.3, v0 = 2.0;
    Simulator s = simulator(m, {end_stops("pad", limits_of_joint(m, "pad", "rail", -1.0, kUnlimited),
                                          {.stiffness = 1e3, .damping = c, .exponent = exponent})});
    s.reset(one(0.0), one(-v0));
    s.advance(2.0);
    const double v1 = s.v()[0];
    EXPECT_NEAR(v0 - std::log(1 + c * v0) / c, -v1 - std::log(1 - c * v1) / c, 1e-8) << exponent;
    EXPECT_NEAR(s.ledger().entries[0].dissipated, 0.5 * kMass * (v0 * v0 - v1 * v1), 1e-8);
    expect_closed_books(s, 1e-8);
  }
}

TEST(ElementsInMotion, APadThatIsLeftBehindDoesNotPull) {
  const Mechanism m = slider(0.0);
  const Drive tug = [](double t, const OwnedVector&, const OwnedVector&, OwnedVector& tau) {
    tau[0] = t > 0.0 ? -400.0 : 0.0;
  };
  Simulator s = simulator(
      m, {end_stops("pad", limits_of_joint(m, "pad", "rail", -kUnlimited, 1.0), {.stiffness = 50.0, .damping = 1.0}),
          drive("tug", tug)});
  s.reset(one(1.4), one(0.0));
  s.advance(0.4);
  EXPECT_LT(s.v()[0], -1.0);  // faster than the pad follows
  ASSERT_EQ(s.events().size(), 1u);
  expect_closed_books(s, 1e-9);
}

/// Falls from a height h: bounces are e^k as fast, apart by 2 e^k sqrt(2 h / g).
TEST(ElementsInMotion, ABallOnARigidStopBouncesAsItsRestitutionSaysAndComesToRest) {
  const Mechanism m = slider();
  const double h = 0.5, e = 0.6, fall = std::sqrt(2 * h / kGravity);
  const JointLimit floor = limits_of_joint(m, "floor", "rail", 0.0, kUnlimited)[0];
  Simulator s = simulator(m, {rigid_stop("floor", floor, {.restitution = e, .rest_speed = 0.01})});
  s.reset(one(h), one(0.0));
  s.advance(3.0);
  double t = fall, speed = kGravity * fall;
  for (std::size_t k = 0; k < s.events().size(); ++k) {
    EXPECT_NEAR(s.events()[k].t, t, 1e-10) << k;
    const double after = speed > 0.01 ? e * speed : 0.0;
    EXPECT_NEAR(s.events()[k].lost, 0.5 * kMass * (speed * speed - after * after), 1e-10);
    speed = after, t += 2 * speed / kGravity;
  }
  EXPECT_EQ(speed, 0.0);  // the last one left it at rest
  EXPECT_LT(std::abs(s.q()[0]), 1e-12);
  EXPECT_EQ(s.v()[0], 0.0);
  EXPECT_NEAR(s.ledger().losses, kMass * kGravity * h, 1e-9);
  EXPECT_LT(std::abs(s.ledger().residual()), 1e-10);
}

/// Pushed up by F sin t it leaves where F sin t = m g.
TEST(ElementsInMotion, AStopHoldsByPushingAloneAndLetsGoWhereItWouldPull) {
  const Mechanism m = slider();
  constexpr double force = 30.0;
  const ElementPtr lift = drive("lift", [](double t, const OwnedVector&, const OwnedVector&, OwnedVector& tau) {
    tau[0] = force * std::sin(t);
  });
  const JointLimit floor = limits_of_joint(m, "floor", "rail", 0.0, kUnlimited)[0];
  Simulator s = simulator(m, {lift, rigid_stop("floor", floor)});
  s.reset(one(0.0), one(0.0));
  s.advance(1.0);
  EXPECT_GT(s.q()[0], 0.0);
  ASSERT_EQ(s.events().size(), 2u);  // to rest at once, and off
  const double t0 = std::asin(kMass * kGravity / force);
  EXPECT_NEAR(s.events()[1].t, t0, 1e-9);
  const auto integral = [&](double t) { return -force / kMass * std::sin(t) - 0.5 * kGravity * t * t; };
  const double v0 = -(-force / kMass * std::cos(t0) - kGravity * t0),
               up = integral(1.0) - integral(t0) + v0 * (1.0 - t0);
  EXPECT_NEAR(s.q()[0], up, 1e-8);
  s.advance(6.0);  // down again, to rest
  EXPECT_LT(std::abs(s.q()[0]), 1e-12);
  EXPECT_LT(std::abs(s.ledger().residual()), 1e-8 * s.ledger().exchanged);
}

/// DS 4.3: the knee hits its cap and the velocity along it is gone, by the plastic impact's formula.
TEST(ElementsInMotion, AKneeAgainstItsCapLosesWhatThePlasticImpactTakes) {
  const Mechanism m = leg();
  const JointLimit cap = limits_of_joint(m, "kneecap", "knee", -2.0, 0.0)[1];
  Simulator s = simulator(m, {rigid_stop("kneecap", cap)}, 1e-11);
  s.reset(Eigen::Vector2d(0.4, -1.0), Eigen::Vector2d(0.0, 0.0));
  OwnedVector v_before;
  while (s.events().empty()) v_before = s.v(), s.step_towards(5.0);
  ASSERT_EQ(s.events()[0].name.find("kneecap: comes to rest"), 0u);
  // The same motion without the cap, up to there.
  Simulator free = simulator(m, {}, 1e-12);
  free.reset(Eigen::Vector2d(0.4, -1.0), Eigen::Vector2d(0.0, 0.0));
  free.advance(s.t());
  Workspace work(m);
  const Eigen::MatrixXd Minv = inverse_mass_matrix(m, work, free.q());
  const VectorXd v = free.v(), after = v - Minv.col(1) * v[1] / Minv(1, 1);
  EXPECT_LT((s.v() - after).norm(), 1e-8);
  EXPECT_NEAR(s.events()[0].lost, 0.5 * v[1] * v[1] / Minv(1, 1), 1e-8);
  EXPECT_LT(std::abs(s.ledger().residual()), 1e-8);
}

// ---- locks

TEST(ElementsInMotion, AMagnetLocksTheKneeAndLetsGoAtItsTime) {
  const Mechanism m = leg();
  Simulator s = simulator(m, {lock("magnet", m, {.joint = "knee", .angle = 0.0, .release_times = {1.0}})}, 1e-11);
  s.reset(Eigen::Vector2d(0.4, -1.0), Eigen::Vector2d(0.0, 0.0));
  s.advance(0.99);
  ASSERT_EQ(s.events().size(), 1u);
  EXPECT_EQ(s.events()[0].name, "magnet: locks");
  EXPECT_GT(s.events()[0].lost, 0.0);
  EXPECT_LT(std::abs(s.q()[1]), 1e-11);
  s.advance(1.05);
  ASSERT_EQ(s.events().size(), 2u);
  EXPECT_EQ(s.events()[1].t, 1.0);
  EXPECT_GT(std::abs(s.v()[1]), 1e-3);
  EXPECT_LT(std::abs(s.ledger().residual()), 1e-8);
}

TEST(ElementsInMotion, AnOverloadedLockLetsGoAtItsHoldingForce) {
  const Mechanism m = slider();
  const ElementPtr pull = drive("pull", [](double t, const OwnedVector&, const OwnedVector&, OwnedVector& tau) {
    tau[0] = kMass * kGravity + 10.0 * t;
  });
  Simulator s = simulator(m, {pull, lock("clamp", m, {.joint = "rail", .holding_force = 25.0, .engaged = true})});
  s.reset(one(0.3), one(0.0));
  s.advance(4.0);
  ASSERT_EQ(s.events().size(), 1u);
  EXPECT_NEAR(s.events()[0].t, 2.5, 1e-11);
  EXPECT_EQ(s.events()[0].name, "clamp: is overloaded");
  EXPECT_NEAR(s.v()[0], 10.0 / kMass * (16.0 - 6.25) / 2.0, 1e-9);
}

TEST(ElementsInMotion, AJointThatTurnsInSpaceIsHeldWhereTheTimeFindsIt) {
  const Mechanism m = floating_body();
  Simulator s = simulator(m, {lock("clamp", m, {.joint = "free", .engage_times = {0.5}, .release_times = {1.0}})});
  VectorXd v(6);
  v << 1.0, 0.5, 0.0, 0.3, -2.0, 1.0;
  s.reset(m.neutral(), v);
  s.advance(0.5);
  const OwnedVector held = s.q();
  const double lost = s.events()[0].lost;
  EXPECT_GT(lost, 1.0);
  s.advance(1.0);
  EXPECT_LT(m.difference(held, s.q()).norm(), 1e-11);
  s.advance(1.5);
  EXPECT_NEAR(s.q()[2], held[2] - 0.5 * kGravity * 0.25, 0.1);
  EXPECT_LT(std::abs(s.ledger().residual()), 1e-9);
}

// ---- motors and controllers

TEST(ElementsInMotion, AMotorSpinsUpAsItsTimeConstantSays) {
  const Mechanism m = slider(0.0);
  constexpr double R = 2.0, k = 0.5, N = 4.0, u = 6.0, tau = kMass * R / (k * N * k * N);
  Simulator s = simulator(m, {voltage_motor("motor", m, {.joint = "rail", .resistance = R, .constant = k, .ratio = N},
                                            [](double, const OwnedVector&, const OwnedVector&) { return u; })});
  s.reset(one(0.0), one(0.0));
  s.advance(1.5);
  EXPECT_NEAR(s.v()[0], u / (k * N) * (1.0 - std::exp(-1.5 / tau)), 1e-11);
  expect_closed_books(s, 1e-10);
}

TEST(ElementsInMotion, AMotorAtItsLimitsClosesItsBooks) {
  const Mechanism m = slider(0.0);
  const Signal command = [](double t, const OwnedVector&, const OwnedVector&) { return 20.0 * std::sin(2.0 * t); };
  for (const double inductance : {0.0, 0.4}) {
    const MotorOptions options{.joint = "rail",
                               .resistance = 0.5,
                               .inductance = inductance,
                               .constant = 0.5,
                               .ratio = 2.0,
                               .voltage_limit = 12.0,
                               .current_limit = 6.0};
    Simulator s = simulator(m, {voltage_motor("motor", m, options, command), joint_dampers("oil", one(0.5))}, 1e-11);
    s.reset(one(0.0), one(0.0));
    double most = 0.0, before = 0.0;
    while (s.t() < 8.0) {
      before = s.v()[0];
      const double t = s.t();
      s.step_towards(8.0);
      if (s.t() - t > 1e-6) most = std::max(most, std::abs((s.v()[0] - before) / (s.t() - t)));
    }
    EXPECT_LT(most, (0.5 * 2.0 * 6.0 + 0.5 * 6.0) / kMass);  // the current stays within, the oil at 6 m/s
    expect_closed_books(s, 1e-9);
    EXPECT_GT(s.ledger().entries[0].dissipated, 1.0);
  }
}

TEST(ElementsInMotion, ActuatorsWithLimitsCloseTheirBooks) {
  const Mechanism m = leg();
  const Drive command = [](double, const OwnedVector& q, const OwnedVector& v, OwnedVector& tau) {
    tau = -80.0 * q - 2.0 * v;
  };
  const ActuatorLimits limits{
      .effort = Eigen::Vector2d(15.0, 8.0), .speed = Eigen::Vector2d(6.0, 9.0), .corner = 0.2};
  Simulator s = simulator(m, {actuators("drives", m, command, limits)}, 1e-11);
  s.reset(Eigen::Vector2d(1.2, -1.0), Eigen::Vector2d(0.0, 0.0));
  s.advance(3.0);
  expect_closed_books(s, 1e-9);
}

/// A pendulum on a cart that is moved is a pendulum with the torque of the cart's acceleration.
TEST(ElementsInMotion, APrescribedMotionMovesTheRestAsItsAccelerationDoes) {
  Builder b("crane");
  b.body({.name = "cart", .inertia = ball(5.0)});
  b.body({.name = "bob", .inertia = ball(1.0, {0, 0, -0.5})});
  b.joint({.name = "rail", .type = "prismatic", .parent = "world", .child = "cart", .axis = {1, 0, 0}});
  b.joint({.name = "pin", .type = "revolute", .parent = "cart", .child = "bob", .axis = {0, 1, 0}});
  const Mechanism m = b.build();
  constexpr double a = 0.2, w = 3.0;
  const auto motion = [](double t) {
    return CoordinateMotion{a * std::sin(w * t), a * w * std::cos(w * t), -a * w * w * std::sin(w * t)};
  };
  Simulator s = simulator(m, {prescribed_motion("crank", m, "rail", motion)});
  s.reset(Eigen::Vector2d(0.0, 0.3), Eigen::Vector2d(a * w, 0.0));
  s.advance(3.0);
  Builder p("pendulum");
  p.body({.name = "bob", .inertia = ball(1.0, {0, 0, -0.5})});
  p.joint({.name = "pin", .type = "revolute", .parent = "world", .child = "bob", .axis = {0, 1, 0}});
  const Drive shake = [&](double t, const OwnedVector& q, const OwnedVector&, OwnedVector& tau) {
    tau[0] = 0.5 * std::cos(q[0]) * motion(t).acceleration;
  };
  Simulator alone = simulator(p.build(), {drive("shake", shake)});
  alone.reset(one(0.3), one(0.0));
  alone.advance(3.0);
  EXPECT_NEAR(s.q()[0], a * std::sin(w * 3.0), 1e-11);
  EXPECT_NEAR(s.q()[1], alone.q()[0], 1e-9);
  const Ledger books = s.ledger();
  EXPECT_LT(std::abs(books.residual()), 1e-9);
  EXPECT_EQ(books.entries[0].name, "crank");
  EXPECT_GT(std::abs(books.entries[0].delivered), 0.1);
  EXPECT_EQ(books.entries[0].supplied, books.entries[0].delivered);
}

TEST(ElementsInMotion, JointImpedanceFollowsItsSetPointAndBooksWhatThatTakes) {
  const Mechanism m = leg();
  const SetPoint swing = [](double t, OwnedVector& q, OwnedVector& v) {
    q << 0.5 * std::sin(t), -0.5 + 0.3 * std::cos(2 * t);
    v << 0.5 * std::cos(t), -0.6 * std::sin(2 * t);
  };
  Simulator s = simulator(
      m, {joint_impedance("legs", m, Eigen::Vector2d(4000.0, 3000.0), Eigen::Vector2d(100.0, 60.0), swing)}, 1e-11);
  s.reset(Eigen::Vector2d(0.0, -0.2), Eigen::Vector2d(0.5, 0.0));
  s.advance(4.0);
  OwnedVector q(2), v(2);
  swing(4.0, q, v);
  EXPECT_LT((s.q() - q).norm(), 0.01);
  expect_closed_books(s, 1e-9);
}

/// DS 1.2.2: with a set point that rests nothing is supplied, and what mechanism and controller hold together only
/// falls.
TEST(ElementsInMotion, AnImpedanceControllerWithARestingSetPointIsPassive) {
  const Mechanism m = leg();
  const SetPoint rest = [](double, OwnedVector& q, OwnedVector&) { q << 0.3, -0.6; };
  const SpatialDamping oil{.translation = Matrix3<double>::Identity()};
  const auto hand =
      spatial_impedance("hand", m, {.body_b = "shank"}, {.translation = 40.0 * Matrix3<double>::Identity()}, oil,
                        resting_pose(Pose(Vector3<double>(0.3, 0.0, -0.6))));
  const auto legs = joint_impedance("legs", m, Eigen::Vector2d(30.0, 20.0), Eigen::Vector2d(0.5, 0.3), rest);
  Simulator s = simulator(m, {legs, hand}, 1e-11);
  s.reset(Eigen::Vector2d(-0.5, 0.8), Eigen::Vector2d(1.0, 2.0));
  double before = std::numeric_limits<double>::infinity();
  while (s.t() < 3.0) {
    s.step_towards(3.0);
    const Ledger books = s.ledger();
    const double held = books.final + books.entries[0].stored + books.entries[1].stored;
    EXPECT_LT(held, before + 1e-9);
    before = held;
    for (const LedgerEntry& e : books.entries) EXPECT_EQ(e.supplied, 0.0);
  }
}

struct ProportionalDerivative : Controller {
  void update(const ControllerState& state, double, OwnedVector& tau) override {
    tau = -30.0 * state.q - 4.0 * state.v;
  }
};

/// Between samples the force is constant: the exact discrete system of a mass, with words that act late.
TEST(ElementsInMotion, ASampledControllerIsTheExactDiscreteSystem) {
  const Mechanism m = slider(0.0);
  const double h = 0.02;
  Simulator s =
      simulator(m, {sampled("pd", std::make_shared<ProportionalDerivative>(), m, {.period = h, .delay = 1.5 * h})});
  s.reset(one(0.5), one(1.0));
  double x = 0.5, v = 1.0;
  std::vector<double> words;
  const auto go = [&](double force, double t) { x += v * t + 0.5 * force / kMass * t * t, v += force / kMass * t; };
  for (int k = 0; k < 100; ++k) {
    words.push_back(-30.0 * x - 4.0 * v);
    go(k < 2 ? 0.0 : words[k - 2], 0.5 * h);
    go(k < 1 ? 0.0 : words[k - 1], 0.5 * h);
    s.advance((k + 1) * h);  // the end of a step now and then a rounding beside the sample
    ASSERT_NEAR(s.q()[0], x, 1e-11) << k;
  }
  expect_closed_books(s, 1e-10);
}

#ifdef AMBLE_COUNTS_ALLOCATIONS
TEST(ElementsInMotion, StepsAndSamplesAllocateNothing) {
  const Mechanism m = leg();
  const SetPoint rest = [](double, OwnedVector& q, OwnedVector&) { q.setConstant(-0.3); };
  const auto sine = [](double t, const OwnedVector&, const OwnedVector&) { return std::sin(t); };
  const Matrix3<double> unit = Matrix3<double>::Identity();
  const std::vector<ElementPtr> elements = {
      spatial_impedance("hand", m, {.body_b = "shank"}, {unit, unit}, {unit, unit}, resting_pose(Pose())),
      joint_impedance("legs", m, Eigen::Vector2d(20.0, 20.0), Eigen::Vector2d(1.0, 1.0), rest),
      voltage_motor("motor", m, {.joint = "hip", .inductance = 0.1, .voltage_limit = 0.5}, sine),
      end_stops("stops", limits_of_joint(m, "stops", "knee", -2.0, 0.5)),
      sampled("pd", std::make_shared<ProportionalDerivative>(), m, {.period = 1e-3, .delay = 2.5e-3})};
  Simulator s = simulator(m, elements, 1e-8);
  s.reset(Eigen::Vector2d(0.1, -0.2), Eigen::Vector2d(0.0, 0.0));
  EXPECT_EQ(allocations_of([&] { s.step(0.05); }), 0);
}
#endif

/// Tenths added up are not tenths multiplied: the run ends a rounding before an instant.
TEST(ElementsInMotion, ARunMayEndARoundingBesideAnInstant) {
  const Mechanism m = slider(0.0);
  Simulator s = simulator(m, {sampled("pd", std::make_shared<ProportionalDerivative>(), m, {.period = 0.1})});
  s.reset(one(0.5), one(0.0));
  for (int k = 0; k < 20; ++k) s.step(0.1);
  EXPECT_NEAR(s.t(), 2.0, 1e-12);
  EXPECT_LT(std::abs(s.q()[0]), 0.1);
}

TEST(ElementsInMotion, AControllerThatGivesNoNumberIsNamed) {
  struct Broken : Controller {
    void update(const ControllerState&, double t, OwnedVector& tau) override {
      tau[0] = t > 0.35 ? std::nan("") : 0.0;
    }
  };
  const Mechanism m = slider();
  Simulator s = simulator(m, {sampled("broken", std::make_shared<Broken>(), m, {.period = 0.1})});
  s.reset(one(0.0), one(0.0));
  const std::string words = message_of([&] { s.advance(1.0); });
  EXPECT_NE(words.find("controller 'broken'"), std::string::npos) << words;
  EXPECT_NEAR(s.t(), 0.4, 1e-9);
}

}  // namespace
}  // namespace amble
