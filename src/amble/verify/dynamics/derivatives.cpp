#include "amble/dynamics/derivatives.hpp"

#include "amble/base/dual.hpp"
#include "amble/dynamics/christoffel.hpp"
#include "amble/dynamics/line_coordinates.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/dynamics/scalar_dynamics.hpp"
#include "amble/mechanism/joints/list.hpp"
#include "amble/verify/dynamics/themes.hpp"
#include "amble/verify/evidence.hpp"

// A number and its derivative along one path go through the dynamics together.
namespace amble {

namespace {

using Along = Dual<double, 1>;
using Duals = Eigen::Matrix<Along, Eigen::Dynamic, 1>;

Claim derivative(const std::string& name, const std::string& source, double tolerance) {
  return {"dynamics." + name, source + ", by dual numbers", "two routes", tolerance};
}

/// x + t slope at t = 0.
Duals line(const Eigen::VectorXd& x, const Eigen::VectorXd& slope) {
  Duals out = x.cast<Along>();
  for (Eigen::Index i = 0; i < x.size(); ++i) out[i].grad[0] = slope[i];
  return out;
}
Duals at_rest(const Eigen::VectorXd& x) { return x.cast<Along>(); }

template <class Derived>
Eigen::MatrixXd slopes(const Eigen::MatrixBase<Derived>& x) {
  return x.unaryExpr([](const Along& d) { return d.grad[0]; }).template cast<double>();
}

/// integrate(q, t v) at t = 0, joint by joint.
Duals moved(const Mechanism& m, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  const Duals from = at_rest(q), step = line(Eigen::VectorXd::Zero(m.nv()), v);
  Duals to = from;
  for (const Joint& j : m.joints())
    if (j.link >= 0 && j.leader < 0)
      visit_joint(j.kind, j.parameters, [&](const auto& joint) {
        if constexpr (requires { joint.integrate(from.data(), step.data(), to.data()); })
          joint.integrate(from.data() + j.q.start, step.data() + j.v.start, to.data() + j.q.start);
      });
  return to;
}

Eigen::MatrixXd mass_matrix_slope(const Motion& s, const Eigen::VectorXd& direction) {
  return slopes(ScalarDynamics<Along>(s.m).mass_matrix(moved(s.m, s.q, direction)));
}

double mass_matrix_rate(std::uint64_t seed) {
  const Motion s = random_motion(seed);
  Workspace work(s.m);
  const Eigen::MatrixXd C = coriolis_matrix(s.m, work, s.q, s.v);
  return relative_error(C + C.transpose(), mass_matrix_slope(s, s.v));
}

const RandomMechanismOptions kWithoutGroups{  // joints whose coordinates add
    .bodies = 8,
    .types = {"revolute", "prismatic", "helical", "cylindrical", "universal", "planar"},
    .mimic = 0.2};

/// dM/dq_k for every k.
std::vector<Eigen::MatrixXd> mass_matrix_gradient(const Motion& s) {
  std::vector<Eigen::MatrixXd> dM;
  for (int k = 0; k < s.m.nv(); ++k) dM.push_back(mass_matrix_slope(s, Eigen::VectorXd::Unit(s.m.nv(), k)));
  return dM;
}

double christoffel_by_metric(std::uint64_t seed) {
  const Motion s = random_motion(seed, kWithoutGroups);
  const int nv = s.m.nv();
  Workspace work(s.m);
  Christoffel gamma(nv);
  christoffel(s.m, work, s.q, gamma);
  const std::vector<Eigen::MatrixXd> dM = mass_matrix_gradient(s);
  double worst = 0.0;
  for (int i = 0; i < nv; ++i) {
    const Eigen::MatrixXd ours = Eigen::Map<const Eigen::MatrixXd>(gamma.data() + i * nv * nv, nv, nv).transpose();
    const Eigen::MatrixXd expected = Eigen::MatrixXd::NullaryExpr(nv, nv, [&](Eigen::Index j, Eigen::Index k) {
      return 0.5 * (dM[k](i, j) + dM[j](i, k) - dM[i](j, k));
    });
    worst += relative_error(ours, expected);
  }
  return worst;
}

/// DS (2.89), (2.90): the rate of M v less half the gradient of v^T M v.
double lagrange(std::uint64_t seed) {
  const Motion s = random_motion(seed, kWithoutGroups);
  Workspace work(s.m);
  const std::vector<Eigen::MatrixXd> dM = mass_matrix_gradient(s);
  Eigen::VectorXd tau = mass_matrix(s.m, work, s.q) * s.a + gravity_forces(s.m, work, s.q);
  for (int k = 0; k < s.m.nv(); ++k) tau += s.v[k] * dM[k] * s.v, tau[k] -= 0.5 * s.v.dot(dM[k] * s.v);
  return relative_error(inverse_dynamics(s.m, work, s.q, s.v, s.a), tau);
}

/// tau . v = d/dt (v^T M v / 2) - weight . velocity of the centre of mass.
double power_balance(std::uint64_t seed) {
  const Motion s = random_motion(seed);
  Workspace work(s.m);
  const Eigen::VectorXd tau = inverse_dynamics(s.m, work, s.q, s.v, s.a);
  const double kinetic = s.v.dot(mass_matrix(s.m, work, s.q) * s.a) + 0.5 * s.v.dot(mass_matrix_slope(s, s.v) * s.v);
  const double potential = -s.m.mass() * s.m.gravity().dot(center_of_mass_velocity(s.m, work, s.q, s.v));
  return std::abs(tau.dot(s.v) - kinetic - potential) / (1.0 + tau.norm() * s.v.norm());
}

double kinetic_gradient(std::uint64_t seed) {
  const Motion s = random_motion(seed, 30);
  Workspace work(s.m);
  Eigen::VectorXd expected(s.m.nv());
  for (int k = 0; k < s.m.nv(); ++k)
    expected[k] = 0.5 * s.v.dot(mass_matrix_slope(s, Eigen::VectorXd::Unit(s.m.nv(), k)) * s.v);
  return relative_error(kinetic_energy_gradient(s.m, work, s.q, s.v), expected);
}

/// df/dq and df/dv of f(q, v) in dual numbers.
struct Gradients {
  Eigen::MatrixXd dq, dv;
  template <class F>
  Gradients(const Motion& s, F f) : dq(s.m.nv(), s.m.nv()), dv(s.m.nv(), s.m.nv()) {
    for (int k = 0; k < s.m.nv(); ++k) {
      const Eigen::VectorXd e = Eigen::VectorXd::Unit(s.m.nv(), k);
      dq.col(k) = slopes(f(moved(s.m, s.q, e), at_rest(s.v)));
      dv.col(k) = slopes(f(at_rest(s.q), line(s.v, e)));
    }
  }
};

double inverse_derivatives(std::uint64_t seed) {
  const Motion s = random_motion(seed);
  Workspace work(s.m);
  ScalarDynamics<Along> dual(s.m);
  const Duals a = at_rest(s.a);
  const Gradients expected(s, [&](const Duals& q, const Duals& v) { return dual.inverse_dynamics(q, v, a); });
  const InverseDynamicsDerivatives d = inverse_dynamics_derivatives(s.m, work, s.q, s.v, s.a);
  return relative_error(d.dq, expected.dq) + relative_error(d.dv, expected.dv) +
         relative_error(d.M, mass_matrix(s.m, work, s.q));
}

/// Backward error: both routes solve with M, whose condition would show otherwise.
double forward_derivatives(std::uint64_t seed) {
  const Motion s = random_motion(seed, 30);
  Workspace work(s.m);
  ScalarDynamics<Along> dual(s.m);
  const Eigen::VectorXd force = inverse_dynamics(s.m, work, s.q, s.v, s.a);
  const Duals tau = at_rest(force);
  const Gradients expected(s, [&](const Duals& q, const Duals& v) { return dual.forward_dynamics(q, v, tau); });
  const Eigen::MatrixXd M = mass_matrix(s.m, work, s.q), I = Eigen::MatrixXd::Identity(s.m.nv(), s.m.nv());
  const ForwardDynamicsDerivatives d = forward_dynamics_derivatives(s.m, work, s.q, s.v, force);
  const auto backward = [&](const Eigen::MatrixXd& ours, const Eigen::MatrixXd& theirs) {
    return (M * (ours - theirs)).norm() / (1.0 + M.norm() * theirs.norm());
  };
  return backward(d.a, s.a) + backward(d.dq, expected.dq) + backward(d.dv, expected.dv) +
         (M * d.M_inverse - I).norm() / (1.0 + M.norm() * d.M_inverse.norm());
}

/// Rounding: doubles against 64-bit mantissas through the same operations.
double rounding(std::uint64_t seed) {
  const Motion s = random_motion(seed);
  Workspace work(s.m);
  ScalarDynamics<long double> precise(s.m);
  const auto wide = [](const Eigen::VectorXd& x) { return x.cast<long double>().eval(); };
  const Eigen::MatrixXd tau = precise.inverse_dynamics(wide(s.q), wide(s.v), wide(s.a)).cast<double>();
  const Eigen::MatrixXd M = precise.mass_matrix(wide(s.q)).cast<double>();
  return relative_error(inverse_dynamics(s.m, work, s.q, s.v, s.a), tau) +
         relative_error(mass_matrix(s.m, work, s.q), M);
}

}  // namespace

std::vector<VerificationEntry> dynamics_derivatives() {
  return {
      worst_entry(derivative("mass_matrix_rate", "ZB 2.2 (ii): dM/dt = C + C^T", 1e-12), 200, mass_matrix_rate),
      worst_entry(derivative("christoffel_by_metric", "ZB (13)", 1e-12), 100, christoffel_by_metric),
      worst_entry(derivative("lagrange", "DS (2.89), (2.90); ZB (10)", 1e-12), 100, lagrange),
      worst_entry(derivative("power_balance", "tau . v = d/dt (T + V)", 1e-12), 200, power_balance),
      worst_entry(derivative("kinetic_gradient", "Kool: dT/dq for all joint types", 1e-12), 100, kinetic_gradient),
      worst_entry(derivative("inverse_derivatives", "dtau/dq, dtau/dv", 1e-11), 200, inverse_derivatives),
      worst_entry(derivative("forward_derivatives", "da/dq, da/dv, backward error", 1e-11), 100, forward_derivatives),
      worst_entry({"dynamics.rounding", "inverse dynamics and M in extended precision", "two routes", 1e-13}, 200,
                  rounding),
  };
}

}  // namespace amble
