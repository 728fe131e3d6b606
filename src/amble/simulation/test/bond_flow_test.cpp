#include "amble/simulation/bond_flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "amble/base/test/message_of.hpp"
#include "amble/constraints/closed_mechanisms.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/ports/bonds/test/graphs.hpp"
#include "amble/ports/motor.hpp"
#include "amble/simulation/bond_simulator.hpp"
#include "amble/simulation/motion_flows.hpp"
#include "amble/simulation/rkmk.hpp"
#include "amble/simulation/simulator.hpp"

namespace amble {
namespace {

/// Books that close: over all, and for each element.
void expect_closed(BondSimulator& run, double relative) {
  const Ledger books = run.ledger();
  EXPECT_LT(std::abs(books.residual()), relative * books.exchanged);
  EXPECT_LT(run.largest_gap(), relative * books.exchanged);
  EXPECT_GT(books.exchanged, 0.0);
}

TEST(BondFlow, SeriesCircuitFollowsTheClosedForm) {
  BondSimulator run(series_circuit().build(), {.tolerance = 1e-12});
  const double R = 2.0, L = 0.5, C = 0.1, u = 3.0;
  const std::complex<double> s = std::complex<double>(-R / (2 * L), std::sqrt(1 / (L * C) - R * R / (4 * L * L)));
  for (const double t : {0.1, 0.5, 2.0}) {
    run.advance(t);
    const double i = u / (L * s.imag()) * std::exp(s.real() * t) * std::sin(s.imag() * t);
    EXPECT_NEAR(run.value("source.f"), i, 1e-11);
    EXPECT_NEAR(run.states()[0], L * i, 1e-11);
  }
  expect_closed(run, 1e-10);
}

TEST(BondFlow, GearedInertiasFollowTheClosedForm) {
  BondSimulator run(geared_inertias().build(), {.tolerance = 1e-12});
  run.advance(3.0);
  const double speed = 0.06 / 0.3 + 1.5 / (0.3 + 2.0 / 16.0) * 3.0;
  EXPECT_NEAR(run.value("rotor.f"), speed, 1e-11);
  EXPECT_NEAR(run.value("load.f"), speed / 4, 1e-11);
  expect_closed(run, 1e-10);
}

/// A flywheel moves a slider by a crank: the slider's mass depends through a transformer that turns with the wheel.
TEST(BondFlow, AScotchYokeKeepsItsEnergy) {
  const double J = 0.3, m = 2.0, r = 0.4, speed = 5.0;
  BondGraphBuilder b("scotch yoke");
  b.parameter("r", r);
  b.element(
      {.name = "wheel", .type = "I", .value = J, .states = {"h"}, .initial = {J * speed}, .domain = "rotation"});
  b.element({.name = "crank", .type = "MTF", .law = "flow_ratio", .value = "-r*sin(theta)"});
  b.element({.name = "slider", .type = "I", .value = m, .domain = "translation"}).junction("shaft", 1);
  b.signal({"theta", "shaft.f", true, 0.0});
  b.bond({.from = "shaft", .to = "wheel"})
      .bond({.from = "shaft", .to = "crank"})
      .bond({.from = "crank", .to = "slider"});
  BondSimulator run(b.build(), {.tolerance = 1e-13});
  const double energy = 0.5 * J * speed * speed;
  for (const double t : {0.1, 0.7, 3.0}) {
    run.advance(t);
    const double s = std::sin(run.value("theta"));
    EXPECT_NEAR(run.energy(), energy, 1e-10);
    EXPECT_NEAR(run.value("shaft.f"), std::sqrt(2 * energy / (J + m * r * r * s * s)), 1e-10) << t;
    EXPECT_NEAR(run.value("slider.f"), -r * s * run.value("shaft.f"), 1e-14);
  }
  expect_closed(run, 1e-10);
}

/// Heat of a brake goes into a block of heat capacity c: T = T0 + lost energy / c, whatever the entropy does.
TEST(BondFlow, FrictionHeatsABlockByExactlyWhatIsLost) {
  BondGraphBuilder b("brake");
  b.parameter("J", 0.4).parameter("c", 5.0).parameter("T0", 290.0);
  b.element({.name = "wheel", .type = "I", .value = "J", .states = {"p"}, .initial = {40.0}, .domain = "rotation"});
  b.element({.name = "brake", .type = "RS", .law = "effort", .value = "0.3*f + 2*tanh(f)"});
  b.element({.name = "block", .type = "C", .law = "energy", .value = "c*T0*exp(S/c)", .states = {"S"}});
  b.junction("shaft", 1)
      .bond({.from = "shaft", .to = "wheel"})
      .bond({.from = "shaft", .to = "brake"})
      .bond({.from = "brake", .to = "block"});
  BondSimulator run(b.build(), {.tolerance = 1e-12});
  const double energy = run.energy();
  run.advance(2.0);
  const double p = run.states()[0], lost = (40.0 * 40.0 - p * p) / (2 * 0.4);
  EXPECT_GT(lost, 100.0);
  EXPECT_NEAR(run.value("block.e"), 290.0 + lost / 5.0, 1e-8);
  EXPECT_NEAR(run.energy(), energy, 1e-8);
  EXPECT_GT(run.states()[1], 0.0);
  expect_closed(run, 1e-10);
}

Mechanism arm() {
  Builder b("arm");
  b.body(
      {.name = "upper",
       .inertia = Inertia<double>::from_com(1.2, {0.3, 0.0, 0.0}, Vector3<double>(0.02, 0.05, 0.04).asDiagonal())});
  b.body(
      {.name = "lower",
       .inertia = Inertia<double>::from_com(0.8, {0.25, 0.0, 0.0}, Vector3<double>(0.01, 0.03, 0.03).asDiagonal())});
  b.joint({.name = "shoulder", .type = "revolute", .parent = kWorld, .child = "upper", .axis = {0, 1, 0}});
  b.joint({.name = "elbow",
           .type = "revolute",
           .parent = "upper",
           .child = "lower",
           .X_PF = Pose(SO3<double>(), Vector3<double>(0.6, 0, 0)),
           .axis = {0, 1, 0}});
  return b.build();
}

/// Battery, winding, gyrator, gearbox, joint "elbow"; `rotor_inertia` 0 leaves the rotor out.
BondGraph motor(const Mechanism& m, double rotor_inertia) {
  BondGraphBuilder b("motor");
  b.parameter("U", 24.0).parameter("R", 1.5).parameter("L", 0.02).parameter("k", 0.06).parameter("n", 40.0);
  b.element({.name = "battery", .type = "MSe", .value = "U*cos(3*t)"})
      .element({.name = "resistance", .type = "R", .value = "R"});
  b.element({.name = "winding", .type = "I", .value = "L", .states = {"lambda"}, .initial = {0.004}});
  b.element({.name = "motor", .type = "GY", .value = "k"})
      .element({.name = "gearbox", .type = "TF", .law = "effort_ratio", .value = "n"});
  b.element({.name = "arm", .type = "mechanism", .mechanism = std::make_shared<Mechanism>(m)});
  b.junction("circuit", 1, "electrical").junction("shaft", 1, "rotation");
  b.bond({.from = "battery", .to = "circuit"})
      .bond({.from = "circuit", .to = "resistance"})
      .bond({.from = "circuit", .to = "winding"});
  b.bond({.from = "circuit", .to = "motor"})
      .bond({.from = "motor", .to = "shaft"})
      .bond({.from = "shaft", .to = "gearbox"});
  b.bond({.from = "gearbox", .to = "arm.elbow"});
  if (rotor_inertia > 0.0)
    b.element({.name = "rotor", .type = "I", .value = rotor_inertia}).bond({.from = "shaft", .to = "rotor"});
  return b.build();
}

/// The same motor written down directly: x is v and the current.
class MotorByHand : public Flow {
 public:
  explicit MotorByHand(const Mechanism& m) : mechanism_(m), work_(m) {}
  const Mechanism* mechanism() const override { return &mechanism_; }
  int size() const override { return 3; }
  void rates(double t, const double* q, const double* x, double* v, double* xdot) override {
    using Pair = Eigen::Map<const Eigen::VectorXd>;
    const double U = 24.0 * std::cos(3 * t), R = 1.5, L = 0.02, k = 0.06, n = 40.0;
    const Eigen::VectorXd tau = Eigen::Vector2d(0.0, k * n * x[2]);
    v[0] = x[0], v[1] = x[1];
    Eigen::Map<Eigen::VectorXd>(xdot, 2) = forward_dynamics(mechanism_, work_, Pair(q, 2), Pair(x, 2), tau);
    xdot[2] = (U - R * x[2] - k * n * x[1]) / L;
  }

