#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/base/test/random_numbers.hpp"
#include "amble/constraints/builtin_mechanisms.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "amble/ports/joint_elements.hpp"
#include "amble/simulation/semi_implicit.hpp"
#include "amble/simulation/simulate.hpp"
#include "amble/simulation/variational.hpp"

// Schemes of fixed steps along a mechanism with elements, and the books that they keep.
namespace amble {
namespace {

/// A current that follows the speed of the first joint, as a state of its own.
struct Coil : Element {
  Coil() : Element("coil") {}
  int size() const override { return 1; }
  void evaluate(const PortState& at, const double* x, PortFlows& out, double* xdot) const override {
    out.tau[0] = -0.7 * x[0];
    out.dissipated = 2.0 * x[0] * x[0];
    out.stored = 0.5 * 0.3 * x[0] * x[0];
    xdot[0] = (0.7 * at.v[0] - 2.0 * x[0]) / 0.3;
  }
};

Simulator simulator(const std::string& method, std::uint64_t seed, double step) {
  const RandomMechanism r =
      random_mechanism(seed, {.bodies = 2 + static_cast<int>(seed % 4), .fixed = 0.0, .properties = false});
  const Mechanism& m = r.mechanism;
  Random random(seed);
  Simulator out(
      m,
      {joint_springs("springs", m, random_numbers(random, m.nv(), 0.0, 4.0), OwnedVector(m.nv())),
       joint_dampers("dampers", random_numbers(random, m.nv(), 0.0, 0.3)), std::make_shared<Coil>()},
      {}, {.integrator = {.tolerance = 1e-12, .step = step}, .method = method});
  out.reset(m.random(random), random_numbers(random, m.nv(), -1.0, 1.0));
  return out;
}

/// Distance of the end, and of each entry of the books, from those of the adaptive scheme.
struct Gap {
  double motion = 0.0, books = 0.0;
};

Gap gap(const std::string& method, std::uint64_t seed, double step) {
  Simulator exact = simulator("rkmk45", seed, step), run = simulator(method, seed, step);
  exact.advance(0.4), run.advance(0.4);
  Gap out;
  out.motion = run.mechanism().difference(exact.q(), run.q()).norm() + (exact.v() - run.v()).norm();
  const Ledger a = exact.ledger(), b = run.ledger();
  for (std::size_t i = 0; i < a.entries.size(); ++i)
    out.books += std::abs(a.entries[i].delivered - b.entries[i].delivered) +
                 std::abs(a.entries[i].dissipated - b.entries[i].dissipated);
  return out;
}

TEST(FixedSteps, NoSliverOfAStepIsLeftAtTheEnd) {
  for (const char* method : {"semi_implicit", "rkmk4", "variational", "time_stepping"}) {
    Builder b("pendulum");
    b.body({.name = "bob",
            .inertia = Inertia<double>::from_com(1.0, {0.0, 0.0, -1.0}, Matrix3<double>::Zero())});
    b.joint({.name = "hinge", .type = "revolute", .parent = kWorld, .child = "bob", .axis = {0.0, 1.0, 0.0}});
    Simulator run(b.build(), {}, {}, {.integrator = {.step = 1e-3}, .method = method});
    run.reset(OwnedVector::Constant(1, 0.1), OwnedVector::Zero(1));
    run.advance(60.0);  // 60,000 steps of 1e-3 s add up to less than that
    EXPECT_EQ(run.report().steps, 60000) << method;
    EXPECT_EQ(run.t(), 60.0) << method;
  }
}

TEST(FixedSteps, MotionAndBooksWithElementsThatHaveStatesConvergeAtTheOrderOfTheScheme) {
  const struct {
    const char* method;
    double step;
    int order;
  } all[] = {{"rkmk4", 4e-3, 4}, {"semi_implicit", 5e-4, 1}, {"variational", 1e-3, 2}};
  for (const auto& [method, step, order] : all)
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const Gap coarse = gap(method, seed, step), fine = gap(method, seed, step / 2);
      if (coarse.motion < 1e-10) continue;  // that of the reference
      EXPECT_NEAR(std::log2(coarse.motion / fine.motion), order, 0.4)
          << method << " " << seed << " " << coarse.motion;
      EXPECT_LT(fine.books, coarse.books) << method << " " << seed;
    }
}

/// What the scheme itself adds is an entry of its own, falls with the step, and the books close with it.
TEST(FixedSteps, WhatTheSchemeAddsIsBooked) {
  for (const std::string method : {"semi_implicit", "variational"}) {
    double before = 0.0;
    for (const double step : {4e-3, 2e-3, 1e-3}) {
      Simulator run = simulator(method, 4, step);
      run.advance(1.0);
      const Ledger books = run.ledger();
      ASSERT_EQ(books.entries.back().name, "integrator");
      EXPECT_LT(std::abs(books.residual()), 1e-10 * (1.0 + books.exchanged)) << method;
      const double added = std::abs(books.entries.back().delivered);
      EXPECT_GT(added, 1e-9) << method;
      if (before > 0.0) EXPECT_NEAR(before / added, method == "variational" ? 4.0 : 2.0, 0.7) << method;
      before = added;
    }
  }
  Simulator exact = simulator("rkmk4", 4, 1e-3);
  exact.advance(1.0);
  EXPECT_NE(exact.ledger().entries.back().name, "integrator");
}

TEST(FixedSteps, TheEntryIsInTheBooksOfARecordingFromTheStart) {
  for (const std::string method : {"semi_implicit", "variational"}) {
    Simulator run = simulator(method, 2, 1e-3);
    EXPECT_EQ(run.ledger().entries.back().name, "integrator");
    Recording recording(run.mechanism());
    EXPECT_TRUE(simulate(run, 0.1, 0.01, recording));
    EXPECT_EQ(recording.ledger().entries.back().name, "integrator") << method;
  }
}

/// One step by hand.
TEST(SemiImplicit, TheConfigurationMovesByTheNewVelocity) {
  const RandomMechanism r = random_mechanism(8, {.bodies = 4});
  const Mechanism& m = r.mechanism;
  Random random(8);
  const OwnedVector q = m.random(random), v = random_numbers(random, m.nv());
  VelocityFlow flow(m);
  SemiImplicitIntegrator run(flow, {.step = 0.01});
  run.set_state(0.0, q, v);
  run.step(1.0);
  Workspace work(m);
  const Eigen::VectorXd v1 = v + 0.01 * forward_dynamics(m, work, q, v, OwnedVector(m.nv()));
  EXPECT_LT((run.x() - v1).norm(), 1e-14);
  EXPECT_LT((run.q() - m.integrate(q, 0.01 * v1)).norm(), 1e-14);
  EXPECT_EQ(run.report().evaluations, 2);  // one of them is the next step's
}

/// The energy of an oscillator neither grows nor falls, as it would by the explicit or the implicit scheme.
TEST(SemiImplicit, AnOscillatorsEnergyStaysInABand) {
  Builder b("oscillator");
  b.gravity({0, 0, 0});
  b.body({.name = "cart", .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "rail", .type = "prismatic", .parent = kWorld, .child = "cart", .axis = {1, 0, 0}});
  const Mechanism m = b.build();
  const Eigen::VectorXd one = Eigen::VectorXd::Ones(1);
  Simulator run(m, {joint_springs("spring", m, one, OwnedVector(1))}, {},
                {.integrator = {.step = 0.05}, .method = "semi_implicit"});
  run.reset(one, OwnedVector(1));
  double least = 1.0, most = 0.0;
  for (int i = 0; i < 50000; ++i) {
    run.step_towards(1e9);
    const double energy = 0.5 * (run.q()[0] * run.q()[0] + run.v()[0] * run.v()[0]);
    least = std::min(least, energy), most = std::max(most, energy);
  }
  EXPECT_GT(least, 0.5 * (1.0 - 0.03));
  EXPECT_LT(most, 0.5 * (1.0 + 0.03));
}

TEST(SemiImplicit, LoopsStayClosed) {
  const ConstrainedMechanism made = builtin_mechanism("four_bar", {});
  Simulator run(made.mechanism, {}, {}, {.integrator = {.step = 1e-3}, .method = "semi_implicit"});
  run.reset(made.q, OwnedVector(made.mechanism.nv()));
  run.advance(1.0);
  EXPECT_LT(run.constrained()->dynamics().violation().cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT(std::abs(run.ledger().residual()), 1e-10);
}

TEST(Variational, AlongAFlowItIsTheSameSchemeToRounding) {
  const RandomMechanism r = random_mechanism(6, {.bodies = 5});
  const Mechanism& m = r.mechanism;
  Random random(6);
  const OwnedVector q = m.random(random), v = random_numbers(random, m.nv());
  VelocityFlow flow(m);
  VariationalFlowIntegrator run(flow, {.step = 1e-3});
  VariationalIntegrator expected(m, 1e-3);
  run.set_state(0.0, q, v), expected.set_state(0.0, q, v);
  for (int i = 0; i < 100; ++i) run.step(1.0), expected.step();
  EXPECT_LT((run.q() - expected.q()).norm() + (run.x() - expected.v()).norm(), 1e-12);
}

TEST(Variational, ConstraintsAreRefusedBeforeARun) {
  const ConstrainedMechanism made = builtin_mechanism("four_bar", {});
  const std::string message =
      message_of([&] { Simulator(made.mechanism, {}, {}, {.method = "variational"}); });
  EXPECT_NE(message.find("constraints"), std::string::npos) << message;
  EXPECT_NE(message.find("rkmk45"), std::string::npos) << message;
}

}  // namespace
}  // namespace amble
