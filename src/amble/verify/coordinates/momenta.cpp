#include <Eigen/LU>

#include "amble/base/slope.hpp"
#include "amble/dynamics/coordinates/boltzmann_hamel.hpp"
#include "amble/dynamics/coordinates/hamiltonian.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/simulation/motion_flows.hpp"
#include "amble/simulation/rkmk.hpp"
#include "amble/verify/coordinates/cases.hpp"
#include "amble/verify/coordinates/themes.hpp"

namespace amble {

namespace {

constexpr int kSeeds = 200;

Claim two_routes(const std::string& name, const std::string& source, double tolerance) {
  return {"coordinates." + name, source, "two routes", tolerance};
}

Eigen::VectorXd momenta_of(const Motion& s, Workspace& work) { return mass_matrix(s.m, work, s.q) * s.v; }

double momenta_and_velocities(std::uint64_t seed) {
  const Motion s = any_motion(seed, 60);
  Workspace work(s.m);
  const Eigen::VectorXd p = momenta_of(s, work);
  const Eigen::VectorXd back = mass_matrix(s.m, work, s.q) * velocities(s.m, work, s.q, p);
  return relative_error(momenta(s.m, work, s.q, s.v), p) + relative_error(back, p);
}

double energy(std::uint64_t seed) {
  const Motion s = any_motion(seed, 60);
  Workspace work(s.m);
  const double H = kinetic_energy(s.m, work, s.q, s.v) + potential_energy(s.m, work, s.q);
  return std::abs(hamiltonian(s.m, work, s.q, momenta_of(s, work)) - H) / (1.0 + std::abs(H));
}

/// dp/dt = M a + (dM/dt) v, with wrenches from outside.
double lagrangian_form(std::uint64_t seed) {
  const Motion s = any_motion(seed, 60);
  const Load load = random_load(s, seed);
  Workspace work(s.m);
  const Eigen::VectorXd a = forward_dynamics(s.m, work, s.q, s.v, load.tau, load.wrenches);
  const Eigen::MatrixXd C = coriolis_matrix(s.m, work, s.q, s.v);
  const Eigen::VectorXd expected = mass_matrix(s.m, work, s.q) * a + (C + C.transpose()) * s.v;
  const HamiltonianRates rates = hamiltonian_rates(s.m, work, s.q, momenta_of(s, work), load.tau, load.wrenches);
  return relative_error(rates.pdot, expected);
}

double theorem(std::uint64_t seed) {
  const Motion s = any_motion(seed);
  Workspace work(s.m);
  const Eigen::VectorXd p = momenta_of(s, work), tau = s.a;
  const BoltzmannHamel literal = boltzmann_hamel(s.m, work, s.q, p, tau);
  return relative_error(hamiltonian_rates(s.m, work, s.q, p, tau).pdot, literal.pdot);
}

/// Velocities that mix all joints by a matrix that swings with the configuration.
QuasiVelocities mixed_velocities(const Motion& s, std::uint64_t seed) {
  const int n = s.m.nv();
  Random random(seed);
  Eigen::MatrixXd mix(n, n);
  for (double& x : mix.reshaped()) x = random.uniform(-1.0, 1.0) / n;
  Eigen::VectorXd swing(n);
  for (double& x : swing) x = random.uniform(-1.0, 1.0);
  return [=](const VectorRef& q) -> OwnedMatrix {
    const double phase = swing.dot(s.m.difference(s.q, q));
    return Eigen::MatrixXd(Eigen::MatrixXd::Identity(n, n) + (1.0 + 0.3 * std::sin(phase + 0.5)) * mix);
  };
}

/// Against p_w = B^-T p along the motion, differentiated.
double quasi_velocities(std::uint64_t seed) {
  const Motion s = any_motion(seed);
  Workspace work(s.m);
  const QuasiVelocities B = mixed_velocities(s, seed);
  const Eigen::VectorXd p = momenta_of(s, work), tau = s.a;
  const Eigen::VectorXd pdot = hamiltonian_rates(s.m, work, s.q, p, tau).pdot;
  const auto moved = [&](const VectorRef& q, const Eigen::VectorXd& x) -> Eigen::VectorXd {
    return Eigen::MatrixXd(B(q)).transpose().partialPivLu().solve(x);
  };
  const Eigen::VectorXd expected =
      slope_at_zero([&](double t) { return moved(s.m.integrate(s.q, t * s.v), p + t * pdot); });
  const BoltzmannHamel w = boltzmann_hamel(s.m, work, s.q, moved(s.q, p), moved(s.q, tau), B);
  return relative_error(w.pdot, expected);
}

/// dH/dt, from H alone along the motion, against the power of the drives.
double power_balance(std::uint64_t seed) {
  const Motion s = any_motion(seed);
  Workspace work(s.m);
  const Eigen::VectorXd p = momenta_of(s, work), tau = s.a;
  const Eigen::VectorXd pdot = hamiltonian_rates(s.m, work, s.q, p, tau).pdot;
  const double slope = slope_at_zero(
      [&](double t) { return hamiltonian(s.m, work, s.m.integrate(s.q, t * s.v), p + t * pdot); }, 2e-4);
  return std::abs(slope - tau.dot(s.v)) / (1.0 + std::abs(hamiltonian(s.m, work, s.q, p)));
}

Motion free_body(std::uint64_t seed) {
  Builder b("body");
  Random random(seed);
  b.gravity(Vector3<double>::Zero()).body({.name = "body", .inertia = random_inertia(random)});
  const Mechanism m = b.joint({.name = "free", .type = "free", .parent = kWorld, .child = "body"}).build();
  return in_motion(m, m.random(seed), seed);
}

/// With a wrench on the body; linear part first.
double free_body_rates(std::uint64_t seed) {
  const Motion s = free_body(seed);
  Workspace work(s.m);
  const Eigen::VectorXd p = momenta_of(s, work), W = s.a;
  const Vector3<double> l = p.head<3>(), k = p.tail<3>(), u = s.v.head<3>(), w = s.v.tail<3>();
  Eigen::VectorXd expected = W;
  expected.head<3>() += cross<double>(l, w);
  expected.tail<3>() += cross<double>(k, w) + cross<double>(l, u);
  return relative_error(hamiltonian_rates(s.m, work, s.q, p, W).pdot, expected);
}

double free_body_in_world(std::uint64_t seed) {
  const Motion s = free_body(seed);
  Workspace work(s.m);
  const Eigen::VectorXd p = momenta_of(s, work), none = Eigen::VectorXd::Zero(6);
  const Eigen::VectorXd pdot = hamiltonian_rates(s.m, work, s.q, p, none).pdot;
  return momentum_rates_in_world(s.m, s.q, s.v, p, pdot).norm() / (1.0 + p.norm());
}

double free_flight(std::uint64_t seed) {
  const Motion s = free_body(seed);
  Workspace work(s.m);
  const Eigen::VectorXd p = momenta_of(s, work);
  MomentumFlow flow(s.m);
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-12});
  run.set_state(0.0, s.q, p);
  run.run(3.0);
  return relative_error(momenta_in_world(s.m, run.q(), run.x()), momenta_in_world(s.m, s.q, p));
}

