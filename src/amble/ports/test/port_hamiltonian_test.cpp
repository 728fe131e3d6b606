#include "amble/ports/port_hamiltonian.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/base/test/random_numbers.hpp"
#include "amble/dynamics/coordinates/hamiltonian.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "amble/ports/dirac.hpp"

namespace amble {
namespace {

Eigen::MatrixXd random_matrix(Random& random, int rows, int cols) {
  return random_numbers(random, rows * cols, -1.0, 1.0).reshaped(rows, cols);
}

/// Any linear system with that many states and ports; strictly proper when asked.
LinearPortHamiltonian random_system(Random& random, int n, int p, bool proper) {
  const Eigen::MatrixXd a = random_matrix(random, n, n), b = random_matrix(random, n, n), c = random_matrix(random, n, n);
  const Eigen::MatrixXd d = random_matrix(random, p, p), e = random_matrix(random, p, p);
  LinearPortHamiltonian out{.Q = a * a.transpose(), .J = b - b.transpose(), .R = c * c.transpose(), .g = random_matrix(random, n, p)};
  if (!proper) out.K = d - d.transpose(), out.S = e * e.transpose();
  return out;
}

PortHamiltonianTerms terms_of(PortHamiltonian& system, const VectorRef& q, const VectorRef& x) {
  PortHamiltonianTerms terms(system.states(), system.ports());
  system.evaluate(q.data(), x.data(), terms);
  return terms;
}

TEST(PortHamiltonian, PowerThatComesInIsStoredOrDissipated) {
  Random random(1);
  const PortHamiltonianPtr system = port_hamiltonian(random_system(random, 5, 2, false));
  const OwnedVector x = random_numbers(random, 5, -1, 1), u = random_numbers(random, 2, -1, 1);
  const PortHamiltonianTerms at = terms_of(*system, OwnedVector(), x);
  EXPECT_NEAR(at.gradient.dot(at.rates(u)) + at.dissipated(u), at.output(u).dot(u), 1e-13);  // DS (B.2)
  EXPECT_GE(at.dissipated(u), 0.0);
  EXPECT_TRUE(check_structure(*system, OwnedVector(), x).passive());
}

/// DS Theorem 2.18 by another way: hamiltonian_rates() sweeps over the links.
TEST(PortHamiltonian, AMechanismIsOne) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const RandomMechanism r = random_mechanism(seed, {.bodies = 1 + static_cast<int>(seed % 5)});
    const Mechanism& m = r.mechanism;
    Random random(seed);
    const OwnedVector q = m.random(random), p = random_numbers(random, m.nv(), -1, 1), tau = random_numbers(random, m.nv(), -1, 1);
    const PortHamiltonianPtr system = port_hamiltonian(m);
    Workspace work(m);
    const HamiltonianRates rates = hamiltonian_rates(m, work, q, p, tau);
    OwnedVector expected(2 * m.nv());
    expected << rates.v, rates.pdot;
    const PortHamiltonianTerms at = terms_of(*system, q, p);
    EXPECT_LT((at.rates(tau) - expected).norm(), 1e-10 * (1.0 + expected.norm())) << "seed " << seed;
    EXPECT_NEAR(at.energy, hamiltonian(m, work, q, p), 1e-12 * (1.0 + std::abs(at.energy)));
    EXPECT_TRUE(check_structure(*system, q, p).passive(1e-5)) << "seed " << seed;
  }
}

/// u1 = u - y2 and u2 = y1, written out for the two systems.
TEST(PortHamiltonian, TwoConnectedAreOneWithTheSumOfTheirEnergies) {
  Random random(3);
  const PortHamiltonianPtr one = port_hamiltonian(random_system(random, 4, 3, true));
  const PortHamiltonianPtr two = port_hamiltonian(random_system(random, 3, 2, false));
  const PortHamiltonianPtr both = interconnect(one, {2, 0}, two, {0, 1});
  const OwnedVector x = random_numbers(random, 7, -1, 1), u = random_numbers(random, 3, -1, 1);
  const PortHamiltonianTerms a = terms_of(*one, OwnedVector(), x.head(4)), b = terms_of(*two, OwnedVector(), x.tail(3));
  const OwnedVector y1 = a.output(u);
  const OwnedVector u2 = Eigen::Vector2d(y1[2], y1[0]), y2 = b.output(u2);
  OwnedVector u1 = u;
  u1[2] -= y2[0], u1[0] -= y2[1];
  OwnedVector expected(7);
  expected << a.rates(u1), b.rates(u2);
  const PortHamiltonianTerms at = terms_of(*both, OwnedVector(), x);
  EXPECT_LT((at.rates(u) - expected).norm(), 1e-13);
  EXPECT_LT((at.output(u) - y1).norm(), 1e-13);
  EXPECT_NEAR(at.energy, a.energy + b.energy, 1e-14);
  EXPECT_NEAR(at.dissipated(u), a.dissipated(u1) + b.dissipated(u2), 1e-13);
  EXPECT_TRUE(check_structure(*both, OwnedVector(), x).passive());
}

