#include "amble/dynamics/coordinates/boltzmann_hamel.hpp"

#include <fmt/format.h>

#include <Eigen/LU>

#include "amble/base/error.hpp"
#include "amble/base/slope.hpp"
#include "amble/dynamics/coordinates/hamiltonian.hpp"
#include "amble/dynamics/line_coordinates.hpp"

namespace amble {

namespace {

Eigen::MatrixXd quasi_at(const Mechanism& m, const QuasiVelocities& quasi, const VectorRef& q) {
  if (!quasi) return Eigen::MatrixXd::Identity(m.nv(), m.nv());
  const OwnedMatrix B = quasi(q);
  if (B.rows() != m.nv() || B.cols() != m.nv())
    throw Error(fmt::format("quasi-velocities of '{}' are given by a {} x {} matrix, expected {} x {}", m.name(), B.rows(),
                            B.cols(), m.nv(), m.nv()));
  if (!B.allFinite()) throw Error("the matrix of the quasi-velocities is not finite");
  return B;
}

/// d/dphi_j of f(phi), vectors of nv numbers, column by column.
template <class F>
Eigen::MatrixXd gradient(int n, F f) {
  Eigen::MatrixXd columns(n, n);
  for (int j = 0; j < n; ++j)
    columns.col(j) = slope_at_zero([&](double t) -> Eigen::VectorXd { return f(t * Eigen::VectorXd::Unit(n, j)); });
  return columns;
}

}  // namespace

BoltzmannHamel boltzmann_hamel(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& p,
                               const VectorRef& tau, const QuasiVelocities& quasi) {
  m.check_velocity(p, "p"), m.check_velocity(tau, "tau");
  const int n = m.nv();
  BoltzmannHamel out;
  out.S0 = quasi_at(m, quasi, q);
  const Eigen::PartialPivLU<Eigen::MatrixXd> S0(out.S0);
  const double pivot = n > 0 ? S0.matrixLU().diagonal().cwiseAbs().minCoeff() : 1.0;
  if (n > 0 && !(pivot > 1e-12 * out.S0.cwiseAbs().maxCoeff()))
    throw Error(fmt::format("the quasi-velocities are singular here: a pivot of their matrix is {:.3g}", pivot));

  const auto pulled_back = [&](const Eigen::VectorXd& phi) -> Eigen::VectorXd {  // B^T p at F_Q(phi)
    return quasi_at(m, quasi, m.integrate(q, phi)).transpose() * p;
  };
  const Eigen::VectorXd p_v = out.S0.transpose() * p;
  const Eigen::VectorXd v = velocities(m, work, q, p_v);
  out.w = out.S0 * v;
  // H = p^T B M^-1 B^T p / 2 + U: the mass matrix changes, and so does B.
  const Eigen::VectorXd weight = gravity_forces(m, work, q);
  out.energy_gradient = weight - kinetic_energy_gradient(m, work, q, v);
  if (quasi) out.energy_gradient += gradient(n, pulled_back).transpose() * v;

  const Eigen::MatrixXd slope = gradient(n, [&](const Eigen::VectorXd& phi) -> Eigen::VectorXd {
    return m.local_jacobian(q, phi).transpose() * pulled_back(phi);  // S^T p, S = B(F_Q(phi)) S_joints(phi)
  });
  out.structure = slope.transpose() - slope;
  const Eigen::VectorXd along_phi = out.structure * v - out.energy_gradient;  // S0^-1 w = v
  out.pdot = Eigen::VectorXd(S0.transpose().solve(along_phi)) + tau;
  return out;
}

}  // namespace amble
