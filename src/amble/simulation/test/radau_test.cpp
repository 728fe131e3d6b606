#include "amble/simulation/radau.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "amble/base/test/message_of.hpp"
#include "amble/base/test/random_numbers.hpp"
#include "amble/constraints/builtin_mechanisms.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "amble/ports/end_stops.hpp"
#include "amble/ports/joint_elements.hpp"
#include "amble/simulation/radau_tableau.hpp"
#include "amble/simulation/rkmk.hpp"
#include "amble/simulation/simulator.hpp"

namespace amble {
namespace {

TEST(RadauTableau, IsTheSchemeOfOrderFive) {
  const RadauTableau& t = radau_tableau();
  for (int k = 1; k <= 5; ++k) {  // the quadrature of the last row
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) sum += t.A[2][i] * std::pow(t.node[i], k - 1);
    EXPECT_NEAR(sum, 1.0 / k, 1e-15) << k;
  }
  EXPECT_NEAR(t.A[0][0], (88.0 - 7.0 * std::sqrt(6.0)) / 360.0, 1e-15);
  EXPECT_NEAR(t.A[2][2], 1.0 / 9.0, 1e-15);
  EXPECT_NEAR(t.gamma, 30.0 / (6.0 + std::cbrt(81.0) - std::cbrt(9.0)), 1e-13);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(t.weights_at(t.node[k])[k], 1.0, 1e-14);
}

/// x' = z (x - cos t) - sin t: cos t, and whatever is off it dies out at the rate z.
struct Stiff : Flow {
  explicit Stiff(double z) : z(z) {}
  const Mechanism* mechanism() const override { return nullptr; }
  int size() const override { return 1; }
  void rates(double t, const double*, const double* x, double*, double* xdot) override {
    xdot[0] = z * (x[0] - std::cos(t)) - std::sin(t);
  }
  double z;
};

TEST(Radau, WhatIsStiffDiesOutInOneStepHoweverLong) {
  for (const double z : {-1e6, -1e9, -1e12}) {
    Stiff flow(z);
    RadauIntegrator run(flow, {.tolerance = 0.9, .first_step = 0.1, .longest_step = 0.1});
    run.set_state(0.0, Eigen::VectorXd(), Eigen::VectorXd::Constant(1, 1.0 + 1e-3));
    run.step(0.1);
    EXPECT_EQ(run.t(), 0.1);
    EXPECT_NEAR(run.x()[0], std::cos(0.1), 1e-3 * 20.0 / (0.1 * -z) + 1e-6 / std::sqrt(-z));
  }
}

/// Van der Pol with eps = 1e-6, over two jumps; x(2) as the Test Set for IVP Solvers has it for its problem VDPOL.
struct VanDerPol : Flow {
  const Mechanism* mechanism() const override { return nullptr; }
  int size() const override { return 2; }
  void rates(double, const double*, const double* x, double*, double* xdot) override {
    xdot[0] = x[1], xdot[1] = ((1.0 - x[0] * x[0]) * x[1] - x[0]) / 1e-6;
  }
};

TEST(Radau, VanDerPolIsDoneInFewSteps) {
  VanDerPol flow;
  RadauIntegrator run(flow, {.tolerance = 1e-8, .first_step = 1e-6});
  run.set_state(0.0, Eigen::VectorXd(), Eigen::Vector2d(2.0, 0.0));
  run.run(2.0);
  EXPECT_NEAR(run.x()[0], 1.706167732170483, 1e-6);
  EXPECT_NEAR(run.x()[1], -0.8928097010247975, 1e-6);
  EXPECT_LT(run.report().steps, 1500);  // an explicit scheme takes millions
}

TEST(Rkmk, AStiffSystemIsCalledStiffAndRadauIsNamed) {
  VanDerPol flow;
  MuntheKaasIntegrator few(flow, {.tolerance = 1e-6, .most_steps = 3000});
  few.set_state(0.0, Eigen::VectorXd(), Eigen::Vector2d(2.0, 0.0));
  const std::string message = message_of([&] { few.run(1.0); });
  EXPECT_NE(message.find("stiff"), std::string::npos) << message;
  EXPECT_NE(message.find("\"radau\""), std::string::npos) << message;
  EXPECT_LT(few.report().steps, 1000);  // it is clear before all are taken
  EXPECT_NE(stiffness_note(few.report()).find("\"radau\""), std::string::npos);

  MuntheKaasIntegrator whole(flow, {.tolerance = 1e-6});
  whole.set_state(0.0, Eigen::VectorXd(), Eigen::Vector2d(2.0, 0.0));
  whole.run(1e-3);
  EXPECT_GT(2 * whole.report().stiff_steps, whole.report().steps);
}

TEST(Rkmk, AMotionThatIsNotStiffIsNotCalledSo) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const RandomMechanism r = random_mechanism(seed, {.bodies = 5});
    Random random(seed);
    for (const double tolerance : {1e-4, 1e-10}) {
      VelocityFlow flow(r.mechanism);
      MuntheKaasIntegrator run(flow, {.tolerance = tolerance});
      run.set_state(0.0, r.mechanism.random(random), random_numbers(random, r.mechanism.nv()));
      run.run(1.0);
      EXPECT_EQ(stiffness_note(run.report()), "") << seed;
    }
  }
}

