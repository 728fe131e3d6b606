#include "amble/dynamics/coordinates/hamiltonian.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "amble/base/test/message_of.hpp"
#include "amble/dynamics/coordinates/boltzmann_hamel.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/dynamics/test/random_state.hpp"

namespace amble {
namespace {

constexpr int kSeeds = 200;

Eigen::VectorXd momenta_of(const RandomState& s, Workspace& work) { return mass_matrix(s.m, work, s.q) * s.v; }

double scale(const Eigen::VectorXd& x) { return 1.0 + x.cwiseAbs().maxCoeff(); }

TEST(Hamiltonian, MomentaAndVelocitiesAreTheMassMatrixAndItsInverse) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const RandomState s = any_state(seed);
    Workspace work(s.m);
    const Eigen::VectorXd p = momenta_of(s, work);
    EXPECT_LT((momenta(s.m, work, s.q, s.v) - p).cwiseAbs().maxCoeff(), 1e-12 * scale(p)) << "seed " << seed;
    const Eigen::VectorXd v = velocities(s.m, work, s.q, p);
    const Eigen::VectorXd back = mass_matrix(s.m, work, s.q) * v;
    EXPECT_LT((back - p).cwiseAbs().maxCoeff(), 1e-11 * scale(p)) << "seed " << seed;
  }
}

/// dp/dt = M a + (dM/dt) v with the accelerations of forward dynamics.
Eigen::VectorXd rate_by_accelerations(const RandomState& s, Workspace& work, const Eigen::VectorXd& tau,
                                      std::span<const ExternalWrench> external) {
  const Eigen::VectorXd a = forward_dynamics(s.m, work, s.q, s.v, tau, external);
  const Eigen::MatrixXd C = coriolis_matrix(s.m, work, s.q, s.v);
  return mass_matrix(s.m, work, s.q) * a + (C + C.transpose()) * s.v;
}

TEST(Hamiltonian, RatesAreThoseOfTheLagrangianForm) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const RandomState s = any_state(seed);
    Workspace work(s.m);
    const Eigen::VectorXd tau = s.a;
    const ExternalWrench push{0, Wrench<double>({1.0, -2.0, 3.0}, {0.3, 0.1, -0.2})};
    const Eigen::VectorXd expected = rate_by_accelerations(s, work, tau, {&push, 1});
    const Eigen::VectorXd p = momenta_of(s, work);
    const HamiltonianRates rates = hamiltonian_rates(s.m, work, s.q, p, tau, {&push, 1});
    EXPECT_LT((rates.v - s.v).norm(), 1e-9 * scale(s.v)) << "seed " << seed;
    EXPECT_LT((rates.pdot - expected).cwiseAbs().maxCoeff(), 1e-10 * scale(expected)) << "seed " << seed;
  }
}

TEST(Hamiltonian, RatesAreTheTheoremOfTheBookTermByTerm) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const RandomState s = any_state(seed);
    Workspace work(s.m);
    const Eigen::VectorXd p = momenta_of(s, work), tau = s.a;
    const BoltzmannHamel literal = boltzmann_hamel(s.m, work, s.q, p, tau);
    EXPECT_TRUE(literal.S0.isIdentity(1e-15));
    const HamiltonianRates rates = hamiltonian_rates(s.m, work, s.q, p, tau);
    EXPECT_LT((rates.pdot - literal.pdot).cwiseAbs().maxCoeff(), 1e-9 * scale(literal.pdot)) << "seed " << seed;
  }
}

TEST(Hamiltonian, EnergyChangesByThePowerOfTheForcesAlone) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const RandomState s = any_state(seed);
    Workspace work(s.m);
    const Eigen::VectorXd p = momenta_of(s, work), tau = s.a;
    const HamiltonianRates rates = hamiltonian_rates(s.m, work, s.q, p, tau);
    const Eigen::VectorXd v = rates.v, pdot = rates.pdot;
    const double slope = slope_at_zero([&](double t) {
      return hamiltonian(s.m, work, s.m.integrate(s.q, t * v), p + t * pdot);
    }, 2e-4);
    const double energy = hamiltonian(s.m, work, s.q, p);
    EXPECT_NEAR(slope, tau.dot(v), 1e-8 * (1.0 + std::abs(energy))) << "seed " << seed;
  }
}

