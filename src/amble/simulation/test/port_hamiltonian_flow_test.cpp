#include "amble/simulation/port_hamiltonian_flow.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "amble/base/test/random_numbers.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "amble/simulation/motion_flows.hpp"
#include "amble/simulation/port_flow.hpp"
#include "amble/simulation/rkmk.hpp"

namespace amble {
namespace {

const OwnedMatrix kOne = Eigen::MatrixXd::Identity(1, 1);

TEST(PortHamiltonianFlow, AMechanismMovesAsItDoesByItsVelocities) {
  const RandomMechanism r = random_mechanism(11, {.bodies = 4});
  const Mechanism& m = r.mechanism;
  Random random(11);
  const OwnedVector q = m.random(random), v = random_numbers(random, m.nv(), -1, 1);
  Workspace work(m);
  const OwnedVector p = mass_matrix(m, work, q) * v, push = random_numbers(random, m.nv(), -1, 1);
  PortHamiltonianFlow flow(port_hamiltonian(m), [&](double t, OwnedVector& u) { u = std::sin(t) * push; });
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-12});
  run.set_state(0.0, q, flow.start(p));
  const double initial = flow.energy(run.q(), run.x());
  run.run(1.5);
  VelocityFlow other(m, [&](double t, const OwnedVector&, const OwnedVector&, OwnedVector& tau) { tau = std::sin(t) * push; });
  MuntheKaasIntegrator check(other, {.tolerance = 1e-12});
  check.set_state(0.0, q, v);
  check.run(1.5);
  EXPECT_LT(m.difference(run.q(), check.q()).norm(), 1e-9);
  const Ledger books = flow.ledger(run.q(), run.x(), initial);
  EXPECT_LT(std::abs(books.residual()), 1e-10 * books.exchanged);
}

/// L i' = u - R i: the current that a steady voltage drives.
TEST(PortHamiltonianFlow, ACoilFillsAsTheClosedFormSays) {
  const double L = 0.3, R = 2.0, u = 5.0;
  PortHamiltonianFlow flow(port_hamiltonian({.Q = kOne / L, .R = R * kOne, .g = kOne}),
                           [&](double, OwnedVector& input) { input[0] = u; });
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-12});
  run.set_state(0.0, OwnedVector(), flow.start(Eigen::VectorXd::Zero(1)));
  run.run(0.4);
  EXPECT_NEAR(run.x()[0] / L, u / R * (1.0 - std::exp(-0.4 * R / L)), 1e-11);
  EXPECT_NEAR(flow.ledger(OwnedVector(), run.x(), 0.0).residual(), 0.0, 1e-11);
}

/// A system on a joint as an element, and connected to the mechanism by DS (B.5): one motion.
TEST(PortHamiltonianFlow, AnElementIsAnInterconnection) {
  const RandomMechanism r = random_mechanism(4, {.bodies = 3});
  const Mechanism& m = r.mechanism;
  Random random(4);
  const OwnedVector q = m.random(random), v = random_numbers(random, m.nv(), -1, 1);
  const LinearPortHamiltonian spring{.Q = 8.0 * kOne, .g = kOne, .S = 0.4 * kOne};  // with a damper beside it
  const int joint = m.nv() - 1;

  const ElementPtr element = port_element("spring", port_hamiltonian(spring), {joint}, Eigen::VectorXd::Constant(1, 0.2));
  PortFlow attached(m, {element}, {});
  MuntheKaasIntegrator one(attached, {.tolerance = 1e-12});
  one.set_state(0.0, q, attached.start(0.0, q, v));
  const double initial = attached.energy(q, v);
  const OwnedVector stored = attached.stored(0.0, q, one.x());
  one.run(1.0);
  const Ledger books = attached.ledger(1.0, one.q(), one.x(), initial, stored);
  EXPECT_LT(std::abs(books.residual()), 1e-9);
  EXPECT_LT(std::abs(books.entries[0].gap()), 1e-10);
  EXPECT_GT(books.entries[0].dissipated, 0.01);

  Workspace work(m);
  PortHamiltonianFlow flow(interconnect(port_hamiltonian(m), {joint}, port_hamiltonian(spring), {0}));
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-12});
  OwnedVector start(m.nv() + 1);
  start << mass_matrix(m, work, q) * v, 0.2;
  run.set_state(0.0, q, flow.start(start));
  run.run(1.0);
  EXPECT_LT(m.difference(run.q(), one.q()).norm(), 1e-9);
}

}  // namespace
}  // namespace amble
