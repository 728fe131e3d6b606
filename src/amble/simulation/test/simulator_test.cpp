#include "amble/simulation/simulator.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "amble/base/test/message_of.hpp"
#include "amble/base/test/random_numbers.hpp"
#include "amble/constraints/builtin_mechanisms.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "amble/ports/drive.hpp"
#include "amble/ports/joint_elements.hpp"
#include "amble/simulation/simulate.hpp"

namespace amble {
namespace {

/// Springs, dampers, friction and a motor that swings, on every joint.
std::vector<ElementPtr> elements_for(const Mechanism& m, Random& random) {
  const int nv = m.nv();
  const OwnedVector amplitude = random_numbers(random, nv, -1.0, 1.0);
  return {joint_springs("springs", m, random_numbers(random, nv, 0.0, 4.0), random_numbers(random, nv, -0.3, 0.3)),
          joint_dampers("dampers", random_numbers(random, nv, 0.0, 0.3)),
          joint_friction("friction", random_numbers(random, nv, 0.0, 0.2), 0.1),
          drive("motor", [amplitude](double t, const OwnedVector&, const OwnedVector&, OwnedVector& tau) {
            tau = std::sin(3.0 * t) * amplitude;
          })};
}

void expect_closed_books(Simulator& simulator, double share, std::uint64_t seed) {
  const Ledger books = simulator.ledger();
  ASSERT_GT(books.exchanged, 0.0);
  EXPECT_LT(std::abs(books.residual()), share * books.exchanged) << "seed " << seed;
  for (const LedgerEntry& e : books.entries)
    EXPECT_LT(std::abs(e.gap()), share * (books.exchanged + std::abs(e.stored))) << e.name << ", seed " << seed;
}

TEST(Simulator, TheBooksCloseForRandomMechanisms) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomMechanism r = random_mechanism(seed, {.bodies = 1 + static_cast<int>(seed % 6)});
    Random random(seed);
    Simulator simulator(r.mechanism, elements_for(r.mechanism, random), {}, {.integrator = {.tolerance = 1e-10}});
    simulator.reset(r.mechanism.random(random), random_numbers(random, r.mechanism.nv(), -1.0, 1.0));
    simulator.advance(2.0);
    expect_closed_books(simulator, 1e-8, seed);
  }
}

TEST(Simulator, TheBooksCloseTighterWhenMoreIsAsked) {
  const RandomMechanism r = random_mechanism(7, {.bodies = 4});
  Random random(7);
  Simulator simulator(r.mechanism, elements_for(r.mechanism, random), {}, {.integrator = {.tolerance = 1e-13}});
  simulator.reset(r.mechanism.random(random), random_numbers(random, r.mechanism.nv(), -1.0, 1.0));
  simulator.advance(2.0);
  expect_closed_books(simulator, 1e-10, 7);
}