TEST(Hamiltonian, EnergyIsKineticPlusPotential) {
  const RandomState s = random_state(7);
  Workspace work(s.m);
  const double expected = kinetic_energy(s.m, work, s.q, s.v) + potential_energy(s.m, work, s.q);
  EXPECT_NEAR(hamiltonian(s.m, work, s.q, momenta_of(s, work)), expected, 1e-12 * (1.0 + std::abs(expected)));
}

/// DS Example 2.19: a body in free flight.
TEST(Hamiltonian, MomentumOfAFreeBodyTurnsInTheBodyAndStaysInTheWorld) {
  Builder b("body");
  Random random(3);
  b.body({.name = "body", .inertia = random_inertia(random)});
  b.joint({.name = "free", .type = "free", .parent = kWorld, .child = "body"});
  b.gravity(Vector3<double>::Zero());
  const Mechanism m = b.build();
  const RandomState s = in_motion(m, m.random(4), 4);
  Workspace work(m);
  const Eigen::VectorXd p = momenta_of(s, work), zero = Eigen::VectorXd::Zero(6);
  const Eigen::VectorXd pdot = hamiltonian_rates(m, work, s.q, p, zero).pdot;
  // (2.85) with the linear part first
  const Vector3<double> l = p.head<3>(), k = p.tail<3>(), u = s.v.head<3>(), w = s.v.tail<3>();
  EXPECT_LT((pdot.head<3>() - cross<double>(l, w)).norm(), 1e-14 * scale(p));
  EXPECT_LT((pdot.tail<3>() - cross<double>(k, w) - cross<double>(l, u)).norm(), 1e-14 * scale(p));
  EXPECT_LT(momentum_rates_in_world(m, s.q, s.v, p, pdot).norm(), 1e-14 * scale(p));  // (2.87)
}

TEST(Hamiltonian, MomentaOfAFloatingBaseInWorldAxesAreTheMechanismsOwn) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    RandomState s = random_state(seed, {.bodies = 8, .types = {"free", "spherical", "revolute"}});
    while (s.m.joints()[0].type != "free") s = random_state(seed += 1000, {.bodies = 8, .types = {"free", "revolute"}});
    Workspace work(s.m);
    const Eigen::VectorXd v = s.v, p = momenta_of(s, work) - s.m.armature().cwiseProduct(v);
    const OwnedVector world = momenta_in_world(s.m, s.q, p);
    EXPECT_LT((momenta_in_body(s.m, s.q, world) - p).norm(), 1e-13 * scale(p));
    // Momentum about the world's frame from momentum about the centre of mass.
    Vector6<double> h = momentum(s.m, work, s.q, v);
    h.tail<3>() += cross<double>(center_of_mass(s.m, work, s.q), h.head<3>());
    const Joint& root = s.m.joints()[0];
    const Wrench<double> there = root.X_PF * Pose(root.R_FN) * Wrench<double>(Vector6<double>(world.segment<6>(root.v.start)));
    EXPECT_LT((there.vector() - h).norm(), 1e-12 * scale(h)) << "seed " << seed;
  }
}

TEST(Hamiltonian, RatesInWorldAxesAreTheSlopeOfTheMomentaThere) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const RandomState s = random_state(seed, {.bodies = 6, .types = {"free", "spherical", "universal"}});
    Workspace work(s.m);
    const Eigen::VectorXd p = momenta_of(s, work), zero = Eigen::VectorXd::Zero(s.m.nv());
    const Eigen::VectorXd pdot = hamiltonian_rates(s.m, work, s.q, p, zero).pdot;
    const Eigen::VectorXd slope = slope_at_zero([&](double t) -> Eigen::VectorXd {
      return momenta_in_world(s.m, s.m.integrate(s.q, t * s.v), p + t * pdot);
    });
    EXPECT_LT((slope - momentum_rates_in_world(s.m, s.q, s.v, p, pdot)).norm(), 1e-10 * scale(pdot)) << "seed " << seed;
  }
}

