#include <Eigen/Cholesky>

#include "amble/dynamics/christoffel.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/joint_forces.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/dynamics/regressor.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/verify/dynamics/themes.hpp"
#include "amble/verify/evidence.hpp"

namespace amble {

namespace {

constexpr int kSeeds = 200;

Claim law(const std::string& name, const std::string& source, double tolerance) {
  return {"dynamics." + name, source, "two routes", tolerance};
}

std::vector<ExternalWrench> wrenches_on(const Mechanism& m, std::uint64_t seed) {
  Random random(seed);
  std::vector<ExternalWrench> out;
  const auto draw = [&](Eigen::Index) { return random.uniform(-10, 10); };
  for (int body = 0; body < static_cast<int>(m.bodies().size()); body += 2)
    out.push_back({body, Wrench<double>(Vector6<double>::NullaryExpr(draw))});
  return out;
}

/// The backward error: how far the forces are from those that give exactly these accelerations.
double forward_then_inverse(std::uint64_t seed) {
  const Motion s = random_motion(seed);
  Workspace work(s.m);
  const std::vector<ExternalWrench> F = wrenches_on(s.m, seed);
  const Eigen::VectorXd tau = 10.0 * s.a, a = forward_dynamics(s.m, work, s.q, s.v, tau, F);
  const Eigen::VectorXd back = inverse_dynamics(s.m, work, s.q, s.v, a, F);
  const double inertia = mass_matrix(s.m, work, s.q).norm(), bias = bias_forces(s.m, work, s.q, s.v).norm();
  return (back - tau).norm() / (1.0 + inertia * a.norm() + bias + tau.norm());
}

double unit_accelerations(std::uint64_t seed) {
  const Motion s = random_motion(seed);
  const int nv = s.m.nv();
  Workspace work(s.m);
  const Eigen::MatrixXd M = mass_matrix(s.m, work, s.q);
  const Eigen::VectorXd bias = bias_forces(s.m, work, s.q, s.v);
  Eigen::MatrixXd columns(nv, nv);
  for (int k = 0; k < nv; ++k)
    columns.col(k) = inverse_dynamics(s.m, work, s.q, s.v, Eigen::VectorXd::Unit(nv, k)) - bias;
  return (columns - M).norm() / (1.0 + M.norm() + bias.norm());
}

/// Of how many random mechanisms M is exactly symmetric and has a Cholesky factor.
double positive_definite() {
  int count = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Motion s = random_motion(seed);
    Workspace work(s.m);
    const Eigen::MatrixXd M = mass_matrix(s.m, work, s.q);
    if (M == M.transpose() && Eigen::LLT<Eigen::MatrixXd>(M).info() == Eigen::Success) ++count;
  }
  return count;
}

double inverse_of_mass_matrix(std::uint64_t seed) {
  const Motion s = random_motion(seed);
  Workspace work(s.m);
  const Eigen::MatrixXd M = mass_matrix(s.m, work, s.q), inverse = inverse_mass_matrix(s.m, work, s.q);
  return (M * inverse - Eigen::MatrixXd::Identity(M.rows(), M.cols())).norm() / (1.0 + M.norm() * inverse.norm());
}

double coriolis_and_gravity(std::uint64_t seed) {
  const Motion s = random_motion(seed);
  Workspace work(s.m);
  return relative_error(coriolis_matrix(s.m, work, s.q, s.v) * s.v + gravity_forces(s.m, work, s.q),
                        bias_forces(s.m, work, s.q, s.v));
}

/// Gamma[i, j, k] v_k.
Eigen::MatrixXd contracted(const Christoffel& gamma, const Eigen::VectorXd& v) {
  const int nv = gamma.nv();
  return Eigen::MatrixXd::NullaryExpr(nv, nv, [&](Eigen::Index i, Eigen::Index j) {
    return Eigen::Map<const Eigen::VectorXd>(gamma.data() + (i * nv + j) * nv, nv).dot(v);
  });
}

double christoffel_and_coriolis(std::uint64_t seed) {
  const Motion s = random_motion(seed);
  Workspace work(s.m);
  Christoffel gamma(s.m.nv());
  christoffel(s.m, work, s.q, gamma);
  return relative_error(contracted(gamma, s.v), coriolis_matrix(s.m, work, s.q, s.v));
}

/// Free of weight and forces the mechanism follows a geodesic; backward error of its acceleration.
double christoffel_and_geodesics(std::uint64_t seed) {
  const Motion s = random_motion(seed, 30);
  const Mechanism weightless = with_gravity(s.m, Vector3<double>::Zero());
  Workspace work(weightless);
  Christoffel gamma(s.m.nv());
  christoffel(weightless, work, s.q, gamma, ChristoffelKind::second);
  const Eigen::VectorXd ours = -contracted(gamma, s.v) * s.v;
  const Eigen::VectorXd a = forward_dynamics(weightless, work, s.q, s.v, Eigen::VectorXd::Zero(s.m.nv()));
  const Eigen::MatrixXd M = mass_matrix(weightless, work, s.q);
  return (M * (ours - a)).norm() / (1.0 + M.norm() * a.norm());
}

double wrenches_by_jacobians(std::uint64_t seed) {
  const Motion s = random_motion(seed);
  Workspace work(s.m);
  const std::vector<ExternalWrench> F = wrenches_on(s.m, seed);
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(s.m.nv());
  for (const ExternalWrench& f : F)
    tau += jacobian(s.m, work, s.q, s.m.bodies()[f.body].name).transpose() * f.F_B_B.vector();
  const Eigen::VectorXd without = inverse_dynamics(s.m, work, s.q, s.v, s.a);
  const Eigen::VectorXd with = inverse_dynamics(s.m, work, s.q, s.v, s.a, F);
  return relative_error(generalized_forces(s.m, work, s.q, F), tau) + relative_error(with, without - tau);
}

/// A floating mechanism gains momentum from weight and wrenches alone, whatever its motors do.
double momentum_balance(std::uint64_t seed) {
  const Motion s = floating_motion(seed);
  Workspace work(s.m);
  const std::vector<ExternalWrench> F = wrenches_on(s.m, seed);
  Eigen::VectorXd tau = 10.0 * s.a;
  tau.head<6>().setZero();
  const Eigen::VectorXd a = forward_dynamics(s.m, work, s.q, s.v, tau, F);
  const Eigen::MatrixXd A = momentum_matrix(s.m, work, s.q), A_dot = momentum_matrix_dot(s.m, work, s.q, s.v);
  const Pose about(center_of_mass(s.m, work, s.q));
  Wrench<double> sum(s.m.mass() * s.m.gravity(), Vector3<double>::Zero());
  for (const ExternalWrench& f : F)
    sum += about.inverse() * (pose(s.m, work, s.q, s.m.bodies()[f.body].name) * f.F_B_B);
  return (A * a + A_dot * s.v - sum.vector()).norm() / (1.0 + A.norm() * a.norm());
}

double momentum_by_bodies(std::uint64_t seed) {
  const Motion s = random_motion(seed, 30);
  Workspace work(s.m);
  const Pose about(center_of_mass(s.m, work, s.q));
  Wrench<double> sum;
  for (const Body& b : s.m.bodies()) {
    const Twist<double> V(Vector6<double>(jacobian(s.m, work, s.q, b.name) * s.v));
    sum += about.inverse() * (pose(s.m, work, s.q, b.name) * (b.inertia * V));
  }
  return relative_error(momentum(s.m, work, s.q, s.v), sum.vector());
}

/// Armature included.
double kinetic_energies(std::uint64_t seed) {
  const Motion s = random_motion(seed);
  Workspace work(s.m);
  const double T = 0.5 * s.v.dot(mass_matrix(s.m, work, s.q) * s.v);
  return std::abs(kinetic_energy(s.m, work, s.q, s.v) - T) / (1.0 + T);
}

/// Without drives, whose inertia is no body's.
double regressors(std::uint64_t seed) {
  const int bodies = 1 + static_cast<int>(seed) % 30;
  const Motion s = random_motion(seed, {.bodies = bodies, .mimic = 0.1, .properties = false});
  Workspace work(s.m);
  const OwnedVector pi = inertial_parameters(s.m);
  const double T = kinetic_energy(s.m, work, s.q, s.v), V = potential_energy(s.m, work, s.q);
  const double kinetic = kinetic_energy_regressor(s.m, work, s.q, s.v).dot(pi) - T;
  const double potential = potential_energy_regressor(s.m, work, s.q).dot(pi) - V;
  return relative_error(inverse_dynamics_regressor(s.m, work, s.q, s.v, s.a) * pi,
                        inverse_dynamics(s.m, work, s.q, s.v, s.a)) +
         std::abs(kinetic) / (1.0 + T) + std::abs(potential) / (1.0 + std::abs(V));
}

}  // namespace

