#pragma once

#include <Eigen/QR>
#include <cmath>

#include "amble/base/random.hpp"
#include "amble/optimize/quadratic_program.hpp"

// Quadratic programs drawn at random; all but those made infeasible on purpose have a feasible point.
namespace amble {

inline Eigen::MatrixXd random_matrix(Random& random, int rows, int columns) {
  Eigen::MatrixXd M(rows, columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) M(i, j) = random.normal();
  return M;
}

struct QpKind {
  int largest = 20;  ///< variables, at most
  bool rows = true;  ///< two-sided rows
  bool equalities = true;
  bool bounds = true;  ///< of variables
  bool semidefinite = false;
  bool degenerate = false;  ///< rows that are multiples of others, bounds that meet in one point
};

struct RandomQp {
  QuadraticProgram program;
  Eigen::VectorXd feasible;
};

inline void draw_bounds(Random& random, double value, bool tight, double& lower, double& upper) {
  const auto room = [&] { return tight && random.uniform() < 0.6 ? 0.0 : random.uniform(0.0, 0.7); };
  const double which = random.uniform();
  if (which < 0.7) lower = value - room();
  if (which > 0.3 && which < 0.95) upper = value + room();
}

inline RandomQp random_qp(Random& random, const QpKind& kind) {
  const int n = random.integer(1, kind.largest), a = kind.equalities ? random.integer(0, n / 2) : 0;
  const int c = kind.rows ? random.integer(0, 2 * n) : 0;
  RandomQp drawn{QuadraticProgram(n, a, c), random_matrix(random, n, 1)};
  QuadraticProgram& p = drawn.program;
  const int rank = kind.semidefinite ? random.integer(0, n - 1) : n;
  const Eigen::MatrixXd B = random_matrix(random, rank, n);
  p.H = B.transpose() * B + (kind.semidefinite ? 0.0 : 0.01) * Eigen::MatrixXd::Identity(n, n);
  p.g = random_matrix(random, n, 1).col(0);
  p.A = random_matrix(random, a, n), p.C = random_matrix(random, c, n);
  for (int i = 1; kind.degenerate && i < a; ++i)
    if (random.uniform() < 0.3) p.A.row(i) = (random.normal() * p.A.row(random.integer(0, i - 1))).eval();
  for (int i = 1; kind.degenerate && i < c; ++i)
    if (random.uniform() < 0.4) p.C.row(i) = (random.normal() * p.C.row(random.integer(0, i - 1))).eval();
  p.b = p.A * drawn.feasible;
  const Eigen::VectorXd values = p.C * drawn.feasible;
  for (int i = 0; i < c; ++i) draw_bounds(random, values[i], kind.degenerate, p.lower[i], p.upper[i]);
  for (int j = 0; kind.bounds && j < n; ++j) {
    draw_bounds(random, drawn.feasible[j], kind.degenerate, p.x_lower[j], p.x_upper[j]);
    if (random.uniform() < 0.05) p.x_lower[j] = p.x_upper[j] = drawn.feasible[j];
  }
  return drawn;
}

/// A row joins that asks for more than a sum of the others allows, by `excess`.
inline QuadraticProgram contradicted(Random& random, const QuadraticProgram& p, double excess) {
  const int n = p.variables(), c = p.rows();
  QuadraticProgram out(n, p.equalities(), c + 1);
  out.H = p.H, out.g = p.g, out.A = p.A, out.b = p.b, out.x_lower = p.x_lower, out.x_upper = p.x_upper;
  out.C.topRows(c) = p.C, out.lower.head(c) = p.lower, out.upper.head(c) = p.upper;
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(n);
  double most = 0.0;
  const auto add = [&](const Eigen::VectorXd& row, double lower, double upper) {
    const double t = random.uniform();
    if (std::isfinite(upper))
      sum += t * row, most += t * upper;
    else if (std::isfinite(lower))
      sum -= t * row, most -= t * lower;
  };
  for (int i = 0; i < p.equalities(); ++i) add(p.A.row(i), p.b[i], p.b[i]);
  for (int i = 0; i < c; ++i) add(p.C.row(i), p.lower[i], p.upper[i]);
  for (int j = 0; j < n; ++j) add(Eigen::VectorXd::Unit(n, j), p.x_lower[j], p.x_upper[j]);
  out.C.row(c) = sum.transpose();
  out.lower[c] = most + excess;
  return out;
}

/// The same program in other units: x = units * x_here, rows times factors.
struct Units {
  Eigen::VectorXd x, equalities, rows;

  Units(Random& random, const QuadraticProgram& p)
      : x(p.variables()), equalities(p.equalities()), rows(p.rows()) {
    for (Eigen::VectorXd* list : {&x, &equalities, &rows})
      for (double& u : *list) u = std::pow(10.0, random.uniform(-6.0, 6.0));
  }
  QuadraticProgram applied(const QuadraticProgram& p) const {
    QuadraticProgram q = p;
    q.H = x.asDiagonal() * p.H * x.asDiagonal(), q.g = x.cwiseProduct(p.g);
    q.A = equalities.asDiagonal() * p.A * x.asDiagonal(), q.b = equalities.cwiseProduct(p.b);
    q.C = rows.asDiagonal() * p.C * x.asDiagonal();
    q.lower = rows.cwiseProduct(p.lower), q.upper = rows.cwiseProduct(p.upper);
    q.x_lower = p.x_lower.cwiseQuotient(x), q.x_upper = p.x_upper.cwiseQuotient(x);
    return q;
  }
  QpMultipliers undone(const QpMultipliers& y) const {
    return {equalities.cwiseProduct(y.equalities), rows.cwiseProduct(y.rows), y.bounds.cwiseQuotient(x)};
  }
};

}  // namespace amble
