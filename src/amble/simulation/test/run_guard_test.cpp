#include "amble/simulation/run_guard.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "amble/base/limits.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/ports/drive.hpp"
#include "amble/ports/joint_elements.hpp"
#include "amble/simulation/simulate.hpp"

// What ends a run that can lead nowhere, and how it says so.
namespace amble {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Mechanism cart(const char* joint = "prismatic") {
  Builder b("cart");
  b.gravity({0, 0, 0});
  b.body({.name = "cart", .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "rail", .type = joint, .parent = kWorld, .child = "cart", .axis = {1, 0, 0}});
  return b.build();
}

/// Stiffer than steps of 10 ms can follow: each turns the motion about and makes it larger.
Simulator too_stiff(const std::string& method) {
  const Mechanism m = cart();
  Simulator s(m, {joint_springs("spring", m, OwnedVector::Constant(1, 1e6), OwnedVector(1))}, {},
              {.integrator = {.step = 0.01}, .method = method});
  s.reset(OwnedVector::Constant(1, 1e-3), OwnedVector(1));
  return s;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(RunGuard, AMotionThatGrowsWithoutBoundEndsWithItsJointBodyTimeAndTheSourceOfItsEnergy) {
  for (const std::string method : {"rkmk4", "semi_implicit", "time_stepping"}) {
    Simulator s = too_stiff(method);
    const std::string text = message_of([&] { s.step(10.0); });
    EXPECT_EQ(
        text.find(
            "the velocity of joint 'rail' (body 'cart') grew beyond 1e+06 m/s (limit 'state_growth') at 0."),
        0u)
        << method << ": " << text;
    EXPECT_TRUE(has(text, "; energy rose by ")) << text;
    EXPECT_TRUE(has(text, " in the last step of 0.01 s, ")) << text;
    EXPECT_TRUE(has(text, " J of it from 'spring'") ||
                has(text, "none of it from an element: the steps are too long"))
        << text;
    EXPECT_LT(s.t(), 1.0);
    EXPECT_LE(std::abs(s.v()[0]), 1e6) << "the state is the last good one";
    EXPECT_TRUE(s.q().allFinite());
    EXPECT_NO_THROW((void)s.ledger());
  }
}

TEST(RunGuard, TheBoundIsALimitThatCanBeSet) {
  set_limit("state_growth", 100.0);
  Simulator s = too_stiff("semi_implicit");
  EXPECT_TRUE(has(message_of([&] { s.step(10.0); }), "grew beyond 100 m/s"));
  EXPECT_LE(std::abs(s.v()[0]), 100.0);
  reset_limits();
}

TEST(RunGuard, CoordinatesHaveABoundOfTheirOwn) {
  const Mechanism m = cart();
  Simulator s(m, {}, {}, {.integrator = {.step = 1.0}, .method = "semi_implicit"});
  s.reset(OwnedVector(1), OwnedVector::Constant(1, 1e5));
  const std::string text = message_of([&] { s.step(2000.0); });
  EXPECT_TRUE(has(text, "coordinate 'rail' grew beyond 1e+08 m (limit 'length') at 1001 s")) << text;
}

TEST(RunGuard, AStartBeyondTheBoundsIsRefused) {
  Simulator s(cart("revolute"));
  EXPECT_EQ(message_of([&] { s.reset(OwnedVector(1), OwnedVector::Constant(1, 2e6)); }),
            "the motion cannot start at 0 s: the velocity of joint 'rail' (body 'cart') is beyond 1e+06 "
            "rad/s (limit "
            "'state_growth')");
  EXPECT_EQ(message_of([&] { s.reset(OwnedVector::Constant(1, -1e9), OwnedVector(1)); }),
            "the motion cannot start at 0 s: coordinate 'rail' is beyond 1e+08 rad (limit 'length')");
}

TEST(RunGuard, StatesThatAreNoStatesAreRefusedByName) {
  Simulator s(cart());
  for (const double bad : {kNan, std::numeric_limits<double>::infinity()}) {
    EXPECT_TRUE(has(message_of([&] { s.reset(OwnedVector::Constant(1, bad), OwnedVector(1)); }), "q"));
    EXPECT_TRUE(has(message_of([&] { s.reset(OwnedVector(1), OwnedVector::Constant(1, bad)); }), "v"));
  }
  EXPECT_TRUE(has(message_of([&] { s.reset(OwnedVector(2), OwnedVector(1)); }), "2"));
  s.reset(OwnedVector(1), OwnedVector(1));
  EXPECT_FALSE(message_of([&] { s.step(kNan); }).empty());
  EXPECT_FALSE(message_of([&] { s.step(-1.0); }).empty());
  EXPECT_FALSE(message_of([&] { s.advance(std::numeric_limits<double>::infinity()); }).empty());
  s.step(0.1);
  EXPECT_EQ(s.t(), 0.1) << "the time is not lost by what was refused";
}

TEST(RunGuard, ForcesThatAreNoNumbersAreRefusedByTheElementAndTheTime) {
  const Mechanism m = cart();
  for (const std::string method :
       {"rkmk45", "rkmk4", "radau", "semi_implicit", "variational", "time_stepping"}) {
    const auto later = drive("thruster", [](double t, const auto&, const auto&, OwnedVector& tau) {
      tau[0] = t < 0.5 ? 1.0 : kNan;
    });
    Simulator s(m, {later}, {}, {.integrator = {.step = 1e-2}, .method = method});
    s.reset(OwnedVector(1), OwnedVector(1));
    const std::string text = message_of([&] { s.step(1.0); });
    EXPECT_TRUE(has(text, "'thruster'")) << method << ": " << text;
    EXPECT_TRUE(has(text, " s")) << method << ": " << text;
    EXPECT_NEAR(s.t(), 0.5, 0.02) << method << ": " << text;
    EXPECT_TRUE(s.q().allFinite() && s.v().allFinite()) << method;
  }
}

TEST(RunGuard, ForcesTooLargeForNumbersNameTheVelocityThatTheyDrive) {
  const Mechanism m = cart();
  for (const std::string method : {"rkmk4", "semi_implicit", "variational", "time_stepping"}) {
    const auto huge =
        drive("thruster", [](double, const auto&, const auto&, OwnedVector& tau) { tau[0] = 1e308; });
    Simulator s(m, {huge}, {}, {.integrator = {.step = 100.0}, .method = method});
    s.reset(OwnedVector(1), OwnedVector(1));
    const std::string text = message_of([&] { s.step(1000.0); });
    EXPECT_FALSE(text.empty()) << method;
    EXPECT_TRUE(s.q().allFinite() && s.v().allFinite()) << method << ": " << text;
  }
}

TEST(RunGuard, ARunOfTooManyFixedStepsIsRefusedBeforeItBegins) {
  const Mechanism m = cart();
  for (const std::string method : {"rkmk4", "semi_implicit", "variational", "time_stepping"}) {
    Simulator s(m, {}, {}, {.integrator = {.step = 1e-9}, .method = method});
    s.reset(OwnedVector(1), OwnedVector::Ones(1));
    EXPECT_EQ(message_of([&] { s.step(100.0); }),
              "a run from 0 s to 100 s in steps of 1e-09 s takes 1e+11 steps; at most 1e+09 (limit 'steps')");
    EXPECT_EQ(s.report().steps, 0);
    s.step(1e-7);
    EXPECT_EQ(s.report().steps, 100);
  }
  Simulator s(m, {}, {}, {.integrator = {.longest_step = 1e-9}});
  s.reset(OwnedVector(1), OwnedVector::Ones(1));
  Recording r(m);
  EXPECT_TRUE(has(message_of([&] { simulate(s, 100.0, 0.1, r); }), "1e+11 steps"));
  EXPECT_TRUE(has(message_of([&] { simulate(s, 100.0, 1e-32, r); }), "(limit 'rows')"));
}

TEST(RunGuard, StepsAreCountedByRunSoThatALoopOfStepsHasNoEnd) {
  const Mechanism m = cart();
  Simulator s(m, {}, {}, {.integrator = {.most_steps = 10, .step = 0.1}, .method = "semi_implicit"});
  s.reset(OwnedVector(1), OwnedVector::Ones(1));
  for (int k = 0; k < 1000; ++k) s.step(0.1);
  EXPECT_EQ(s.report().steps, 1000);
  EXPECT_TRUE(has(message_of([&] { s.step(2.0); }), "most_steps is 10"));
}

/// What never gets on with it: something is always planned for now.
struct Always : Element {
  Always() : Element("always") {}
  void evaluate(const PortState&, const double*, PortFlows&, double*) const override {}
  double next_instant(double t, const double*) const override { return t; }
};

TEST(RunGuard, WhatIsPlannedForTheSameInstantForEverEndsTheRun) {
  Simulator s(cart(), {std::make_shared<Always>()});
  s.reset(OwnedVector(1), OwnedVector::Ones(1));
  const std::string text = message_of([&] { s.step(1.0); });
  EXPECT_TRUE(has(text, "1000 steps in a row went from 0 s nowhere (limit 'stalled_steps')")) << text;
}

TEST(RunGuard, FlowsWithoutAMechanismAreWatchedToo) {
  struct Growing : Flow {
    const Mechanism* mechanism() const override { return nullptr; }
    int size() const override { return 2; }
    void rates(double, const double*, const double* x, double*, double* xdot) override {
      xdot[0] = 0.0, xdot[1] = x[1] * x[1];
    }
  } flow;
  const auto integrator = make_integrator("rkmk4", flow, {.step = 0.01});
  integrator->set_state(0.0, OwnedVector(), OwnedVector::Ones(2));
  const std::string text = message_of([&] { integrator->run(2.0); });
  EXPECT_TRUE(has(text, "number 1 of the state stops being finite")) << text;
  EXPECT_TRUE(integrator->x().allFinite());
}

}  // namespace
}  // namespace amble