std::vector<VerificationEntry> dynamics_laws() {
  return {
      worst_entry(law("forward_then_inverse", "backward error, all joint types, to 60 bodies", 1e-12), kSeeds,
                  forward_then_inverse),
      worst_entry(law("unit_accelerations", "M by composite bodies and by inverse dynamics", 1e-12), kSeeds,
                  unit_accelerations),
      number_entry(law("positive_definite", "ZB 2.2 (i): M symmetric with a Cholesky factor, of 200", 0.0), kSeeds,
                   positive_definite),
      worst_entry(law("inverse_mass_matrix", "M M^-1 = 1", 1e-14), kSeeds, inverse_of_mass_matrix),
      worst_entry(law("coriolis_and_gravity", "ZB (14): bias = C v + gravity", 1e-12), kSeeds, coriolis_and_gravity),
      worst_entry(law("christoffel_and_coriolis", "ZB 2.2: C_ij = Gamma_ijk v_k", 1e-12), kSeeds,
                  christoffel_and_coriolis),
      worst_entry(law("christoffel_and_geodesics", "ZB 2.4: weightless motion, second kind", 1e-12), kSeeds,
                  christoffel_and_geodesics),
      worst_entry(law("wrenches_by_jacobians", "ZB (15), DS Lemma 2.15", 1e-12), kSeeds, wrenches_by_jacobians),
      worst_entry(law("momentum_balance", "DS (2.87): weight and wrenches on a floating tree", 1e-12), kSeeds,
                  momentum_balance),
      worst_entry(law("momentum_by_bodies", "momentum matrix and the sum over bodies", 1e-12), kSeeds,
                  momentum_by_bodies),
      worst_entry(law("kinetic_energy", "DS (2.58): v^T M v / 2", 1e-12), kSeeds, kinetic_energies),
      worst_entry(law("regressors", "forces and energies linear in the inertias", 1e-12), kSeeds, regressors),
  };
}

}  // namespace amble
