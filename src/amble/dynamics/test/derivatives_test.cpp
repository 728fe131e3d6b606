#include "amble/dynamics/derivatives.hpp"

#include <gtest/gtest.h>

#include "amble/dynamics/scalar_dynamics.hpp"
#include "amble/dynamics/test/random_state.hpp"
#include "amble/base/dual.hpp"
#include "amble/mechanism/joints/list.hpp"

namespace amble {
namespace {

using Along = Dual<double, 1>;
using Duals = Eigen::Matrix<Along, Eigen::Dynamic, 1>;

Duals duals(const Eigen::VectorXd& x) { return x.cast<Along>(); }
Eigen::VectorXd slopes(const Duals& x) {
  return x.unaryExpr([](const Along& d) { return d.grad[0]; }).template cast<double>();
}

/// integrate(q, t e_k) for a dual t at zero.
Duals moved(const Mechanism& m, const Eigen::VectorXd& q, int k) {
  Duals from = duals(q), step = Duals::Constant(m.nv(), Along(0.0)), to = from;
  step[k].grad[0] = 1.0;
  for (const Link& link : m.links())
    if (link.v.size > 0 && link.ratio == 1.0 && link.offset == 0.0)
      visit_joint(link.kind, link.parameters, [&](const auto& joint) {
        if constexpr (requires { joint.integrate(from.data(), step.data(), to.data()); })
          joint.integrate(from.data() + link.q.start, step.data() + link.v.start, to.data() + link.q.start);
      });
  return to;
}

/// Of the largest entry and 1.
double scale(const Eigen::MatrixXd& x) { return 1.0 + x.cwiseAbs().maxCoeff(); }

void expect_columns(const Eigen::MatrixXd& ours, const Eigen::MatrixXd& expected, double tolerance, std::uint64_t seed) {
  EXPECT_LT((ours - expected).cwiseAbs().maxCoeff(), tolerance * scale(expected)) << "seed " << seed;
}

TEST(Derivatives, OfInverseDynamicsAreThoseOfDualNumbers) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const RandomState s = random_state(seed, 60);
    const int nv = s.m.nv();
    Workspace work(s.m);
    ScalarDynamics<Along> dual(s.m);
    Eigen::MatrixXd dq(nv, nv), dv(nv, nv);
    for (int k = 0; k < nv; ++k) {
      dq.col(k) = slopes(dual.inverse_dynamics(moved(s.m, s.q, k), duals(s.v), duals(s.a)));
      Duals v = duals(s.v);
      v[k].grad[0] = 1.0;
      dv.col(k) = slopes(dual.inverse_dynamics(duals(s.q), v, duals(s.a)));
    }
    const InverseDynamicsDerivatives d = inverse_dynamics_derivatives(s.m, work, s.q, s.v, s.a);
    expect_columns(d.dq, dq, 1e-11, seed), expect_columns(d.dv, dv, 1e-11, seed);
    expect_columns(d.M, Eigen::MatrixXd(mass_matrix(s.m, work, s.q)), 1e-12, seed);
  }
}

TEST(Derivatives, OfForwardDynamicsAreThoseOfDualNumbers) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const RandomState s = random_state(seed, 30);
    const int nv = s.m.nv();
    Workspace work(s.m);
    ScalarDynamics<Along> dual(s.m);
    const Eigen::VectorXd tau = inverse_dynamics(s.m, work, s.q, s.v, s.a);
    Eigen::MatrixXd dq(nv, nv), dv(nv, nv);
    for (int k = 0; k < nv; ++k) {
      dq.col(k) = slopes(dual.forward_dynamics(moved(s.m, s.q, k), duals(s.v), duals(tau)));
      Duals v = duals(s.v);
      v[k].grad[0] = 1.0;
      dv.col(k) = slopes(dual.forward_dynamics(duals(s.q), v, duals(tau)));
    }
    const ForwardDynamicsDerivatives d = forward_dynamics_derivatives(s.m, work, s.q, s.v, tau);
    // Both solve with M, so errors grow by its condition.
    const Eigen::MatrixXd M = mass_matrix(s.m, work, s.q), inverse = d.M_inverse;
    const double condition = M.norm() * inverse.norm();
    EXPECT_LT((d.a - s.a).norm(), 1e-13 * condition * (1.0 + s.a.norm())) << "seed " << seed;
    expect_columns(d.dq, dq, 1e-11 + 1e-14 * condition, seed), expect_columns(d.dv, dv, 1e-11 + 1e-14 * condition, seed);
    EXPECT_LT((M * inverse - Eigen::MatrixXd::Identity(nv, nv)).norm(), 1e-14 * condition * nv) << "seed " << seed;
  }
}

