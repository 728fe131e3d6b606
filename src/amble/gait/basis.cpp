#include "amble/gait/basis.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"

namespace amble {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

void check_order(int order) {
  if (order < 0) throw Error(fmt::format("order is {}, expected at least 0", order));
}

void fill_monomials(double s, int order, auto&& value, auto&& first, auto&& second) {
  for (int j = 0; j <= order; ++j) {
    value[j] = j == 0 ? 1.0 : s * value[j - 1];
    first[j] = j == 0 ? 0.0 : j * value[j - 1];
    second[j] = j < 2 ? 0.0 : j * (j - 1) * value[j - 2];
  }
}

// T_{j+1} = 2 x T_j - T_{j-1} and its derivatives; x = 2 s - 1.
void fill_chebyshev(double s, int order, auto&& value, auto&& first, auto&& second) {
  const double x = 2.0 * s - 1.0;
  value[0] = 1.0, first[0] = second[0] = 0.0;
  if (order > 0) value[1] = x, first[1] = 2.0, second[1] = 0.0;
  for (int j = 1; j < order; ++j) {
    value[j + 1] = 2.0 * x * value[j] - value[j - 1];
    first[j + 1] = 4.0 * value[j] + 2.0 * x * first[j] - first[j - 1];
    second[j + 1] = 8.0 * first[j] + 2.0 * x * second[j] - second[j - 1];
  }
}

// Columns: T_j(2 s - 1) in powers of s.
Matrix chebyshev_in_monomials(int order) {
  Matrix C = Matrix::Zero(order + 1, order + 1);
  C(0, 0) = 1.0;
  if (order > 0) C(0, 1) = -1.0, C(1, 1) = 2.0;
  for (int j = 1; j < order; ++j) {
    C.col(j + 1) = -2.0 * C.col(j) - C.col(j - 1);
    C.col(j + 1).tail(order) += 4.0 * C.col(j).head(order);
  }
  return C;
}

// Columns: s^j in T_i(2 s - 1), by s T_i = T_i / 2 + (T_{i+1} + T_{|i-1|}) / 4.
Matrix monomials_in_chebyshev(int order) {
  Matrix C = Matrix::Zero(order + 1, order + 1);
  C(0, 0) = 1.0;
  for (int j = 0; j < order; ++j)
    for (int i = 0; i <= j; ++i) {
      C(i, j + 1) += 0.5 * C(i, j);
      C(i + 1, j + 1) += 0.25 * C(i, j);
      C(std::abs(i - 1), j + 1) += 0.25 * C(i, j);
    }
  return C;
}

OwnedVector at(const Trajectory& motion, double t, OwnedMatrix BasisMatrices::*which, double scale) {
  const BasisMatrices rows =
      basis_matrices(motion.basis, motion.order(), Vector::Constant(1, t / motion.duration));
  return motion.coefficients * (rows.*which).transpose() * scale;
}

}  // namespace

const char* name_of(Basis basis) { return basis == Basis::monomial ? "monomial" : "chebyshev"; }

BasisMatrices basis_matrices(Basis basis, int order, const VectorRef& nodes) {
  check_order(order);
  const Eigen::Index rows = nodes.size(), columns = order + 1;
  BasisMatrices all{OwnedMatrix(rows, columns), OwnedMatrix(rows, columns), OwnedMatrix(rows, columns)};
  const auto fill = [&](auto function) {
    for (Eigen::Index i = 0; i < rows; ++i)
      function(nodes[i], order, all.value.row(i), all.first.row(i), all.second.row(i));
  };
  if (basis == Basis::monomial)
    fill([](auto... x) { fill_monomials(x...); });
  else
    fill([](auto... x) { fill_chebyshev(x...); });
  return all;
}

OwnedMatrix conversion(Basis from, Basis to, int order) {
  check_order(order);
  if (from == to) return Matrix::Identity(order + 1, order + 1);
  return from == Basis::chebyshev ? chebyshev_in_monomials(order) : monomials_in_chebyshev(order);
}

Quadrature gauss_quadrature(int n) {
  if (n < 1) throw Error(fmt::format("a quadrature of {} nodes, expected at least 1", n));
  Quadrature rule{OwnedVector(n), OwnedVector(n)};
  for (int i = 0; i < n; ++i) {
    // Newton on Legendre's polynomial, from Tricomi's guess.
    double x = -std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5)), slope = 0.0;
    for (int k = 0; k < 100; ++k) {
      double before = 1.0, p = x;
      for (int j = 2; j <= n; ++j) {
        const double next = ((2 * j - 1) * x * p - (j - 1) * before) / j;
        before = p, p = next;
      }
      slope = n * (x * p - before) / (x * x - 1.0);
      const double step = p / slope;
      x -= step;
      if (std::abs(step) < 1e-16) break;
    }
    rule.nodes[i] = 0.5 * (1.0 + x);
    rule.weights[i] = 1.0 / ((1.0 - x * x) * slope * slope);
  }
  return rule;
}

OwnedVector Trajectory::position(double t) const { return at(*this, t, &BasisMatrices::value, 1.0); }
OwnedVector Trajectory::velocity(double t) const {
  return at(*this, t, &BasisMatrices::first, 1.0 / duration);
}
OwnedVector Trajectory::acceleration(double t) const {
  return at(*this, t, &BasisMatrices::second, 1.0 / (duration * duration));
}

Trajectory Trajectory::in(Basis other) const {
  return {other, duration, coefficients * conversion(basis, other, order()).transpose()};
}

Trajectory Trajectory::raised(int to) const {
  if (to < order())
    throw Error(fmt::format("order {} is raised to {}, expected at least {}", order(), to, order()));
  Trajectory more{basis, duration, OwnedMatrix(coordinates(), to + 1)};
  more.coefficients.leftCols(order() + 1) = coefficients;
  return more;
}

OwnedMatrix Trajectory::powers_of_time() const {
  OwnedMatrix b = in(Basis::monomial).coefficients;
  double scale = 1.0;
  for (int j = 0; j <= order(); ++j, scale /= duration) b.col(j) *= scale;
  return b;
}

OwnedVector interpolation_nodes(int order) {
  check_order(order);
  OwnedVector s(order + 1);
  for (int i = 0; i <= order; ++i)
    s[i] = 0.5 - 0.5 * std::cos(std::numbers::pi * (i + 0.5) / (order + 1));  // zeros of T_{order+1}
  return s;
}

Trajectory interpolate(double duration, const Eigen::Ref<const Eigen::MatrixXd>& samples) {
  const int order = int(samples.cols()) - 1;
  check_order(order);
  // T_j at the nodes from their angles: from the nodes themselves, rounded, it would lose a factor j^2.
  Matrix B(order + 1, order + 1);
  for (int i = 0; i <= order; ++i)
    for (int j = 0; j <= order; ++j)
      B(i, j) = std::cos(j * std::numbers::pi * (order - i + 0.5) / (order + 1));
  // The columns of B are orthogonal: c_j = 2 / (order + 1) sum_i q_i T_j(s_i), half of it for j = 0.
  OwnedMatrix c = samples * B * (2.0 / (order + 1));
  c.col(0) *= 0.5;
  return {Basis::chebyshev, duration, c};
}

}  // namespace amble
