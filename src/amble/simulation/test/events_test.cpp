#include "amble/simulation/events.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "amble/base/test/message_of.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/simulation/rkmk.hpp"
#include "amble/simulation/simulator.hpp"

namespace amble {
namespace {

/// x = sin t, whose guards are told where to be zero; notes what happens.
struct Oscillator : Flow {
  explicit Oscillator(std::vector<double> levels) : levels(std::move(levels)) {}
  const Mechanism* mechanism() const override { return nullptr; }
  int size() const override { return 2; }
  void rates(double, const double*, const double* x, double*, double* xdot) override { xdot[0] = x[1], xdot[1] = -x[0]; }
  int guards() const override { return static_cast<int>(levels.size()); }
  void guard_values(double, const double*, const double* x, double* values) override {
    for (std::size_t i = 0; i < levels.size(); ++i) values[i] = x[0] - levels[i];
  }
  bool happen(double t, std::span<const signed char> crossed, double*, double*) override {
    seen.push_back({t, {crossed.begin(), crossed.end()}});
    return false;
  }
  struct Seen {
    double t;
    std::vector<int> crossed;
  };
  std::vector<double> levels;
  std::vector<Seen> seen;
};

TEST(Events, AreWhereTheMotionCrossesAndNotWhereTheInterpolantDoes) {
  Oscillator flow({0.5});
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-13});
  run.set_state(0.0, Eigen::VectorXd(), Eigen::Vector2d(0.0, 1.0));
  run.run(20.0);
  ASSERT_EQ(flow.seen.size(), 7u);
  for (std::size_t i = 0; i < flow.seen.size(); ++i) {
    const double first = std::numbers::pi / 6.0, turn = 2.0 * std::numbers::pi * static_cast<double>(i / 2);
    EXPECT_NEAR(flow.seen[i].t, turn + (i % 2 == 0 ? first : std::numbers::pi - first), 1e-11);
    EXPECT_EQ(flow.seen[i].crossed[0], i % 2 == 0 ? 1 : -1);
  }
}

TEST(Events, AreFoundToTwelveDigitsOfTheMotionItself) {
  Oscillator flow({0.3});
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-6});  // a motion with errors of its own
  run.set_state(0.0, Eigen::VectorXd(), Eigen::Vector2d(0.0, 1.0));
  while (flow.seen.empty()) run.step(10.0);
  EXPECT_EQ(run.t(), flow.seen[0].t);
  EXPECT_LT(std::abs(run.x()[0] - 0.3), 1e-12);
}

TEST(Events, TwoAtOnceHappenTogether) {
  Oscillator flow({0.5, 0.5, 0.8});
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-12});
  run.set_state(0.0, Eigen::VectorXd(), Eigen::Vector2d(0.0, 1.0));
  run.run(1.0);
  ASSERT_EQ(flow.seen.size(), 2u);
  EXPECT_EQ(flow.seen[0].crossed, (std::vector<int>{1, 1, 0}));
  EXPECT_EQ(flow.seen[1].crossed, (std::vector<int>{0, 0, 1}));
}

TEST(Events, AGuardThatGoesThroughZeroAndBackWithinAStepIsSeen) {
  Oscillator flow({0.9999});  // above for 0.028 s, in steps ten times as long
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-5, .first_step = 0.3});
  run.set_state(0.0, Eigen::VectorXd(), Eigen::Vector2d(0.0, 1.0));
  run.run(3.0);
  ASSERT_EQ(flow.seen.size(), 2u);
  EXPECT_NEAR(flow.seen[0].t, std::asin(0.9999), 1e-4);
  EXPECT_EQ(flow.seen[0].crossed[0], 1);
  EXPECT_EQ(flow.seen[1].crossed[0], -1);
}

