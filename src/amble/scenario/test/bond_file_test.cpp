#include "amble/base/test/source_dir.hpp"
#include "amble/scenario/bond_file.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "amble/base/test/message_of.hpp"
#include "amble/constraints/closed_mechanisms.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/ports/bonds/bond_equations.hpp"
#include "amble/simulation/motion_flows.hpp"
#include "amble/simulation/rkmk.hpp"

namespace amble {
namespace {

BondFile example(const std::string& name) {
  return load_bond_file(source_dir() + "/scenarios/bonds/" + name + ".toml");
}

std::string refusal(const std::string& text) {
  return message_of([&] { read_bond_file(text, "graph.toml"); });
}

constexpr const char* kSmall = R"(
[parameters]
b = "2*a"
a = 1.5
[[element]]
name = "source"
type = "Se"
effort = "b"
[[element]]
name = "mass"
type = "I"
inertance = 2
[[bond]]
from = "source"
to = "mass"
)";

TEST(BondFile, IsReadWithParametersInAnyOrder) {
  const BondFile f = read_bond_file(kSmall, "graph.toml");
  EXPECT_DOUBLE_EQ(f.graph.parameters().at("b"), 3.0);
  EXPECT_FALSE(f.simulation);
  BondEquations e(f.graph);
  EXPECT_DOUBLE_EQ(e.rates_at(0.0, e.initial())[0], 3.0);
}

TEST(BondFile, VectorsAndMatricesAreRead) {
  const BondFile f = read_bond_file(R"(
[[element]]
name = "push"
type = "Se"
effort = [1, "t"]
[[element]]
name = "body"
type = "I"
inertance = [[2, 0.5], [0.5, 1]]
initial = [0.1, 0.2]
[[bond]]
from = "push"
to = "body"
dimension = 2
)",
                                    "graph.toml");
  BondEquations e(f.graph);
  const OwnedVector rates = e.rates_at(3.0, e.initial());
  EXPECT_DOUBLE_EQ(rates[0], 1.0);
  EXPECT_DOUBLE_EQ(rates[1], 3.0);
  EXPECT_NEAR(e.value("body.f1"), (0.1 - 0.5 * 0.2) / 1.75, 1e-15);
}

TEST(BondFile, ProblemsNameTheFileTheLineAndTheNearestKey) {
  EXPECT_EQ(refusal(std::string(kSmall) + "dimensoin = 2\n"),
            "graph.toml:16: 'bond[0].dimensoin': is not a key that is known here (did you mean 'dimension'?)");
  EXPECT_NE(
      refusal("[[element]]\nname = 'x'\ntype = 'R'\nresistence = 1")
          .find(
              "graph.toml:4: 'element[0].resistence': is not a key that is known here (did you mean 'resistance'?)"),
      std::string::npos);
  EXPECT_NE(refusal("[[element]]\nname = 'x'\ntype = 'R'\nresistance = '1 +'")
                .find("graph.toml:4: 'element[0].resistance': expression '1 +', character 4: it ends too early"),
            std::string::npos);
  EXPECT_NE(refusal("[[element]]\nname = 'x'\ntype = 'R'\nresistance = 1\nconductance = 1")
                .find("'element[0].conductance': is given beside 'resistance'"),
            std::string::npos);
  EXPECT_NE(refusal("[parameters]\na = 'b'\nb = 'a'").find("'parameters.a': is made of itself"), std::string::npos);
  EXPECT_NE(refusal("[parameters]\na = 'c'").find("'parameters.a': parameter 'a' = c: 'c' has no value"),
            std::string::npos);
  EXPECT_NE(refusal("[[element]]\nname = 'x'\ntype = 'mechanism'\nmodel = 'nowhere.urdf'").find("nowhere.urdf"),
            std::string::npos);
  EXPECT_NE(refusal("[[signal]]\nname = 'x'\n").find("'signal[0].value': or 'rate' is needed"), std::string::npos);
  EXPECT_NE(refusal("[simulation]\nduration = -1").find("'simulation.duration': is -1 s, expected more than 0"),
            std::string::npos);
  EXPECT_NE(refusal("name = ").find("graph.toml:1:"), std::string::npos);
}

