#include <gtest/gtest.h>

#include "amble/base/test/count_allocations.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/optimize/dense_rows.hpp"
#include "amble/optimize/test/random_qp.hpp"

namespace amble {
namespace {

/// A program with equations, bounds, two-sided rows and wishes of every kind, feasible at a random point.
void draw(Random& random, RowProgram& p, bool soft_bounds = true) {
  const int n = p.variables(), rows = p.capacity();
  const Eigen::VectorXd x = random_matrix(random, n, 1);
  for (int j = 0; j < n; ++j) p.d[j] = std::pow(10.0, random.uniform(-3.0, 1.0)), p.g[j] = random.normal();
  for (int k = 0; k < rows; ++k) {
    const Eigen::VectorXd r = random_matrix(random, n, 1);
    const double value = r.dot(x), kind = random.uniform();
    double low = -kInfinity, high = kInfinity, softness = 0.0;
    if (kind < 0.15 && k < n / 2)
      low = high = value;
    else if (kind < 0.4)
      low = high = value + random.normal(), softness = std::pow(10.0, random.uniform(-3.0, 1.0));
    else if (kind < 0.5)
      low = value + random.uniform(), softness = 0.1;
    else
      draw_bounds(random, value, false, low, high);
    double* row = p.add_row(rows - 1 - k, low, high, softness);
    std::copy_n(r.data(), n, row);
  }
  for (int j = 0; j < n; ++j) {
    draw_bounds(random, x[j], false, p.x_lower[j], p.x_upper[j]);
    if (soft_bounds && random.uniform() < 0.1) p.x_lower[j] = x[j] + 1.0, p.x_upper[j] = kInfinity, p.x_softness[j] = 0.5;
  }
}

double objective(RowProgram& p, const OwnedVector& x) {
  const int n = p.variables();
  double sum = x.head(n).dot(0.5 * p.d.head(n).cwiseProduct(x.head(n)) + p.g.head(n));
  for (int k = 0; k < p.constraints(); ++k) {
    const double value = k < p.rows() ? Eigen::Map<Eigen::RowVectorXd>(p.row(k), n).dot(x.head(n)) : x[k - p.rows()];
    const double off = std::max({0.0, p.lower_of(k) - value, value - p.upper_of(k)});
    if (p.softness_of(k) > 0.0)
      sum += off * off / (2.0 * p.softness_of(k));
    else
      EXPECT_LT(off, 1e-8 * (1.0 + std::abs(value)));
  }
  return sum;
}

/// The largest of |d x + g + sum of multipliers times rows|: every row counts, those that became curvature too.
double stationarity(RowProgram& p, const RowResult& r) {
  const int n = p.variables();
  Eigen::VectorXd rest = p.d.head(n).cwiseProduct(r.x.head(n)) + p.g.head(n);
  for (int k = 0; k < p.rows(); ++k) rest += r.multipliers[k] * Eigen::Map<Eigen::VectorXd>(p.row(k), n);
  for (int j = 0; j < n; ++j) rest[j] += r.multipliers[p.rows() + j];
  return rest.cwiseAbs().maxCoeff() / (1.0 + r.multipliers.cwiseAbs().maxCoeff());
}

TEST(RowSolver, agrees_with_the_dense_solver) {
  int pushing = 0;
  for (int seed = 0; seed < 500; ++seed) {
    Random random(seed);
    const int n = random.integer(1, 40), rows = random.integer(0, 60);
    RowProgram p(n, rows);
    draw(random, p);
    RowSolver quick(n, rows);
    DenseRows sure(n, rows, n + rows);
    const RowResult& ours = quick.solve(p);
    const RowResult& other = sure.solve(p);
    ASSERT_TRUE(other.solved()) << seed << name_of(other.status);
    ASSERT_TRUE(ours.solved()) << seed << " " << name_of(ours.status) << " " << ours.certificate.residual();
    EXPECT_LT(ours.certificate.residual(), 1e-9);
    EXPECT_NEAR((ours.x - other.x).norm(), 0.0, 1e-6 * (1.0 + other.x.norm())) << seed;
    EXPECT_NEAR(objective(p, ours.x), objective(p, other.x), 1e-7 * (1.0 + std::abs(objective(p, other.x)))) << seed;
    EXPECT_LT(stationarity(p, ours), 1e-8) << seed;
    EXPECT_LT(stationarity(p, other), 1e-8) << seed;
    pushing += ours.active;
  }
  EXPECT_GT(pushing, 1000);
}

TEST(RowSolver, starts_from_the_rows_that_pushed_the_last_time) {
  Random random(3);
  const int n = 40, rows = 80;
  RowProgram p(n, rows);
  draw(random, p);
  RowSolver warm(n, rows);
  int steps = 0, cold_steps = 0;
  warm.solve(p);
  for (int tick = 0; tick < 100; ++tick) {
    for (int j = 0; j < n; ++j) p.g[j] += 0.01 * random.normal();
    for (int k = 0; k < rows; ++k) p.row(k)[tick % n] += 1e-3 * random.normal();
    const OwnedVector x = warm.solve(p).x;
    ASSERT_TRUE(warm.result().solved());
    steps += warm.result().iterations;
    RowSolver cold(n, rows);
    ASSERT_TRUE(cold.solve(p, false).solved());
    EXPECT_NEAR((x - cold.result().x).norm(), 0.0, 1e-7 * (1.0 + x.norm()));
    cold_steps += cold.result().iterations;
  }
  EXPECT_LT(5 * steps, cold_steps);
}

TEST(RowSolver, equations_that_follow_from_others_are_no_trouble) {
  for (int seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const int n = 12;
    RowProgram p(n, 8);
    const Eigen::VectorXd x = random_matrix(random, n, 1);
    Eigen::MatrixXd A = random_matrix(random, 8, n);
    A.row(5) = 2.0 * A.row(1) - A.row(2), A.row(7) = A.row(0);
    for (int k = 0; k < 8; ++k) {
      const double value = A.row(k).dot(x);
      Eigen::Map<Eigen::RowVectorXd>(p.add_row(k, value, value), n) = A.row(k);
    }
    RowSolver solver(n, 8);
    const RowResult& result = solver.solve(p);
    ASSERT_TRUE(result.solved()) << seed;
    EXPECT_LT((A * result.x - A * x).norm(), 1e-9);
  }
}

TEST(RowSolver, contradictions_are_proved) {
  int proved = 0, quick = 0;
  for (int seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const int n = random.integer(2, 20);
    RowProgram p(n, 10);
    draw(random, p, false);
    RowProgram q(n, 11);
    q.d = p.d, q.g = p.g, q.x_lower = p.x_lower, q.x_upper = p.x_upper;
    Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(n);
    double most = 0.0;
    for (int k = 0; k < p.rows(); ++k) {
      const Eigen::Map<Eigen::RowVectorXd> r(p.row(k), n);
      Eigen::Map<Eigen::RowVectorXd>(q.add_row(k, p.lower[k], p.upper[k], p.softness[k]), n) = r;
      const double t = random.uniform();
      if (p.softness[k] == 0.0 && p.upper[k] < kInfinity) sum += t * r, most += t * p.upper[k];
    }
    if (sum.norm() == 0.0) continue;
    Eigen::Map<Eigen::RowVectorXd>(q.add_row(10, most + 0.1, kInfinity), n) = sum;
    RowSolver solver(n, 11);
    DenseRows dense(n, 11, n + 11);
    const bool sure = solver.solve(q).status != QpStatus::inaccurate;
    const RowResult& result = sure ? solver.result() : dense.solve(q);
    ASSERT_EQ(result.status, QpStatus::infeasible) << seed;
    quick += sure;
    Eigen::RowVectorXd rest = Eigen::RowVectorXd::Zero(n);
    double value = 0.0;
    for (int k = 0; k < q.constraints(); ++k) {
      const double y = result.multipliers[k];
      if (y == 0.0) continue;
      EXPECT_EQ(q.softness_of(k), 0.0);
      value += y * (y > 0.0 ? q.upper_of(k) : q.lower_of(k));
      if (k < q.rows())
        rest += y * Eigen::Map<Eigen::RowVectorXd>(q.row(k), n);
      else
        rest[k - q.rows()] += y;
    }
    EXPECT_LT(value, 0.0) << seed;
    EXPECT_LT(rest.cwiseAbs().sum(), 1e-6 * -value) << seed;
    ++proved;
  }
  EXPECT_GT(proved, 100);
  EXPECT_GT(quick, 0.95 * proved);  // the dense solver is asked for the rest
}

TEST(RowSolver, numbers_that_are_none_are_a_status) {
  RowProgram p(2, 1);
  RowSolver solver(2, 1);
  EXPECT_TRUE(solver.solve(p).solved());
  p.g[0] = std::nan("");
  EXPECT_EQ(solver.solve(p).status, QpStatus::invalid);
  p.g[0] = 0.0, p.x_lower[1] = 1.0, p.x_upper[1] = 0.0;
  EXPECT_EQ(solver.solve(p).status, QpStatus::invalid);
  p.x_upper[1] = 2.0;
  EXPECT_TRUE(solver.solve(p).solved());
  p.add_row(0, 0.0, 1.0)[0] = std::nan("");
  EXPECT_FALSE(solver.solve(p).solved());
  EXPECT_EQ(message_of([&] { p.add_row(0, 0.0, 1.0); }), "row 1 of a row program has the name 0: there is room for 1");
  EXPECT_EQ(message_of([&] { p.start(3); }), "a row program has 3 variables, expected 1 to 2");
}

#ifdef AMBLE_COUNTS_ALLOCATIONS
TEST(RowSolver, solving_allocates_nothing) {
  Random random(5);
  RowProgram p(30, 50);
  draw(random, p);
  RowSolver solver(30, 50);
  DenseRows dense(30, 50, 80);
  EXPECT_EQ(allocations_of([&] { solver.solve(p, false); }), 0);
  EXPECT_EQ(allocations_of([&] { dense.solve(p); }), 0);
}
#endif

}  // namespace
}  // namespace amble