/// Quasi-velocities that mix all joints: the physics must not notice.
TEST(Hamiltonian, BoltzmannHamelEquationsHoldForAnyChoiceOfVelocities) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const RandomState s = any_state(seed);
    Workspace work(s.m);
    const int n = s.m.nv();
    Random random(seed);
    Eigen::MatrixXd mix(n, n);
    for (double& x : mix.reshaped()) x = random.uniform(-1, 1) / n;
    const Eigen::VectorXd swing = Eigen::VectorXd::NullaryExpr(n, [&](Eigen::Index) { return random.uniform(-1, 1); });
    const QuasiVelocities B = [&](const VectorRef& q) -> OwnedMatrix {
      const double phase = swing.dot(s.m.difference(s.q, q));
      return Eigen::MatrixXd(Eigen::MatrixXd::Identity(n, n) + (1.0 + 0.3 * std::sin(phase + 0.5)) * mix);
    };
    const Eigen::MatrixXd B0 = B(s.q);
    const Eigen::VectorXd p = momenta_of(s, work), tau = s.a;
    const Eigen::VectorXd pdot = hamiltonian_rates(s.m, work, s.q, p, tau).pdot;
    const Eigen::MatrixXd inverse_transpose = B0.inverse().transpose();
    // p_w = B^-T p along the motion, differentiated.
    const Eigen::VectorXd expected = slope_at_zero([&](double t) -> Eigen::VectorXd {
      return Eigen::MatrixXd(B(s.m.integrate(s.q, t * s.v))).inverse().transpose() * (p + t * pdot);
    });
    const BoltzmannHamel w = boltzmann_hamel(s.m, work, s.q, inverse_transpose * p, inverse_transpose * tau, B);
    EXPECT_LT((w.w - B0 * s.v).norm(), 1e-8 * scale(s.v)) << "seed " << seed;
    EXPECT_LT((w.pdot - expected).cwiseAbs().maxCoeff(), 1e-8 * scale(expected)) << "seed " << seed;
  }
}

TEST(Hamiltonian, WhereNothingMovesThereAreNoRates) {
  Builder b("stone");
  b.body({.name = "stone", .inertia = Inertia<double>::from_com(2.0, {0, 0, 0}, Matrix3<double>::Identity())});
  const Mechanism m = b.joint({.name = "weld", .type = "fixed", .parent = kWorld, .child = "stone"}).build();
  Workspace work(m);
  const Eigen::VectorXd none(0);
  EXPECT_EQ(hamiltonian_rates(m, work, m.neutral(), none, none).pdot.size(), 0);
  EXPECT_EQ(boltzmann_hamel(m, work, m.neutral(), none, none).pdot.size(), 0);
}

TEST(Hamiltonian, BadInputIsNamed) {
  const RandomState s = random_state(3);
  Workspace work(s.m);
  const Eigen::VectorXd n = Eigen::VectorXd::Zero(s.m.nv()), shorter = n.head(s.m.nv() - 1);
  Eigen::VectorXd bad = n;
  bad[0] = std::nan("");
  EXPECT_NE(message_of([&] { hamiltonian_rates(s.m, work, s.q, shorter, n); }).find("p has"), std::string::npos);
  EXPECT_NE(message_of([&] { hamiltonian_rates(s.m, work, s.q, bad, n); }).find("p[0]"), std::string::npos);
  EXPECT_NE(message_of([&] { hamiltonian_rates(s.m, work, s.q, n, bad); }).find("tau[0]"), std::string::npos);
  const QuasiVelocities flat = [&](const VectorRef&) { return OwnedMatrix(s.m.nv(), s.m.nv()); };
  EXPECT_NE(message_of([&] { boltzmann_hamel(s.m, work, s.q, n, n, flat); }).find("singular"), std::string::npos);
}

}  // namespace
}  // namespace amble
