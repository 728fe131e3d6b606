#include "amble/ports/bonds/bond_equations.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/ports/bonds/test/graphs.hpp"

namespace amble {
namespace {

std::string text_of(const BondGraphBuilder& b) { return equations_text(BondEquations(b.build())); }

/// Power in minus power out, and what storage gains: zero for every graph.
double imbalance(BondEquations& e) {
  double sum = 0.0;
  for (std::size_t i = 0; i < e.powered().size(); ++i) sum += e.power(i).delivered;
  return sum;
}

TEST(BondEquations, OfTheSeriesCircuitReadAsAStudentWritesThem) {
  const std::string text = text_of(series_circuit());
  EXPECT_NE(text.find("  lambda' = u - R*lambda/L - charge/C\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  charge' = lambda/L\n"), std::string::npos) << text;
  EXPECT_NE(text.find("H = lambda^2/(2*L) + charge^2/(2*C)"), std::string::npos) << text;
  EXPECT_NE(text.find("lambda       I 'coil', V s, 0 at first"), std::string::npos) << text;
}

TEST(BondEquations, GearedInertiasMoveAsOne) {
  const BondGraph g = geared_inertias().build();
  BondEquations e(g);
  ASSERT_EQ(e.size(), 1);
  EXPECT_TRUE(e.system().unknowns.empty());  // solved in closed form
  const double J1 = 0.3, J2 = 2.0, n = 4.0, torque = 1.5;
  const Eigen::VectorXd p = Eigen::VectorXd::Constant(1, 0.06);
  EXPECT_NEAR(e.rates_at(0.0, p)[0], J1 * torque / (J1 + J2 / (n * n)), 1e-14);
  EXPECT_NEAR(e.value("load.f"), 0.06 / J1 / n, 1e-15);
  EXPECT_NEAR(e.stored(), 0.5 * (J1 + J2 / (n * n)) * (0.06 / J1) * (0.06 / J1), 1e-15);
  EXPECT_NEAR(imbalance(e), 0.0, 1e-14);
}

TEST(BondEquations, AnInitialValueForStorageThatDependsIsRefused) {
  BondGraphBuilder b = geared_inertias();
  b.element({.name = "third", .type = "I", .value = 1.0, .initial = {2.0}}).bond({.from = "shaft", .to = "third"});
  EXPECT_NE(message_of([&] {
              BondEquations{b.build()};
            }).find("I 'third' is given an initial value, but has none of its own"),
            std::string::npos);
}

TEST(BondEquations, AnAlgebraicLoopIsSolvedAsByHand) {
  BondGraphBuilder b("bridge");
  b.parameter("U", 10.0).parameter("R1", 2.0).parameter("R2", 3.0).parameter("R3", 6.0);
  b.element({.name = "source", .type = "Se", .value = "U"}).element({.name = "upper", .type = "R", .value = "R1"});
  b.element({.name = "lower", .type = "R", .value = "R2"}).element({.name = "side", .type = "R", .value = "R3"});
  b.junction("row", 1).junction("node", 0);
  b.bond({.from = "source", .to = "row"}).bond({.from = "row", .to = "upper"}).bond({.from = "row", .to = "node"});
  b.bond({.from = "node", .to = "lower"}).bond({.from = "node", .to = "side"});
  BondEquations e(b.build());
  e.rates_at(0.0, Eigen::VectorXd());
  const double parallel = 3.0 * 6.0 / 9.0, current = 10.0 / (2.0 + parallel);
  EXPECT_NEAR(e.value("source.f"), current, 1e-15);
  EXPECT_NEAR(e.value("side.f"), current * parallel / 6.0, 1e-15);
  EXPECT_NEAR(e.value("node.e"), current * parallel, 1e-15);
  EXPECT_NEAR(e.power(1).dissipated + e.power(2).dissipated + e.power(3).dissipated, 10.0 * current, 1e-13);
}

/// Two diodes and a resistor in a row: exp laws used backwards, found by Newton's method.
TEST(BondEquations, NonlinearLoopsAreSolvedToRounding) {
  BondGraphBuilder b("diodes");
  b.parameter("Is", 1e-9).parameter("Vt", 0.025).parameter("U", 5.0).parameter("R", 100.0);
  b.element({.name = "source", .type = "Se", .value = "U"}).element({.name = "resistor", .type = "R", .value = "R"});
  b.element({.name = "one", .type = "R", .law = "flow", .value = "Is*(exp(e/Vt) - 1)"});
  b.element({.name = "two", .type = "R", .law = "flow", .value = "2*Is*(exp(e/Vt) - 1)"});
  b.junction("row", 1).bond({.from = "source", .to = "row"});
  for (const char* to : {"resistor", "one", "two"}) b.bond({.from = "row", .to = to});
  BondEquations e(b.build());
  e.rates_at(0.0, Eigen::VectorXd());
  const double i = e.value("source.f"), u1 = 0.025 * std::log1p(i / 1e-9), u2 = 0.025 * std::log1p(i / 2e-9);
  EXPECT_GT(i, 0.03);
  EXPECT_NEAR(100.0 * i + u1 + u2, 5.0, 1e-12);
  EXPECT_NEAR(e.value("one.e"), u1, 1e-12);
}

TEST(BondEquations, EquationsWithoutSolutionSaySo) {
  BondGraphBuilder b("stuck");
  b.element({.name = "source", .type = "Sf", .value = 2.0})
      .element({.name = "valve", .type = "R", .law = "flow", .value = "tanh(e)"});
  b.bond({.from = "source", .to = "valve"});
  BondEquations e(b.build());
  EXPECT_NE(message_of([&] {
              e.rates_at(0.0, Eigen::VectorXd());
            }).find("the equations for source.e of bond graph 'stuck' have no solution"),
            std::string::npos);
}

TEST(BondEquations, ARingThatNothingDrivesIsRefused) {
  BondGraphBuilder b("ring");
  b.junction("a", 0).junction("b", 1).bond({.from = "a", .to = "b"}).bond({.from = "b", .to = "a"});
  EXPECT_NE(message_of([&] { BondEquations{b.build()}; }).find("nothing in bond graph 'ring' determines 'a_b.e'"),
            std::string::npos);
}

TEST(BondEquations, StorageThatFollowsASourceNeedsItsRate) {
  BondGraphBuilder b;
  b.element({.name = "source", .type = "MSe", .value = "sin(3*t)"})
      .element({.name = "capacitor", .type = "C", .value = 0.2});
  b.bond({.from = "source", .to = "capacitor"});
  BondEquations e(b.build());
  e.rates_at(0.4, Eigen::VectorXd());
  EXPECT_NEAR(e.value("capacitor.f"), 0.2 * 3 * std::cos(1.2), 1e-15);
  EXPECT_NEAR(e.stored(), 0.1 * std::pow(std::sin(1.2), 2), 1e-15);
}

/// p = m v/sqrt(1 - v^2) by H = sqrt(m^2 + p^2): the state itself is found by Newton's method.
TEST(BondEquations, NonlinearStorageMayDepend) {
  BondGraphBuilder b("relativity");
  b.parameter("m", 2.0);
  b.element({.name = "push", .type = "Se", .value = 0.7}).junction("j", 1);
  b.element(
      {.name = "slow", .type = "I", .law = "energy", .value = "sqrt(m^2 + p^2)", .states = {"p"}, .initial = {1.0}});
  b.element({.name = "other", .type = "I", .law = "energy", .value = "sqrt(1 + p_other^2)"});
  b.bond({.from = "push", .to = "j"}).bond({.from = "j", .to = "slow"}).bond({.from = "j", .to = "other"});
  BondEquations e(b.build());
  // The same speed: p_other = p / m, so that p' (1 + 1/m) = force.
  EXPECT_NEAR(e.rates_at(0.0, Eigen::VectorXd::Constant(1, 1.0))[0], 0.7 / 1.5, 1e-13);
  EXPECT_NEAR(imbalance(e), 0.0, 1e-14);
}

/// Three dependent masses that are coupled with each other: solved together.
TEST(BondEquations, CoupledDependentStorageIsSolvedTogether) {
  BondGraphBuilder b("masses");
  const double m[] = {1.0, 2.0, 3.0, 0.5}, n[] = {0.0, 2.0, -1.5, 0.7};
  b.element({.name = "force", .type = "MSe", .value = "cos(t)"}).junction("j", 1).bond({.from = "force", .to = "j"});
  b.element({.name = "m0", .type = "I", .value = m[0]}).bond({.from = "j", .to = "m0"});
  double total = m[0];
  for (int i = 1; i < 4; ++i) {
    const std::string mass = "m" + std::to_string(i), gear = "g" + std::to_string(i);
    b.element({.name = mass, .type = "I", .value = m[i]}).element({.name = gear, .type = "TF", .value = n[i]});
    b.bond({.from = "j", .to = gear}).bond({.from = gear, .to = mass});
    total += m[i] * n[i] * n[i];
  }
  BondEquations e(b.build());
  EXPECT_EQ(e.size(), 1);
  EXPECT_NEAR(e.rates_at(0.3, Eigen::VectorXd::Constant(1, 0.2))[0], m[0] * std::cos(0.3) / total, 1e-14);
  EXPECT_NEAR(imbalance(e), 0.0, 1e-14);
}

/// Two coils on one core, in series: of one field of two ports one depends on the other.
TEST(BondEquations, OnePortOfAFieldMayDependOnAnother) {
  const double L1 = 0.3, L2 = 0.5, M = 0.2, u = 4.0, current = 1.5;
  BondGraphBuilder b("transformer in series");
  b.element({.name = "source", .type = "Se", .value = u}).junction("loop", 1).bond({.from = "source", .to = "loop"});
  b.element({.name = "coils", .type = "I", .value = BondValue::matrix({{L1, M}, {M, L2}})});
  b.bond({.from = "loop", .to = "coils"}).bond({.from = "loop", .to = "coils"});
  BondEquations e(b.build());
  ASSERT_EQ(e.state_names(), std::vector<std::string>{"p_coils_1"});
  const OwnedVector rate = e.rates_at(0.0, Eigen::VectorXd::Constant(1, (L1 + M) * current));
  EXPECT_NEAR(rate[0], (L1 + M) * u / (L1 + L2 + 2 * M), 1e-14);
  EXPECT_NEAR(e.value("source.f"), current, 1e-14);
  EXPECT_NEAR(e.stored(), 0.5 * (L1 + L2 + 2 * M) * current * current, 1e-14);
  EXPECT_NEAR(imbalance(e), 0.0, 1e-14);
}

/// A free rigid body: I of three dimensions, and the gyrator of one bond that turns its momentum.
TEST(BondEquations, AOnePortGyratorMakesEulersEquations) {
  BondGraphBuilder b("rigid body");
  b.element({.name = "body",
             .type = "I",
             .value = BondValue::matrix({{2.0, 0.1, 0.0}, {0.1, 3.0, 0.2}, {0.0, 0.2, 1.0}}),
             .states = {"h1", "h2", "h3"}});
  b.element({.name = "turn",
             .type = "MGY",
             .value = BondValue::matrix({{0.0, "h3", "-h2"}, {"-h3", 0.0, "h1"}, {"h2", "-h1", 0.0}})});
  b.junction("j", 1, "rotation")
      .bond({.from = "j", .to = "body", .dimension = 3})
      .bond({.from = "j", .to = "turn", .dimension = 3});
  BondEquations e(b.build());
  Eigen::Matrix3d I;
  I << 2.0, 0.1, 0.0, 0.1, 3.0, 0.2, 0.0, 0.2, 1.0;
  const Eigen::Vector3d h(0.4, -1.1, 0.9), omega = I.inverse() * h;
  EXPECT_LT((e.rates_at(0.0, h) - h.cross(omega)).norm(), 1e-14);
  EXPECT_NEAR(e.stored(), 0.5 * h.dot(omega), 1e-14);
}

/// An electromagnet: one energy of flux and gap, the efforts and flows its partial derivatives.
TEST(BondEquations, AFieldOfTwoDomainsGivesForceAndCurrent) {
  BondGraphBuilder b("magnet");
  b.parameter("k", 0.02).parameter("d", 0.01);
  b.element({.name = "magnet",
             .type = "IC",
             .value = "flux^2*(d + gap)/(2*k)",
             .states = {"flux", "gap"},
             .initial = {0.1, 0.05},
             .ports = {"I", "C"}});
  b.element({.name = "source", .type = "Se", .value = 12.0}).element({.name = "winding", .type = "R", .value = 4.0});
  b.element({.name = "armature", .type = "I", .value = 0.3, .states = {"p"}, .initial = {0.02}});
  b.junction("coil", 1, "electrical").junction("move", 1, "translation");
  b.bond({.from = "source", .to = "coil"})
      .bond({.from = "coil", .to = "winding"})
      .bond({.from = "coil", .to = "magnet"});
  b.bond({.from = "move", .to = "magnet"}).bond({.from = "move", .to = "armature"});
  BondEquations e(b.build());
  ASSERT_EQ(e.state_names(), (std::vector<std::string>{"flux", "gap", "p"}));
  const double current = 0.1 * 0.06 / 0.02, force = 0.1 * 0.1 / 0.04;
  const OwnedVector rates = e.rates_at(0.0, e.initial());
  EXPECT_NEAR(rates[0], 12.0 - 4.0 * current, 1e-13);
  EXPECT_NEAR(rates[1], 0.02 / 0.3, 1e-15);
  EXPECT_NEAR(rates[2], -force, 1e-14);
  EXPECT_NEAR(imbalance(e), 0.0, 1e-13);
}

TEST(BondEquations, MatricesJAndRAndGOfTheSeriesCircuit) {
  const PortHamiltonianMatrices m = port_hamiltonian_matrices(series_circuit().build());
  Eigen::Matrix2d J, R;
  J << 0, -1, 1, 0;
  R << 2, 0, 0, 0;
  EXPECT_LT((m.interconnection - J).norm() + (m.dissipation - R).norm(), 1e-15);
  EXPECT_LT((m.input - Eigen::Vector2d(1, 0)).norm(), 1e-15);
  EXPECT_EQ(m.sources, std::vector<std::string>{"source.e"});
}

/// With dependent storage and a loop of resistors: J skew, R at least zero, and (J - R) dH/dx + g u is the rate.
TEST(BondEquations, MatricesGiveTheRatesOfALinearGraph) {
  BondGraphBuilder b = geared_inertias();
  b.element({.name = "spring", .type = "C", .law = "stiffness", .value = 7.0, .states = {"angle"}, .initial = {0.3}});
  b.element({.name = "rub1", .type = "R", .value = 0.4})
      .element({.name = "rub2", .type = "R", .value = 0.9})
      .junction("slip", 0);
  b.element({.name = "tail", .type = "R", .value = 2.0}).junction("more", 1);
  b.bond({.from = "shaft", .to = "slip"}).bond({.from = "slip", .to = "rub1"}).bond({.from = "slip", .to = "more"});
  b.bond({.from = "more", .to = "rub2"}).bond({.from = "more", .to = "tail"}).bond({.from = "shaft", .to = "spring"});
  const BondGraph g = b.build();
  const PortHamiltonianMatrices m = port_hamiltonian_matrices(g);
  EXPECT_LT((m.interconnection + m.interconnection.transpose()).norm(), 1e-14);
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(m.dissipation).eigenvalues().minCoeff(), -1e-14);
  BondEquations e(g);
  const Eigen::VectorXd x = e.initial(), u = Eigen::VectorXd::Constant(1, 1.5);
  const Eigen::VectorXd rate = (m.interconnection - m.dissipation) * m.energy_hessian * x + m.input * u;
  EXPECT_LT((rate - e.rates_at(0.0, x)).norm(), 1e-13);
  EXPECT_NEAR(0.5 * x.dot(m.energy_hessian * x), e.stored(), 1e-14);
  EXPECT_NEAR((m.input.transpose() * m.energy_hessian * x)(0), e.value("drive.f"), 1e-14);
}

TEST(BondEquations, MatricesOfWhatIsNotLinearAreRefused) {
  BondGraphBuilder b = series_circuit();
  b.element({.name = "x", .type = "R", .law = "effort", .value = "f^3"}).bond({.from = "loop", .to = "x"});
  EXPECT_NE(message_of([&] { port_hamiltonian_matrices(b.build()); }).find("is not linear"), std::string::npos);
}

TEST(BondEquations, AnUnknownQuantityIsNamedWithTheNearest) {
  BondEquations e(series_circuit().build());
  e.rates_at(0.0, e.initial());
  EXPECT_EQ(message_of([&] { e.value("coil.g"); }),
            "bond graph 'series circuit' has no quantity 'coil.g' (did you mean 'coil.e'?)");
  EXPECT_EQ(message_of([&] { e.rates_at(0.0, Eigen::VectorXd::Zero(3)); }),
            "the state has 3 numbers, but bond graph 'series circuit' has 2");
}

/// Laws that no formula says, here a valve with a square root on both sides; backwards too, by differences.
TEST(BondEquations, FunctionsOfOnesOwnMayBeLawsButNotEnergies) {
  const auto valve = std::make_shared<ExpressionFunction>(ExpressionFunction{
      "valve", [](std::span<const double> x) { return std::copysign(std::sqrt(std::abs(x[0])), x[0]); }});
  const auto with = [&](const char* source, const char* law) {
    BondGraphBuilder b("valve");
    b.element({.name = "pump", .type = source, .value = 1.3});
    b.element(
        {.name = "valve", .type = "R", .law = law, .value = Expression::call(valve, {law[0] == 'f' ? "e" : "f"})});
    return b.bond({.from = "pump", .to = "valve"});
  };
  BondEquations forwards(with("Se", "flow").build()), backwards(with("Sf", "flow").build());
  forwards.rates_at(0.0, Eigen::VectorXd()), backwards.rates_at(0.0, Eigen::VectorXd());
  EXPECT_NEAR(forwards.value("valve.f"), std::sqrt(1.3), 1e-15);
  EXPECT_NEAR(backwards.value("valve.e"), 1.3 * 1.3, 1e-12);
  BondGraphBuilder b("store");
  b.element({.name = "store", .type = "C", .law = "energy", .value = Expression::call(valve, {"q_store"})});
  b.element({.name = "pump", .type = "Sf", .value = 1.0}).bond({.from = "pump", .to = "store"});
  EXPECT_NE(message_of([&] { b.build(); }).find("its energy uses a function without derivatives"), std::string::npos);
}

/// A resistor that is modulated by a flow elsewhere: the signal closes a loop that is found and solved.
TEST(BondEquations, SignalsOfEffortsAndFlowsMayCloseLoops) {
  BondGraphBuilder b = series_circuit();
  b.element({.name = "shunt", .type = "MR", .law = "conductance", .value = "0.5 + 0.1*supply^2"}).junction("node", 0);
  b.element({.name = "supply2", .type = "Sf", .value = 3.0}).element({.name = "other", .type = "R", .value = 1.5});
  b.signal({.name = "supply", .value = "other.f"});
  b.bond({.from = "supply2", .to = "node"})
      .bond({.from = "node", .to = "shunt"})
      .bond({.from = "node", .to = "other"});
  BondEquations e(b.build());
  e.rates_at(0.0, e.initial());
  const double i = e.value("other.f"), u = 1.5 * i;
  EXPECT_NEAR((0.5 + 0.1 * i * i) * u + i, 3.0, 1e-13);
  EXPECT_NEAR(e.value("shunt.f"), 3.0 - i, 1e-13);
}

}  // namespace
}  // namespace amble
