#include "amble/simulation/mode_graph.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "amble/base/test/message_of.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/simulation/motion_flows.hpp"
#include "amble/simulation/rkmk.hpp"

namespace amble {
namespace {

/// x' = rate (target - x).
struct Towards : Flow {
  Towards(double rate, double target) : rate(rate), target(target) {}
  const Mechanism* mechanism() const override { return nullptr; }
  int size() const override { return 1; }
  void rates(double, const double*, const double* x, double*, double* xdot) override { xdot[0] = rate * (target - x[0]); }
  double rate, target;
};

/// A heater that is switched on below 19 and off above 21 degrees.
ModeGraph thermostat() {
  ModeGraph graph;
  graph.add_mode("off", std::make_unique<Towards>(0.1, 10.0));
  graph.add_mode("on", std::make_unique<Towards>(0.1, 35.0));
  graph.add_transition({"too cold", "off", "on", [](double, const VectorRef&, const VectorRef& x) { return 19.0 - x[0]; }});
  graph.add_transition({"too warm", "on", "off", [](double, const VectorRef&, const VectorRef& x) { return x[0] - 21.0; }});
  return graph;
}

TEST(ModeGraph, AThermostatSwitchesWhenTheClosedFormSays) {
  ModeGraph graph = thermostat();
  MuntheKaasIntegrator run(graph, {.tolerance = 1e-12});
  run.set_state(0.0, OwnedVector(), graph.start(Eigen::VectorXd::Constant(1, 20.0)));
  run.run(30.0);
  double t = 10.0 * std::log(10.0 / 9.0);
  ASSERT_GT(graph.events().size(), 6u);
  for (std::size_t i = 0; i < graph.events().size(); ++i) {
    EXPECT_EQ(graph.events()[i].name, i % 2 == 0 ? "too cold" : "too warm");
    EXPECT_NEAR(graph.events()[i].t, t, 1e-10);
    t += i % 2 == 0 ? 10.0 * std::log(16.0 / 14.0) : 10.0 * std::log(11.0 / 9.0);
  }
}

/// A hopper on a massless leg: flight, and stance on a spring. Each hop conserves energy, so that all are alike.
TEST(ModeGraph, AHopperComesBackToItsHeight) {
  Builder b("hopper");
  b.body({.name = "trunk", .inertia = Inertia<double>::from_com(2.0, {0, 0, 0}, Matrix3<double>::Zero())});
  b.joint({.name = "rail", .type = "prismatic", .parent = kWorld, .child = "trunk", .axis = {0, 0, 1}});
  const Mechanism m = b.build();
  const double k = 800.0, leg = 0.5, top = 0.8, g = 9.81, mass = 2.0;
  ModeGraph graph;
  graph.add_mode("flight", std::make_unique<VelocityFlow>(m));
  graph.add_mode("stance", std::make_unique<VelocityFlow>(m, [=](double, const OwnedVector& q, const OwnedVector&, OwnedVector& tau) {
                   tau[0] = k * (leg - q[0]);
                 }));
  graph.add_transition({"touchdown", "flight", "stance", [=](double, const VectorRef& q, const VectorRef&) { return leg - q[0]; }});
  graph.add_transition({"lift-off", "stance", "flight", [=](double, const VectorRef& q, const VectorRef&) { return q[0] - leg; }});
  MuntheKaasIntegrator run(graph, {.tolerance = 1e-12});
  run.set_state(0.0, Eigen::VectorXd::Constant(1, top), graph.start(Eigen::VectorXd::Zero(1)));
  const double fall = std::sqrt(2.0 * (top - leg) / g), v = g * fall, w = std::sqrt(k / mass);
  const double stance = 2.0 / w * (std::numbers::pi - std::atan(v * w / g));  // half of it down to the lowest point
  const double period = 2.0 * fall + stance;
  run.run(5.0 * period);
  EXPECT_EQ(graph.events().size(), 10u);
  EXPECT_NEAR(graph.events()[1].t - graph.events()[0].t, stance, 1e-9);
  EXPECT_NEAR(run.q()[0], top, 1e-8);
  EXPECT_EQ(graph.mode(run.x()), "flight");
}

TEST(ModeGraph, AResetMayRewriteTheState) {
  ModeGraph graph;  // a sawtooth
  graph.add_mode("rise", std::make_unique<Towards>(1.0, 2.0));
  graph.add_transition({"back", "rise", "rise", [](double, const VectorRef&, const VectorRef& x) { return x[0] - 1.0; },
                        [](double, OwnedVector&, OwnedVector& x) { x[0] = 0.0; }});
  MuntheKaasIntegrator run(graph, {.tolerance = 1e-12});
  run.set_state(0.0, OwnedVector(), graph.start(Eigen::VectorXd::Zero(1)));
  run.run(10.5 * std::log(2.0));
  EXPECT_EQ(graph.events().size(), 10u);
  EXPECT_NEAR(run.x()[0], 2.0 * (1.0 - std::sqrt(0.5)), 1e-9);
}

TEST(ModeGraph, WhatDoesNotFitIsRefused) {
  ModeGraph graph = thermostat();
  EXPECT_NE(message_of([&] { graph.add_mode("on", std::make_unique<Towards>(1, 1)); }).find("already"), std::string::npos);
  EXPECT_NE(message_of([&] { graph.add_transition({"x", "on", "of", [](auto...) { return 0.0; }}); }).find("'of'"), std::string::npos);
  EXPECT_NE(message_of([&] { graph.add_transition({"x", "on", "off", {}}); }).find("no guard"), std::string::npos);
  EXPECT_NE(message_of([&] { ModeGraph().size(); }).find("no mode"), std::string::npos);
}

}  // namespace
}  // namespace amble