TEST(BondFile, WhatTheBuilderRefusesNamesTheFile) {
  std::string text = kSmall;
  text.replace(text.find("inertance = 2"), 13, "inertance = 0");
  EXPECT_EQ(refusal(text), "graph.toml: I 'mass': its inertance 0 must be above zero");
  EXPECT_NE(refusal("[[element]]\nname = 'x'\ntype = 'MI'\ninertance = 1")
                .find("graph.toml: element 'x': is a modulated storage element"),
            std::string::npos);
  EXPECT_NE(refusal("[[element]]\nname = 'x'\ntype = 'Z'\nfoo = 1").find("is of type 'Z': expected"),
            std::string::npos);
}

TEST(BondFile, EveryExampleRunsAndItsBooksClose) {
  for (const char* name : {"rlc", "battery_motor_joint", "snakeboard", "hydraulic_brake"}) {
    const BondFile f = example(name);
    ASSERT_TRUE(f.simulation) << name;
    BondFileRun run(f, *f.simulation);
    EXPECT_TRUE(run.run()) << name;
    EXPECT_EQ(run.record().t.back(), f.simulation->duration);
    EXPECT_EQ(run.record().values.cols(), static_cast<Eigen::Index>(f.simulation->record.size()));
    const Ledger books = run.simulator().ledger();
    EXPECT_LT(std::abs(books.residual()), 1e-10 * books.exchanged) << name;
    EXPECT_LT(run.simulator().largest_gap(), 1e-10 * books.exchanged) << name;
  }
}

TEST(BondFile, TheMotorOfTheExampleEqualsTheCoupledEquations) {
  const BondFile f = example("battery_motor_joint");
  const Mechanism& m = *f.graph.mechanism()->mechanism;
  BondEquations e(f.graph);
  const double R = 0.6, L = 1.2e-4, k = 0.0302, n = 66.0, b = 5e-6, i = 2.5, t = 0.2;
  const Eigen::Vector2d q(0.3, -0.2), v(0.7, -0.4);
  const double lambda = L * i;
  e.evaluate({.t = t, .x = &lambda, .q = q.data(), .v = v.data()});
  EXPECT_NEAR(e.rates()[0], 24.0 * std::cos(3.0 * t) - R * i - k * n * v[0], 1e-12);
  EXPECT_NEAR(e.tau()[m.v_slice("shoulder").start], n * (k * i - b * n * v[0]), 1e-13);
  EXPECT_EQ(e.tau()[m.v_slice("elbow").start], 0.0);
}

/// The file's snakeboard against the mechanism and its knife edges.
TEST(BondFile, TheSnakeboardOfTheExampleMovesAsTheMechanism) {
  const BondFile f = example("snakeboard");
  BondFileRun run(f, {.duration = 5.0, .tolerance = 1e-13, .record = {"x", "y", "theta", "psi", "phi"}});
  EXPECT_TRUE(run.run());
  const BondRecord record = run.record();
  const ConstrainedMechanism board = snakeboard();
  const Drive u = [](double t, const OwnedVector&, const OwnedVector&, OwnedVector& tau) {
    tau[3] = -1.5 * std::sin(4 * t), tau[4] = -0.1 * 0.4 * 16 * std::sin(4 * t);
  };
  ConstrainedFlow flow(ConstrainedDynamics(board.mechanism, board.constraints), u);
  MuntheKaasIntegrator full(flow, {.tolerance = 1e-13});
  OwnedVector v(5);
  v[4] = 1.6;
  full.set_state(0.0, board.q, v);
  full.run(5.0);
  EXPECT_LT((record.values.row(record.values.rows() - 1).transpose() - full.q()).norm(), 1e-9);
  EXPECT_GT(full.q().head(2).norm(), 0.5);
}

TEST(BondFile, HeatOfTheRamIsWhatBrakeAndThrottleLose) {
  const BondFile f = example("hydraulic_brake");
  BondFileRun run(f, *f.simulation);
  const double before = run.simulator().energy();
  run.run();
  const Ledger books = run.simulator().ledger();
  double supplied = 0.0;
  for (const LedgerEntry& e : books.entries) supplied += e.supplied;
  EXPECT_NEAR(run.simulator().energy() - before, supplied, 1e-9 * books.exchanged);
  EXPECT_GT(run.simulator().value("oil.e"), 293.15);
  EXPECT_GT(run.simulator().value("wall.f"), 0.0);
}

TEST(BondFile, AQuantityThatIsNotThereIsToldBeforeTheRun) {
  const BondFile f = read_bond_file(kSmall, "graph.toml");
  EXPECT_NE(message_of([&] {
              BondFileRun(f, {.record = {"mas.f"}});
            }).find("has no quantity 'mas.f' (did you mean 'mass.f'?)"),
            std::string::npos);
}

}  // namespace
}  // namespace amble