/// A mass on a spring between it and the world, with a damper beside it: x'' = -(k x + c x') / m about the rest length.
TEST(Simulator, ADampedOscillatorFollowsItsClosedForm) {
  constexpr double kMass = 2.0, kStiffness = 50.0, kDamping = 1.5;
  Builder b("oscillator");
  b.gravity({0, 0, 0});
  b.body({.name = "cart", .inertia = Inertia<double>::from_com(kMass, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "rail", .type = "prismatic", .parent = "world", .child = "cart", .axis = {1, 0, 0}});
  b.spring({.name = "coil", .body_a = "world", .body_b = "cart", .point_a = {-1, 0, 0}, .stiffness = kStiffness,
            .length = 1.0, .damping = kDamping});
  const Mechanism m = b.build();
  Simulator simulator(m, {}, {}, {.integrator = {.tolerance = 1e-12}});
  simulator.reset(Eigen::VectorXd::Constant(1, 0.2), Eigen::VectorXd::Zero(1));
  simulator.advance(3.0);
  const double decay = kDamping / (2 * kMass), omega = std::sqrt(kStiffness / kMass - decay * decay);
  const double expected = 0.2 * std::exp(-3.0 * decay) * (std::cos(3.0 * omega) + decay / omega * std::sin(3.0 * omega));
  EXPECT_NEAR(simulator.q()[0], expected, 1e-10);
  expect_closed_books(simulator, 1e-9, 0);
  EXPECT_EQ(simulator.ledger().entries[0].name, "coil");
  EXPECT_GT(simulator.ledger().entries[0].dissipated, 0.0);
}

TEST(Simulator, LoopsStayClosedAndTheirForcesDoNoWork) {
  const ConstrainedMechanism bars = builtin_mechanism("four_bar");
  const OwnedVector damping = Eigen::VectorXd::Constant(bars.mechanism.nv(), 0.1);
  Simulator simulator(bars.mechanism, {joint_dampers("oil", damping)}, {}, {.integrator = {.tolerance = 1e-11}});
  simulator.reset(bars.q, OwnedVector(bars.mechanism.nv()));
  simulator.advance(3.0);
  expect_closed_books(simulator, 1e-8, 0);
  const Ledger books = simulator.ledger();
  ASSERT_EQ(books.entries[1].name, "constraints");
  EXPECT_LT(std::abs(books.entries[1].delivered), 1e-9);
  EXPECT_LT(simulator.constrained()->dynamics().violation().cwiseAbs().maxCoeff(), 1e-10);
}

TEST(Simulator, AStartOffTheConstraintsIsRefusedByName) {
  const ConstrainedMechanism bars = builtin_mechanism("four_bar");
  Simulator simulator(bars.mechanism);
  OwnedVector q = bars.q;
  q[0] += 0.1;
  const std::string place = message_of([&] { simulator.reset(q, OwnedVector(3)); });
  EXPECT_NE(place.find("initial configuration"), std::string::npos) << place;
  EXPECT_NE(place.find("closure"), std::string::npos) << place;
  const std::string speed = message_of([&] { simulator.reset(bars.q, Eigen::VectorXd::Ones(3)); });
  EXPECT_NE(speed.find("initial velocity"), std::string::npos) << speed;
  EXPECT_NE(message_of([&] { simulator.step(1.0); }).find("reset() comes first"), std::string::npos);
}

TEST(Simulator, ASavedMotionGoesOnWithTheSameBits) {
  const RandomMechanism r = random_mechanism(5, {.bodies = 4});
  Random random(5);
  Simulator one(r.mechanism, elements_for(r.mechanism, random));
  one.reset(r.mechanism.random(random), random_numbers(random, r.mechanism.nv(), -1.0, 1.0));
  one.advance(0.5);
  const Simulator::Snapshot saved = one.save();
  one.advance(1.0);
  const OwnedVector q = one.q();
  const double residual = one.ledger().residual();
  one.restore(saved);
  one.advance(1.0);
  EXPECT_EQ(one.q(), q);
  EXPECT_EQ(one.ledger().residual(), residual);
}

TEST(Simulator, AnElementThatGivesNoNumberIsNamed) {
  const RandomMechanism r = random_mechanism(1, {.bodies = 2});
  Simulator simulator(r.mechanism, {drive("broken", [](double t, const OwnedVector&, const OwnedVector&, OwnedVector& tau) {
                        tau.setConstant(t > 0.3 ? std::nan("") : 0.0);
                      })});
  simulator.reset(r.mechanism.neutral(), OwnedVector(r.mechanism.nv()));
  Recording recording(r.mechanism);
  const std::string words = message_of([&] { simulate(simulator, 1.0, 0.01, recording); });
  EXPECT_NE(words.find("'broken'"), std::string::npos) << words;
  EXPECT_GT(recording.rows(), 25);
  EXPECT_LE(recording.t().back(), 0.3 + 1e-9);
}

TEST(Simulate, RecordsAtEvenTimesWhatTheMotionHadThere) {
  const RandomMechanism r = random_mechanism(9, {.bodies = 3});
  Random random(9);
  const OwnedVector q = r.mechanism.random(random), v = random_numbers(random, r.mechanism.nv(), -1.0, 1.0);
  Simulator simulator(r.mechanism);
  simulator.reset(q, v);
  Recording recording(r.mechanism);
  EXPECT_TRUE(simulate(simulator, 1.0, 0.03, recording));
  ASSERT_EQ(recording.rows(), 35);
  EXPECT_EQ(recording.t().back(), 1.0);
  for (const int i : {1, 17, 33}) {
    EXPECT_DOUBLE_EQ(recording.t()[i], 0.03 * i);
    Simulator again(r.mechanism);
    again.reset(q, v);
    again.advance(recording.t()[i]);
    EXPECT_LT((again.v() - recording.v().row(i).transpose()).norm(), 1e-8) << i;  // the interpolant is of order 4
    EXPECT_LT(r.mechanism.difference(again.q(), recording.q().row(i).transpose()).norm(), 1e-8) << i;
  }
}

TEST(Simulate, StopsWhenTheWatchSaysSo) {
  const RandomMechanism r = random_mechanism(9, {.bodies = 3});
  Simulator simulator(r.mechanism);
  simulator.reset(r.mechanism.neutral(), OwnedVector(r.mechanism.nv()));
  Recording recording(r.mechanism);
  EXPECT_FALSE(simulate(simulator, 10.0, 0.0, recording, [](double t) { return t < 0.5; }));
  EXPECT_LT(recording.t().back(), 10.0);
  EXPECT_EQ(recording.ledger().initial, recording.kinetic()[0] + recording.potential()[0]);
}

}  // namespace
}  // namespace amble
