#include "amble/dynamics/coordinates/gauss.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "amble/dynamics/kinematics.hpp"
#include "amble/verify/coordinates/cases.hpp"
#include "amble/verify/coordinates/themes.hpp"

namespace amble {

namespace {

Claim gauss(const std::string& name, const std::string& source, double tolerance) {
  return {"coordinates.gauss_" + name, source, "two routes", tolerance};
}

Eigen::VectorXd random_direction(const Motion& s, std::uint64_t seed) {
  Random random(seed + 3);
  return Eigen::VectorXd::NullaryExpr(s.m.nv(), [&](Eigen::Index) { return random.normal(); });
}

/// In the metric of M, whose square D is, relative to the accelerations in it.
double minimum(std::uint64_t seed) {
  const Motion s = any_motion(seed);
  const Load load = random_load(s, seed);
  Workspace work(s.m);
  const Eigen::VectorXd a = forward_dynamics(s.m, work, s.q, s.v, load.tau, load.wrenches);
  const Eigen::VectorXd least = gauss_minimum(s.m, work, s.q, s.v, load.tau, load.wrenches).a, gap = least - a;
  const Eigen::MatrixXd M = mass_matrix(s.m, work, s.q);
  return std::sqrt(std::abs(gap.dot(M * gap)) / (1.0 + a.dot(M * a)));
}

double hessian(std::uint64_t seed) {
  const Motion s = any_motion(seed);
  const Load load = random_load(s, seed);
  Workspace work(s.m);
  const GaussQuadratic D = gauss_quadratic(s.m, work, s.q, s.v, load.tau, load.wrenches);
  return relative_error(D.hessian, mass_matrix(s.m, work, s.q));
}

/// D itself, from the motion of forward dynamics to another one.
double rise(std::uint64_t seed) {
  const Motion s = any_motion(seed);
  const Load load = random_load(s, seed);
  Workspace work(s.m);
  const Eigen::VectorXd a = forward_dynamics(s.m, work, s.q, s.v, load.tau, load.wrenches);
  const Eigen::VectorXd d = random_direction(s, seed);
  const auto D = [&](const Eigen::VectorXd& at) {
    return gauss_deviation(s.m, work, s.q, s.v, at, load.tau, load.wrenches);
  };
  const double expected = 0.5 * d.dot(mass_matrix(s.m, work, s.q) * d), least = D(a);
  return std::abs(D(a + d) - least - expected) / (1.0 + least + expected);
}

/// BK (22) by Jacobians: a body that nothing drives would fall, and turn as Euler says.
double deviation_by_jacobians(std::uint64_t seed) {
  const int bodies = 1 + static_cast<int>(seed) % 20;
  const Motion s = random_motion(seed, {.bodies = bodies, .properties = false});
  Workspace work(s.m);
  double D = 0.0;
  for (const Body& b : s.m.bodies()) {
    if (b.link == 0) continue;
    const JacobianOptions at_com{.point = b.inertia.com(), .frame = JacobianFrame::aligned};
    const Matrix3<double> R = pose(s.m, work, s.q, b.name).rotation().matrix();
    const Eigen::MatrixXd J = jacobian(s.m, work, s.q, b.name, at_com),
                          J_dot = jacobian_dot(s.m, work, s.q, s.v, b.name, at_com);
    const Vector6<double> acceleration = J * s.a + J_dot * s.v;
    const Vector3<double> w = (J * s.v).tail<3>();
    const Matrix3<double> I = R * b.inertia.about_com() * R.transpose();
    const Vector3<double> linear = acceleration.head<3>() - s.m.gravity();
    const Vector3<double> alone = -I.llt().solve(cross<double>(w, Vector3<double>(I * w)));
    const Vector3<double> angular = acceleration.tail<3>() - alone;
    D += 0.5 * b.inertia.mass() * linear.squaredNorm() + 0.5 * angular.dot(I * angular);
  }
  const double ours = gauss_deviation(s.m, work, s.q, s.v, s.a, Eigen::VectorXd::Zero(s.m.nv()));
  return std::abs(ours - D) / (1.0 + D);
}

/// Two conditions A a = b: a = a0 + M^-1 A^T lambda, lambda = (A M^-1 A^T)^-1 (b - A a0).
double held(std::uint64_t seed) {
  const Motion s = any_motion(seed + 2);
  if (s.m.nv() < 3) return 0.0;
  const Load load = random_load(s, seed);
  Workspace work(s.m);
  Eigen::MatrixXd A(2, s.m.nv());
  A << random_direction(s, seed).transpose(), random_direction(s, seed + 1).transpose();
  const Eigen::Vector2d b(0.3, -0.7);
  const Eigen::VectorXd a0 = forward_dynamics(s.m, work, s.q, s.v, load.tau, load.wrenches);
  const Eigen::MatrixXd M = mass_matrix(s.m, work, s.q), give = M.llt().solve(A.transpose());
  const Eigen::VectorXd lambda = (A * give).eval().llt().solve(b - A * a0);
  const GaussMinimum ours =
      gauss_minimum(s.m, work, s.q, s.v, load.tau, load.wrenches, {OwnedMatrix(A), OwnedVector(b)});
  const Eigen::VectorXd a = a0 + give * lambda, gap = ours.a - a;
  return std::sqrt(std::abs(gap.dot(M * gap)) / (1.0 + a.dot(M * a))) + relative_error(ours.lambda, lambda);
}

}  // namespace

std::vector<VerificationEntry> coordinates_gauss() {
  return {
      worst_entry(gauss("minimum", "BK (22), (23): least D and forward dynamics, in the metric of M", 1e-10), 200,
                  minimum),
      worst_entry(gauss("hessian", "BK (22), (25): the hessian of D is M", 1e-12), 200, hessian),
      worst_entry(gauss("rise", "D(a + d) = D(a) + d^T M d / 2 from the true motion", 1e-12), 200, rise),
      worst_entry(gauss("deviation", "BK (22): D by the Jacobians of the bodies", 1e-12), 100,
                  deviation_by_jacobians),
      worst_entry(gauss("held", "BK (31): under A a = b, and the force that holds it", 1e-11), 100, held),
  };
}

}  // namespace amble