/// Falls on the ground z = 0 and comes back with a share of its speed.
class Floor : public Element {
 public:
  explicit Floor(double restitution) : Element("floor"), restitution_(restitution) {}
  void evaluate(const PortState&, const double*, PortFlows&, double*) const override {}
  int guards() const override { return 1; }
  void guard_values(const PortState& at, const double*, double* values) const override { values[0] = -at.q[0]; }
  void happen(const PortState& at, PortEvent& event) const override {
    if (event.crossed[0] <= 0) return;
    event.strikes.push_back({OwnedVector(Eigen::VectorXd::Ones(1)), -restitution_ * at.v[0]});
    event.log.push_back("bounce");
  }

 private:
  double restitution_;
};

Mechanism falling_mass(double mass) {
  Builder b("mass");
  b.body({.name = "mass", .inertia = Inertia<double>::from_com(mass, {0, 0, 0}, Matrix3<double>::Zero())});
  b.joint({.name = "rail", .type = "prismatic", .parent = kWorld, .child = "mass", .axis = Vector3<double>::UnitZ()});
  return b.build();
}

TEST(Events, ABouncingMassLosesWhatTheClosedFormSays) {
  const double e = 0.7, h = 1.3, g = 9.81, mass = 2.0;
  Simulator run(falling_mass(mass), {std::make_shared<Floor>(e)});
  run.reset(Eigen::VectorXd::Constant(1, h), Eigen::VectorXd::Zero(1));
  run.advance(2.5);
  const double fall = std::sqrt(2.0 * h / g);
  double t = fall, energy = mass * g * h;
  ASSERT_GT(run.events().size(), 4u);
  for (const RecordedEvent& event : run.events()) {
    EXPECT_NEAR(event.t, t, 1e-11);
    EXPECT_NEAR(event.lost, (1.0 - e * e) * energy, 1e-10);
    energy *= e * e;
    t += 2.0 * std::sqrt(2.0 * energy / mass) / g;
  }
  const Ledger books = run.ledger();
  EXPECT_NEAR(books.final, energy, 1e-10);
  EXPECT_LT(std::abs(books.residual()), 1e-10);
  EXPECT_GT(books.exchanged, books.losses * (1.0 - 1e-12));
}

TEST(Events, ThatPileUpAreAnErrorThatNamesThem) {
  for (const double e : {0.01, 0.1, 0.5, 0.9, 0.98}) {
    Simulator run(falling_mass(1.0), {std::make_shared<Floor>(e)});
    run.reset(Eigen::VectorXd::Constant(1, 1.0), Eigen::VectorXd::Zero(1));
    const std::string message = message_of([&] { run.advance(100.0); });
    EXPECT_NE(message.find("Zeno"), std::string::npos) << e << ": " << message;
    EXPECT_NE(message.find("floor"), std::string::npos) << message;
    const double rest = std::sqrt(2.0 / 9.81) * (1.0 + 2.0 * e / (1.0 - e));  // where the bounces end
    EXPECT_NEAR(run.t(), rest, 2e-6 * (1.0 + rest) / (1.0 - e));
    EXPECT_GT(run.q()[0], -1e-12);
  }
}

/// A guard that is zero but for rounding, with nothing that happens: a corner of a law for a joint that stands still.
TEST(Events, AGuardThatFluttersAboutZeroDoesNotStopTheMotion) {
  struct Flutter : Element {
    Flutter() : Element("flutter") {}
    void evaluate(const PortState&, const double*, PortFlows&, double*) const override {}
    int guards() const override { return 2; }
    void guard_values(const PortState& at, const double*, double* values) const override {
      values[0] = 1e-19 * std::sin(1e9 * at.t), values[1] = -values[0];
    }
  };
  Simulator run(falling_mass(1.0), {std::make_shared<Flutter>(), std::make_shared<Floor>(0.8)});
  run.reset(Eigen::VectorXd::Constant(1, 1.0), Eigen::VectorXd::Zero(1));
  run.advance(1.0);
  EXPECT_EQ(run.events().size(), 1u);
  EXPECT_LT(run.report().steps, 2000);
}