TEST(PortHamiltonian, WhatCannotBeOneIsRefused) {
  const OwnedMatrix one = Eigen::MatrixXd::Identity(1, 1), two = Eigen::MatrixXd::Identity(2, 2);
  EXPECT_NE(message_of([&] { port_hamiltonian({.Q = two, .J = two}); }).find("skew"), std::string::npos);
  EXPECT_NE(message_of([&] { port_hamiltonian({.Q = one, .R = -1.0 * one}); }).find("make energy"), std::string::npos);
  EXPECT_NE(message_of([&] { port_hamiltonian({.Q = two, .R = one}); }).find("1 x 1: expected 2 x 2"), std::string::npos);
  const PortHamiltonianPtr resistor = port_hamiltonian({.Q = one, .g = one, .S = one});
  EXPECT_NE(message_of([&] { interconnect(resistor, {1}, resistor, {0}); }).find("port 1"), std::string::npos);
  const PortHamiltonianPtr loop = interconnect(resistor, {0}, resistor, {0});
  EXPECT_NE(message_of([&] { terms_of(*loop, OwnedVector(), Eigen::Vector2d(1, 1)); }).find("algebraic loop"), std::string::npos);
}

TEST(PortHamiltonian, ALawWithAWrongGradientIsFoundOut) {
  const PortHamiltonianPtr wrong = port_hamiltonian(1, 0, [](const VectorRef& x, PortHamiltonianTerms& out) {
    out.energy = x[0] * x[0], out.gradient[0] = x[0];
  });
  EXPECT_FALSE(check_structure(*wrong, OwnedVector(), Eigen::VectorXd::Ones(1)).passive());
}

TEST(Dirac, TheStructureOfASystemConservesPowerAndGivesItsRates) {
  Random random(5);
  const PortHamiltonianPtr system = port_hamiltonian(random_system(random, 4, 2, false));
  const OwnedVector x = random_numbers(random, 4, -1, 1), u = random_numbers(random, 2, -1, 1);
  const PortHamiltonianTerms at = terms_of(*system, OwnedVector(), x);
  const DiracStructure structure = dirac_structure(at);
  EXPECT_LT(dirac_defect(structure).power, 1e-14);
  EXPECT_EQ(dirac_defect(structure).rank, 0);
  const DiracSolution solution = solve(structure, at.gradient, resistance(at), u);
  EXPECT_LT((solution.xdot - at.rates(u)).norm(), 1e-12);
  EXPECT_LT((solution.y - at.output(u)).norm(), 1e-12);
}

/// Joined ports share their effort: the second gives what is taken from the first.
TEST(Dirac, JoinedStructuresAreAStructureAndMoveAsTheSystemsDo) {
  Random random(6);
  const PortHamiltonianPtr one = port_hamiltonian(random_system(random, 4, 2, false));
  LinearPortHamiltonian load = random_system(random, 3, 1, false);
  const PortHamiltonianPtr two = port_hamiltonian(load);
  const OwnedVector x = random_numbers(random, 7, -1, 1);
  const PortHamiltonianTerms a = terms_of(*one, OwnedVector(), x.head(4)), b = terms_of(*two, OwnedVector(), x.tail(3));
  const DiracStructure both = compose(dirac_structure(a), {1}, dirac_structure(b), {0});
  EXPECT_LT(dirac_defect(both).power, 1e-13);
  EXPECT_EQ(dirac_defect(both).rank, 0);
  EXPECT_EQ(both.storage, 7);
  EXPECT_EQ(both.open, 1);

  // y1 = y2 and u1 = -u2 fix the flow f through the joint.
  const double u = 0.7, Da = (a.K + a.S)(1, 1), Db = (b.K + b.S)(0, 0);
  const double ea = a.output(Eigen::Vector2d(u, 0.0))[1], eb = b.output(Eigen::VectorXd::Zero(1))[0];
  const double f = (eb - ea) / (Da + Db);
  OwnedVector expected(7), gradient(7);
  expected << a.rates(Eigen::Vector2d(u, f)), b.rates(Eigen::VectorXd::Constant(1, -f));
  gradient << a.gradient, b.gradient;
  OwnedMatrix R(both.resistive, both.resistive);
  R.topLeftCorner(6, 6) = resistance(a), R.bottomRightCorner(4, 4) = resistance(b);
  const DiracSolution solution = solve(both, gradient, R, Eigen::VectorXd::Constant(1, u));
  EXPECT_LT((solution.xdot - expected).norm(), 1e-11);
}

}  // namespace
}  // namespace amble