/// The root's momentum seen from the world is that of all bodies about the world's origin.
double momentum_in_world(std::uint64_t seed) {
  const Motion s = floating_motion(seed);
  Workspace work(s.m);
  const Joint& root = s.m.joints().front();
  const OwnedVector p = momenta_in_world(s.m, s.q, momenta_of(s, work));
  const Wrench<double> ours =
      root.X_PF * Pose(root.R_FN) * Wrench<double>(Vector6<double>(p.segment<6>(root.v.start)));
  Vector6<double> h = momentum(s.m, work, s.q, s.v);
  h.tail<3>() += cross<double>(center_of_mass(s.m, work, s.q), Vector3<double>(h.head<3>()));
  return relative_error(ours.vector(), h);
}

double rates_in_world(std::uint64_t seed) {
  const Motion s = random_motion(seed, {.bodies = 6, .types = {"free", "spherical", "universal"}});
  Workspace work(s.m);
  const Eigen::VectorXd p = momenta_of(s, work), pdot = hamiltonian_rates(s.m, work, s.q, p, s.a).pdot;
  const Eigen::VectorXd slope = slope_at_zero([&](double t) -> Eigen::VectorXd {
    return momenta_in_world(s.m, s.m.integrate(s.q, t * s.v), p + t * pdot);
  });
  return relative_error(momentum_rates_in_world(s.m, s.q, s.v, p, pdot), slope);
}

}  // namespace

std::vector<VerificationEntry> coordinates_momenta() {
  return {
      worst_entry(two_routes("momenta", "DS (2.71): p = M v by recursion, and back", 1e-12), kSeeds,
                  momenta_and_velocities),
      worst_entry(two_routes("hamiltonian", "H(Q, p) = kinetic + potential energy", 1e-11), kSeeds, energy),
      worst_entry(two_routes("lagrangian_form", "dp/dt = M a + (dM/dt) v", 1e-10), kSeeds, lagrangian_form),
      worst_entry(two_routes("theorem", "DS Theorem 2.18 term by term", 1e-9), 60, theorem),
      worst_entry(two_routes("quasi_velocities", "DS Lemma 2.17, Boltzmann-Hamel: w = B(Q) v", 1e-9), 60,
                  quasi_velocities),
      worst_entry(two_routes("power_balance", "dH/dt = tau . v, by differences", 1e-9), 60, power_balance),
      worst_entry({"coordinates.free_body", "DS (2.85), Example 2.19", "published", 1e-13}, kSeeds, free_body_rates),
      worst_entry({"coordinates.free_body_in_world", "DS (2.87): no change without wrenches", "published", 1e-13},
                  kSeeds, free_body_in_world),
      worst_entry({"coordinates.free_flight", "DS (2.87): constant in world axes, 3 s of flight", "published", 1e-11},
                  10, free_flight),
      worst_entry(two_routes("momentum_in_world", "DS (2.86): of a floating base, and of all bodies", 1e-12), kSeeds,
                  momentum_in_world),
      worst_entry(two_routes("rates_in_world", "DS (2.87): the slope of momenta in world axes", 1e-9), 60,
                  rates_in_world),
  };
}

}  // namespace amble