TEST(Events, AMotionTakenUpRightAfterAnEventGoesOnToTheLastBit) {
  const auto bouncing = [] { return Simulator(falling_mass(1.0), {std::make_shared<Floor>(0.8)}); };
  Simulator whole = bouncing(), second = bouncing();
  whole.reset(Eigen::VectorXd::Constant(1, 1.0), Eigen::VectorXd::Zero(1));
  while (whole.events().empty()) whole.step_towards(2.0);
  second.restore(whole.save());
  whole.advance(2.0), second.advance(2.0);
  EXPECT_EQ(whole.q()[0], second.q()[0]);
  EXPECT_EQ(whole.v()[0], second.v()[0]);
  EXPECT_EQ(whole.events().size(), second.events().size());
}

/// Holds the first joint from a planned time on, by a constraint on its speed.
class Brake : public Element {
 public:
  Brake(const Mechanism& m, double from, double until) : Element("brake"), m_(m), from_(from), until_(until) {}
  void evaluate(const PortState&, const double*, PortFlows&, double*) const override {}
  int memory() const override { return 1; }
  std::vector<ConstraintPtr> constraints() const override { return {std::make_shared<Stuck>(m_.nv())}; }
  bool holding(const double* memory) const override { return memory[0] > 0.0; }
  double next_instant(double t, const double*) const override {
    return t < from_ ? from_ : t < until_ ? until_ : std::numeric_limits<double>::infinity();
  }
  void happen(const PortState& at, PortEvent& event) const override {
    event.memory[0] = at.t >= from_ && at.t < until_;
    if (at.t == from_ || at.t == until_) event.log.push_back(at.t < until_ ? "held" : "let go");
  }

 private:
  struct Stuck : Constraint {
    explicit Stuck(int nv) : Constraint("brake", 1, false), nv(nv) {}
    std::string meaning(int) const override { return "torque"; }
    void evaluate(ConstraintKinematics&, const ConstraintRows& out) const override {
      std::fill_n(out.A, nv, 0.0);
      out.A[0] = 1.0, out.bias[0] = 0.0;
    }
    int nv;
  };
  Mechanism m_;
  double from_, until_;
};

TEST(Events, AConstraintThatComesTakesEnergyAndOneThatGoesTakesNone) {
  Builder b("double pendulum");
  for (const char* name : {"upper", "lower"})
    b.body({.name = name, .inertia = Inertia<double>::from_com(1.0, {0, 0, -0.5}, Matrix3<double>::Identity() * 0.1)});
  b.joint({.name = "a", .type = "revolute", .parent = kWorld, .child = "upper", .axis = {0, 1, 0}});
  const Pose down(Vector3<double>(0, 0, -1));
  b.joint({.name = "b", .type = "revolute", .parent = "upper", .child = "lower", .X_PF = down, .axis = {0, 1, 0}});
  const Mechanism m = b.build();
  Simulator run(m, {std::make_shared<Brake>(m, 0.5, 1.25)}, {}, {.integrator = {.tolerance = 1e-12}});
  run.reset(Eigen::Vector2d(1.0, -0.4), Eigen::Vector2d::Zero());
  run.advance(0.5);
  const double held_at = run.q()[0];
  run.advance(1.25);
  EXPECT_NEAR(run.q()[0], held_at, 1e-12);
  EXPECT_NEAR(run.v()[0], 0.0, 1e-12);
  run.advance(2.0);
  EXPECT_GT(std::abs(run.v()[0]), 0.1);
  ASSERT_EQ(run.events().size(), 2u);
  EXPECT_GT(run.events()[0].lost, 0.1);
  EXPECT_NEAR(run.events()[1].lost, 0.0, 1e-14);
  const Ledger books = run.ledger();
  EXPECT_LT(std::abs(books.residual()), 1e-10 * books.exchanged);
}

}  // namespace
}  // namespace amble