 private:
  Mechanism mechanism_;
  Workspace work_;
};

TEST(BondFlow, BatteryMotorGearboxJointEqualsTheMotorElement) {
  const Mechanism m = arm();
  const Eigen::Vector2d q(0.3, -0.4), v(0.2, 0.5);
  const MotorOptions options{.joint = "elbow", .resistance = 1.5, .inductance = 0.02, .constant = 0.06, .ratio = 40.0,
                             .current = 0.004 / 0.02};
  const Signal voltage = [](double t, const OwnedVector&, const OwnedVector&) { return 24.0 * std::cos(3.0 * t); };
  Simulator element(m, {voltage_motor("motor", m, options, voltage)}, {}, {.integrator = {.tolerance = 1e-13}});
  element.reset(q, v);
  BondSimulator graph(motor(m, 0.0), {.tolerance = 1e-13});
  graph.reset(q, v);
  for (const double t : {0.01, 0.5, 2.0}) {
    element.advance(t), graph.advance(t);
    EXPECT_LT(m.difference(element.q(), graph.q()).norm(), 1e-10) << t;
    EXPECT_LT((element.v() - graph.v()).norm(), 1e-10 * (1.0 + graph.v().norm())) << t;
  }
  const auto entry = [](const Ledger& books, const std::string& name) {
    return *std::find_if(books.entries.begin(), books.entries.end(), [&](const LedgerEntry& e) { return e.name == name; });
  };
  const Ledger one = element.ledger(), other = graph.ledger();
  EXPECT_NEAR(entry(one, "motor").supplied, entry(other, "battery").supplied, 1e-9);
  EXPECT_NEAR(entry(one, "motor").dissipated, entry(other, "resistance").dissipated, 1e-9);
}

TEST(BondFlow, BatteryMotorGearboxJointEqualsTheCoupledEquations) {
  const Mechanism m = arm();
  const Eigen::Vector2d q(0.3, -0.4), v(0.2, 0.5);
  MotorByHand hand(m);
  MuntheKaasIntegrator direct(hand, {.tolerance = 1e-13});
  direct.set_state(0.0, q, Eigen::Vector3d(0.2, 0.5, 0.004 / 0.02));
  BondSimulator run(motor(m, 0.0), {.tolerance = 1e-13});
  run.reset(q, v);
  for (const double t : {0.01, 0.5, 2.0}) {
    direct.run(t), run.advance(t);
    EXPECT_LT((run.q() - direct.q()).norm(), 1e-10) << t;
    EXPECT_LT((run.v() - direct.x().head(2)).norm(), 1e-10) << t;
    EXPECT_NEAR(run.states()[0] / 0.02, direct.x()[2], 1e-10) << t;
  }
  EXPECT_GT((run.q() - q).norm(), 0.1);
  expect_closed(run, 1e-10);
}

/// A rotor on the motor's shaft follows the joint: it acts as the armature n^2 J of the joint.
TEST(BondFlow, ARotorBehindAGearboxIsTheArmatureOfItsJoint) {
  Mechanism m = arm();
  const double J = 1e-4, n = 40.0;
  const BondGraph with_rotor = motor(m, J);
  EXPECT_TRUE(BondEquations(with_rotor).needs_acceleration());
  ModelDescription d = m.description();
  d.joints[1].properties.armature = {n * n * J};
  BondSimulator run(with_rotor, {.tolerance = 1e-12}), armature(motor(compile(d), 0.0), {.tolerance = 1e-12});
  const Eigen::Vector2d q(0.3, -0.4), v(0.2, 0.5);
  run.reset(q, v), armature.reset(q, v);
  run.advance(1.5), armature.advance(1.5);
  EXPECT_LT((run.q() - armature.q()).norm() + (run.v() - armature.v()).norm(), 1e-9);
  expect_closed(run, 1e-10);
}

TEST(BondFlow, WhatTheMechanismCarriesActsAndIsBooked) {
  const Mechanism bare = arm();
  ModelDescription d = bare.description();
  d.joints[0].properties.damping = {0.3};
  BondSimulator run(motor(compile(d), 0.0), {.tolerance = 1e-12});
  run.reset(Eigen::Vector2d(0.3, -0.4), Eigen::Vector2d(0.2, 0.5));
  run.advance(1.0);
  EXPECT_EQ(run.ledger().entries.back().name, "joint damping");
  EXPECT_GT(run.ledger().entries.back().dissipated, 0.01);
  expect_closed(run, 1e-10);
}

/// DS Fig 2.11. The torque u1 acts at a 0-junction on the torso and, by the MTF, on the forward motion.
BondGraph board_graph() {
  const SnakeboardParameters p;
  BondGraphBuilder b("snakeboard");
  b.parameter("m", p.board_mass + p.torso_mass + p.wheel_mass)
      .parameter("r", p.radius)
      .parameter("Jt", p.torso_inertia)
      .parameter("Jw", p.wheel_inertia);
  b.element({.name = "u1", .type = "MSe", .value = "0.7*sin(2*t)"})
      .element({.name = "u2", .type = "MSe", .value = "0.3*cos(3*t)"});
  b.element({.name = "forward", .type = "I", .value = 1.0, .states = {"alpha1"}, .initial = {1.3}});
  b.element({.name = "torso", .type = "I", .value = "Jt", .states = {"alpha2"}, .initial = {0.2}});
  b.element({.name = "wheels", .type = "I", .value = "Jw", .states = {"alpha3"}, .initial = {-0.1}});
  b.element({.name = "steer", .type = "MTF", .law = "effort_ratio", .value = "-sin(phi)/beta"}).junction("twist", 0);
  b.bond({.from = "u1", .to = "twist"}).bond({.from = "twist", .to = "torso"}).bond({.from = "twist", .to = "steer"});
  b.bond({.from = "steer", .to = "forward"}).bond({.from = "u2", .to = "wheels"});
  b.signal({.name = "beta", .value = "sqrt(m*r^2 - Jt*sin(phi)^2)"});
  const auto integral = [&](const char* name, const char* rate, double initial) {
    b.signal({name, rate, true, initial});
  };
  integral("x", "r*cos(theta)*cos(phi)*forward.f/beta", 0.2),
      integral("y", "r*sin(theta)*cos(phi)*forward.f/beta", -0.1);
  integral("theta", "sin(phi)*forward.f/beta", 0.4), integral("psi", "u1.f", 0.3), integral("phi", "wheels.f", 0.5);
  return b.build();
}

TEST(BondFlow, TheSnakeboardsBondGraphGivesTheReducedEquations) {
  BondEquations e(board_graph());
  ASSERT_EQ(e.state_names(),
            (std::vector<std::string>{"alpha1", "alpha2", "alpha3", "x", "y", "theta", "psi", "phi"}));
  const double r = 0.5, Jt = 0.4, Jw = 0.1, a1 = 1.3, a2 = 0.2, a3 = -0.1, theta = 0.4, phi = 0.5, t = 0.6;
  const double beta = std::sqrt(6.0 * r * r - Jt * std::sin(phi) * std::sin(phi)), u1 = 0.7 * std::sin(2 * t),
               u2 = 0.3 * std::cos(3 * t);
  Eigen::VectorXd expected(8);  // DS (2.111) with -sin(phi)/beta, then (2.110)
  expected << -std::sin(phi) / beta * u1, u1, u2, r / beta * std::cos(theta) * std::cos(phi) * a1,
      r / beta * std::sin(theta) * std::cos(phi) * a1, std::sin(phi) / beta * a1, a2 / Jt - std::sin(phi) / beta * a1,
      a3 / Jw;
  EXPECT_LT((e.rates_at(t, e.initial()) - expected).norm(), 1e-14);
}

TEST(BondFlow, TheSnakeboardsBondGraphMovesAsTheMechanismUnderConstraints) {
  BondSimulator run(board_graph(), {.tolerance = 1e-13});
  const ConstrainedMechanism board = snakeboard();
  const Drive u = [](double t, const OwnedVector&, const OwnedVector&, OwnedVector& tau) {
    tau[3] = 0.7 * std::sin(2 * t), tau[4] = 0.3 * std::cos(3 * t);
  };
  ConstrainedFlow flow(ConstrainedDynamics(board.mechanism, board.constraints), u);
  MuntheKaasIntegrator full(flow, {.tolerance = 1e-13});
  BondEquations e(board_graph());
  const OwnedVector start = e.initial(), rates = e.rates_at(0.0, start);
  full.set_state(0.0, start.tail(5), rates.tail(5));
  full.run(5.0), run.advance(5.0);
  EXPECT_LT((run.states().tail(5) - full.q()).norm(), 1e-9);
  expect_closed(run, 1e-10);
}

TEST(BondFlow, AMechanismWithLoopsIsRefused) {
  const ConstrainedMechanism four_bar = amble::four_bar();
  BondGraphBuilder b("g");
  b.element({.name = "bar", .type = "mechanism", .mechanism = std::make_shared<Mechanism>(four_bar.mechanism)});
  EXPECT_NE(message_of([&] { BondFlow(b.build()); }).find("mechanism 'bar' of bond graph 'g' has loops"),
            std::string::npos);
}

TEST(BondFlow, ABondToAJointThatIsNotThereIsRefused) {
  BondGraphBuilder b("g");
  b.element({.name = "arm", .type = "mechanism", .mechanism = std::make_shared<Mechanism>(arm())});
  b.element({.name = "push", .type = "Se", .value = 1.0}).bond({.from = "push", .to = "arm.elbo"});
  const std::string said = message_of([&] { b.build(); });
  EXPECT_NE(said.find("its ports are its joints"), std::string::npos) << said;
  EXPECT_NE(said.find("elbow"), std::string::npos) << said;
}

TEST(BondFlow, AMechanismDoesNotTakeAFlow) {
  BondGraphBuilder b("g");
  b.element({.name = "arm", .type = "mechanism", .mechanism = std::make_shared<Mechanism>(arm())});
  b.element({.name = "turn", .type = "Sf", .value = 1.0}).bond({.from = "turn", .to = "arm.elbow"});
  EXPECT_NE(message_of([&] { BondFlow(b.build()); }).find("mechanism 'arm' and Sf 'turn' both set the flow"),
            std::string::npos);
}

}  // namespace
}  // namespace amble