/// Wrenches on some bodies, fixed to them.
std::vector<ExternalWrench> some_wrenches(const Mechanism& m, std::uint64_t seed) {
  Random random(seed);
  std::vector<ExternalWrench> out;
  for (int b = 0; b < static_cast<int>(m.bodies().size()); b += 2) {
    Vector6<double> F;
    for (double& x : F) x = random.uniform(-3, 3);
    out.push_back({b, Wrench<double>(F)});
  }
  return out;
}

void expect_differences(const RandomState& s, std::uint64_t seed, double tolerance) {
  const int nv = s.m.nv();
  Workspace work(s.m);
  const std::vector<ExternalWrench> F = some_wrenches(s.m, seed);
  Eigen::MatrixXd dq(nv, nv), dv(nv, nv);
  for (int k = 0; k < nv; ++k) {
    const Eigen::VectorXd e = Eigen::VectorXd::Unit(nv, k);
    dq.col(k) = slope_at_zero([&](double t) {
      return Eigen::VectorXd(inverse_dynamics(s.m, work, s.m.integrate(s.q, t * e), s.v, s.a, F));
    });
    dv.col(k) = slope_at_zero([&](double t) {
      return Eigen::VectorXd(inverse_dynamics(s.m, work, s.q, s.v + t * e, s.a, F));
    });
  }
  const InverseDynamicsDerivatives d = inverse_dynamics_derivatives(s.m, work, s.q, s.v, s.a, F);
  expect_columns(d.dq, dq, tolerance, seed), expect_columns(d.dv, dv, tolerance, seed);
  const Eigen::VectorXd tau = inverse_dynamics(s.m, work, s.q, s.v, s.a, F);
  const ForwardDynamicsDerivatives f = forward_dynamics_derivatives(s.m, work, s.q, s.v, tau, F);
  const Eigen::MatrixXd M = mass_matrix(s.m, work, s.q);
  expect_columns(-(M * Eigen::MatrixXd(f.dq)), dq, tolerance, seed);
  expect_columns(-(M * Eigen::MatrixXd(f.dv)), dv, tolerance, seed);
}

TEST(Derivatives, AreThoseOfDifferencesOnTheManifoldWithWrenchesOnBodies) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) expect_differences(random_state(seed, 20), seed, 1e-9);
}

TEST(Derivatives, OfCustomJointsAreThoseOfDifferences) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) expect_differences(custom_state(seed), seed, 1e-9);
}

TEST(Derivatives, ScalarDynamicsOfDoublesAreTheLibrarysOwn) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const RandomState s = random_state(seed, 30);
    Workspace work(s.m);
    ScalarDynamics<long double> precise(s.m);
    using Long = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
    const Long tau = precise.inverse_dynamics(s.q.cast<long double>(), s.v.cast<long double>(), s.a.cast<long double>());
    const Eigen::VectorXd ours = inverse_dynamics(s.m, work, s.q, s.v, s.a);
    EXPECT_LT((ours - tau.cast<double>()).norm(), 1e-13 * (1.0 + ours.norm())) << "seed " << seed;
  }
}

}  // namespace
}  // namespace amble