/// A chain whose joints are held by springs of 1e8 and dampers as strong as they need.
Simulator stiff_chain(const std::string& method, double tolerance) {
  Builder b("chain");
  std::string parent = kWorld;
  const Inertia<double> rod = Inertia<double>::from_com(1.0, {0, 0, -0.5}, Matrix3<double>::Identity() / 12.0);
  for (const std::string name : {"a", "b", "c"}) {
    b.body({.name = name, .inertia = rod});
    b.joint({.name = name + "_pin",
             .type = "revolute",
             .parent = parent,
             .child = name,
             .X_PF = Pose(Vector3<double>(0, 0, parent == kWorld ? 0.0 : -1.0)),
             .axis = {0, 1, 0}});
    parent = name;
  }
  const Mechanism m = b.build();
  const Eigen::Vector3d stiffness(0.0, 1e8, 1e8), damping(0.0, 1e5, 1e5);
  Simulator out(m,
                {joint_springs("springs", m, stiffness, Eigen::Vector3d::Zero()), joint_dampers("dampers", damping)},
                {}, {.integrator = {.tolerance = tolerance}, .method = method});
  out.reset(Eigen::Vector3d(1.0, 0.0, 0.0), Eigen::Vector3d::Zero());
  return out;
}

TEST(Radau, AChainOfStiffSpringsSwingsLikeOneRodInFewSteps) {
  Simulator run = stiff_chain("radau", 1e-8);
  run.advance(2.0);
  EXPECT_LT(run.report().steps, 300);
  EXPECT_LT(run.q().tail<2>().norm(), 1e-5);
  const Ledger books = run.ledger();
  EXPECT_LT(std::abs(books.residual()), 1e-6 * (1.0 + books.exchanged));
  // A rigid rod of three, I = 9, m g c = 3 g 1.5.
  Builder b("rod");
  double I = 0.0;
  for (int i = 0; i < 3; ++i) I += 1.0 / 12.0 + (0.5 + i) * (0.5 + i);
  b.body({.name = "rod",
          .inertia = Inertia<double>::from_com(3.0, {0, 0, -1.5}, (I - 3.0 * 2.25) * Matrix3<double>::Identity())});
  b.joint({.name = "pin", .type = "revolute", .parent = kWorld, .child = "rod", .axis = {0, 1, 0}});
  Simulator rod(b.build());
  rod.reset(Eigen::VectorXd::Ones(1), Eigen::VectorXd::Zero(1));
  rod.advance(2.0);
  EXPECT_NEAR(run.q()[0], rod.q()[0], 1e-5);
}

