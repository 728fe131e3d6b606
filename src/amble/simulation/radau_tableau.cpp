#include "amble/simulation/radau_tableau.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

namespace amble {

namespace {

/// Row i integrates every polynomial of degree 2 from 0 to node i.
Eigen::Matrix3d collocation_matrix(const std::array<double, 3>& node) {
  Eigen::Matrix3d powers, integrals;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      powers(i, k) = std::pow(node[i], k), integrals(i, k) = std::pow(node[i], k + 1) / (k + 1);
  return integrals * powers.inverse();
}

void copy(const Eigen::Matrix3d& from, std::array<RadauTableau::Row, 3>& to) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) to[i][j] = from(i, j);
}

RadauTableau make() {
  const double root = std::sqrt(6.0);
  RadauTableau out{};
  out.node = {(4.0 - root) / 10.0, (4.0 + root) / 10.0, 1.0};
  const Eigen::Matrix3d A = collocation_matrix(out.node);
  const Eigen::EigenSolver<Eigen::Matrix3d> solver(A.inverse());
  int real = 0;
  while (std::abs(solver.eigenvalues()[real].imag()) > 1e-6) ++real;
  const int pair = (real + 1) % 3;
  Eigen::Matrix3d T;
  T << solver.eigenvectors().col(real).real(), solver.eigenvectors().col(pair).real(),
      solver.eigenvectors().col(pair).imag();
  copy(A, out.A), copy(T, out.T), copy(T.inverse(), out.T_inverse);
  out.gamma = solver.eigenvalues()[real].real();
  out.alpha = solver.eigenvalues()[pair].real(), out.beta = solver.eigenvalues()[pair].imag();
  out.error = {(-13.0 - 7.0 * root) / 3.0, (-13.0 + 7.0 * root) / 3.0, -1.0 / 3.0};
  return out;
}

}  // namespace

std::array<double, 3> RadauTableau::weights_at(double s) const {
  std::array<double, 3> out{};
  for (int i = 0; i < 3; ++i) {
    out[i] = s / node[i];
    for (int j = 0; j < 3; ++j)
      if (j != i) out[i] *= (s - node[j]) / (node[i] - node[j]);
  }
  return out;
}

const RadauTableau& radau_tableau() {
  static const RadauTableau tableau = make();
  return tableau;
}

}  // namespace amble