TEST(Radau, TheBooksCloseForRandomMechanisms) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const RandomMechanism r = random_mechanism(seed, {.bodies = 1 + static_cast<int>(seed % 6)});
    const Mechanism& m = r.mechanism;
    Random random(seed);
    Simulator run(m,
                  {joint_springs("springs", m, random_numbers(random, m.nv(), 0.0, 4.0), OwnedVector(m.nv())),
                   joint_dampers("dampers", random_numbers(random, m.nv(), 0.0, 0.3))},
                  {}, {.integrator = {.tolerance = 1e-10}, .method = "radau"});
    run.reset(m.random(random), random_numbers(random, m.nv(), -1.0, 1.0));
    run.advance(2.0);
    const Ledger books = run.ledger();
    EXPECT_LT(std::abs(books.residual()), 1e-8 * books.exchanged) << seed;
  }
}

/// Under constraints the motion is that of the explicit scheme.
TEST(Radau, ClosedMechanismsMoveAsTheyDoByTheExplicitScheme) {
  for (const std::string name : {"four_bar", "slider_crank"}) {
    const ConstrainedMechanism made = builtin_mechanism(name, {});
    const auto end = [&](const std::string& method, double tolerance) {
      Simulator run(made.mechanism, {}, {}, {.integrator = {.tolerance = tolerance}, .method = method});
      run.reset(made.q, OwnedVector(made.mechanism.nv()));
      run.advance(0.7);
      EXPECT_LT(run.constrained()->worst_violation(), 1e-6);
      return OwnedVector(run.q());
    };
    EXPECT_LT((end("radau", 1e-10) - end("rkmk45", 1e-12)).norm(), 1e-7) << name;
  }
}

/// A weight dropped onto a hard stop: every touch and parting at the same time as by the explicit scheme.
TEST(Radau, AHardStopIsHitAsByTheExplicitScheme) {
  Builder b("weight");
  b.body({.name = "weight", .inertia = Inertia<double>::from_com(2.0, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "rail", .type = "prismatic", .parent = kWorld, .child = "weight", .axis = {0, 0, 1}});
  const Mechanism m = b.build();
  const auto dropped = [&](const std::string& method, double tolerance) {
    Simulator run(
        m, {end_stops("stop", limits_of_joint(m, "stop", "rail", 0.0, 1.0), {.stiffness = 1e7, .damping = 0.3})}, {},
        {.integrator = {.tolerance = tolerance}, .method = method});
    run.reset(Eigen::VectorXd::Constant(1, 0.1), Eigen::VectorXd::Zero(1));
    run.advance(0.6);
    EXPECT_LT(std::abs(run.ledger().residual()), 1e-7) << method;
    return run;
  };
  Simulator exact = dropped("rkmk45", 1e-13), run = dropped("radau", 1e-10);
  ASSERT_GT(exact.events().size(), 3u);
  ASSERT_EQ(run.events().size(), exact.events().size());
  for (std::size_t i = 0; i < run.events().size(); ++i) EXPECT_NEAR(run.events()[i].t, exact.events()[i].t, 1e-8);
  EXPECT_NEAR(run.q()[0], exact.q()[0], 1e-7);
}

TEST(Radau, ConstantsStayTheSameBits) {
  struct WithConstant : Stiff {
    using Stiff::Stiff;
    int size() const override { return 3; }
    int active() const override { return 1; }
    void rates(double t, const double* q, const double* x, double* v, double* xdot) override {
      Stiff::rates(t, q, x, v, xdot);
      xdot[1] = 0.0, xdot[2] = std::sin(t);
    }
  } flow(-1e3);
  RadauIntegrator run(flow, {.tolerance = 1e-10});
  run.set_state(0.0, Eigen::VectorXd(), Eigen::Vector3d(1.0, 0.1, 0.0));
  run.run(3.0);
  EXPECT_EQ(run.x()[1], 0.1);
  EXPECT_NEAR(run.x()[2], 1.0 - std::cos(3.0), 1e-9);
  EXPECT_NEAR(run.x()[0], std::cos(3.0), 1e-9);
}

}  // namespace
}  // namespace amble
