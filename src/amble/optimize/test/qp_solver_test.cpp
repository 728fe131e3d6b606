#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <optional>

#include "amble/base/test/count_allocations.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/optimize/nlp.hpp"
#include "amble/optimize/test/random_qp.hpp"

namespace amble {
namespace {

constexpr double kResidual = 1e-9;  // scaled, as certify() defines it

std::string outcome(const QpResult& result, int seed) {
  return std::string(name_of(result.status)) + ", residual " + std::to_string(result.certificate.residual()) +
         ", seed " + std::to_string(seed);
}

/// What is said about a program is true, whichever it is; returns whether it was solved.
bool is_true(const QuadraticProgram& p, const QpResult& result, int seed) {
  if (result.status == QpStatus::solved) {
    EXPECT_LT(certify(p, result.x, result.multipliers).residual(), kResidual) << outcome(result, seed);
    return true;
  }
  EXPECT_EQ(result.status, QpStatus::unbounded) << outcome(result, seed);
  const QpDescent descent = prove_unbounded(p, result.x);
  EXPECT_LT(descent.slope, 0.0) << seed;
  EXPECT_LT(descent.residual, 1e-8 * std::max(1.0, p.C.rows() > 0 ? p.C.cwiseAbs().maxCoeff() : 0.0)) << seed;
  return false;
}

struct Family {
  const char* name;
  QpKind kind;
  int count;
  bool always_solved;
};

class QpFamily : public testing::TestWithParam<Family> {};

TEST_P(QpFamily, solutions_are_optimal) {
  int solved = 0;
  for (int seed = 0; seed < GetParam().count; ++seed) {
    Random random(seed);
    const RandomQp drawn = random_qp(random, GetParam().kind);
    const QpResult result = solve(drawn.program);
    solved += is_true(drawn.program, result, seed);
    if (result.solved()) {
      EXPECT_LE(result.objective,
                drawn.program.objective(drawn.feasible) + 1e-9 * (1 + std::abs(result.objective)))
          << seed;
    }
  }
  if (GetParam().always_solved) {
    EXPECT_EQ(solved, GetParam().count);
  }
  EXPECT_GT(solved, GetParam().count / 3);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, QpFamily,
    testing::Values(
        Family{"strictly_convex", {}, 1000, true}, Family{"degenerate", {.degenerate = true}, 1000, true},
        Family{"semidefinite", {.semidefinite = true}, 1000, false},
        Family{"semidefinite_and_degenerate", {.semidefinite = true, .degenerate = true}, 4000, false},
        Family{"equalities_only", {.rows = false, .bounds = false}, 500, true},
        Family{"bounds_only", {.rows = false, .equalities = false}, 500, true},
        Family{"rows_only", {.equalities = false, .bounds = false}, 500, true},
        Family{"tiny", {.largest = 3, .semidefinite = true, .degenerate = true}, 1000, false},
        Family{"large", {.largest = 100}, 40, true},
        Family{
            "large_and_semidefinite", {.largest = 100, .semidefinite = true, .degenerate = true}, 40, false}),
    [](const auto& info) { return info.param.name; });

// Where a nearly flat direction ends far away, and where multipliers of equalities are large and cancel: once
// neither was refined to the end.
TEST(QpSolver, flat_directions_and_large_multipliers_are_refined_to_the_end) {
  for (const int seed : {5392, 14056, 19784, 20040, 24621, 34676, 37218}) {
    Random random(seed);
    const RandomQp drawn = random_qp(random, {.semidefinite = true, .degenerate = true});
    EXPECT_TRUE(is_true(drawn.program, solve(drawn.program), seed));
  }
}

// As the feet of legs that are nearly straight: multipliers up to 1e6 hold what the objective pulls the
// other way.
TEST(QpSolver, equalities_that_nearly_depend_on_each_other_are_refined_to_the_end) {
  constexpr int n = 18, m = 12;
  for (int seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const auto draw = [&](int rows, int columns) {
      return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return random.normal(); }).eval();
    };
    QuadraticProgram p(n, m, 4);
    const Eigen::MatrixXd L = draw(n, n);
    p.H = L * L.transpose() / n;
    p.g = 10.0 * draw(n, 1);
    Eigen::MatrixXd A = draw(m, n);
    const double apart = std::pow(10.0, random.uniform(-4.5, -2.0));
    A.bottomRows(4) = draw(4, m - 4) * A.topRows(m - 4) + apart * draw(4, n);
    p.A = A;
    p.C = draw(4, n), p.lower.setConstant(-1.0), p.upper.setConstant(1.0);
    p.b = A * (0.01 * draw(n, 1));
    const QpResult result = solve(p);
    EXPECT_EQ(result.status, QpStatus::solved) << outcome(result, seed);
    EXPECT_LT(certify(p, result.x, result.multipliers).residual(), kResidual) << outcome(result, seed);
  }
}

TEST(QpSolver, certificate_is_that_of_the_program_alone) {
  for (int seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const RandomQp drawn = random_qp(random, {});
    const QpResult result = solve(drawn.program);
    const QpCertificate own = result.certificate,
                        other = certify(drawn.program, result.x, result.multipliers);
    EXPECT_NEAR(own.scaled_primal, other.scaled_primal, 1e-12);
    EXPECT_NEAR(own.scaled_dual, other.scaled_dual, 1e-12);
    EXPECT_NEAR(own.scaled_gap, other.scaled_gap, 1e-12);
    EXPECT_NEAR(result.objective, drawn.program.objective(result.x),
                1e-10 * (1 + std::abs(result.objective)));
  }
}

TEST(QpSolver, a_wrong_solution_has_a_bad_certificate) {
  Random random(3);
  const RandomQp drawn = random_qp(random, {.largest = 10});
  QpResult result = solve(drawn.program);
  ASSERT_TRUE(result.solved());
  result.x[0] += 1e-3;
  EXPECT_GT(certify(drawn.program, result.x, result.multipliers).residual(), 1e-6);
}

// Every set of active bounds, solved by LU: the feasible one with the least objective is the solution.
std::optional<double> least_by_enumeration(const QuadraticProgram& p) {
  const int n = p.variables(), a = p.equalities(), limits = p.rows() + n;
  Eigen::MatrixXd G(p.rows() + n, n);
  G << p.C, Eigen::MatrixXd::Identity(n, n);
  Eigen::VectorXd lower(limits), upper(limits);
  lower << p.lower, p.x_lower;
  upper << p.upper, p.x_upper;
  std::optional<double> least;
  long sets = 1;
  for (int k = 0; k < limits; ++k) sets *= 3;
  for (long set = 0; set < sets; ++set) {
    std::vector<std::pair<int, double>> active;
    bool possible = true;
    for (long k = 0, rest = set; k < limits; ++k, rest /= 3) {
      if (rest % 3 == 0) continue;
      active.emplace_back(k, rest % 3 == 1 ? lower[k] : upper[k]);
      possible &= std::isfinite(active.back().second);
    }
    const int q = static_cast<int>(active.size());
    if (!possible || q + a > n) continue;
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + a + q, n + a + q);
    Eigen::VectorXd right(n + a + q);
    K.topLeftCorner(n, n) = p.H, right.head(n) = -p.g;
    K.block(n, 0, a, n) = p.A, right.segment(n, a) = p.b;
    for (int i = 0; i < q; ++i)
      K.row(n + a + i).head(n) = G.row(active[i].first), right[n + a + i] = active[i].second;
    K.topRightCorner(n, a + q) = K.bottomLeftCorner(a + q, n).transpose();
    const Eigen::VectorXd x = K.fullPivLu().solve(right).head(n), values = G * x;
    if (!x.allFinite() || (a > 0 && (p.A * x - p.b).cwiseAbs().maxCoeff() > 1e-8)) continue;
    if (((lower - values).array() > 1e-8).any() || ((values - upper).array() > 1e-8).any()) continue;
    const double value = p.objective(x);
    if (!least || value < *least) least = value;
  }
  return least;
}

TEST(QpSolver, agrees_with_trying_every_active_set) {
  for (int seed = 0; seed < 150; ++seed) {
    Random random(seed);
    const RandomQp drawn = random_qp(random, {.largest = 3});
    const QpResult result = solve(drawn.program);
    const std::optional<double> least = least_by_enumeration(drawn.program);
    ASSERT_TRUE(least.has_value());
    EXPECT_NEAR(result.objective, *least, 1e-7 * (1 + std::abs(*least))) << seed;
  }
}

class AsNonlinear : public NonlinearProgram {
 public:
  explicit AsNonlinear(const QuadraticProgram& p) : p_(p), G_(p.equalities() + p.rows(), p.variables()) {
    G_ << p.A, p.C;
  }

  int variables() const override { return p_.variables(); }
  int constraints() const override { return static_cast<int>(G_.rows()); }
  void variable_bounds(Numbers lower, Numbers upper) const override {
    for (int j = 0; j < variables(); ++j) lower[j] = p_.x_lower[j], upper[j] = p_.x_upper[j];
  }
  void constraint_bounds(Numbers lower, Numbers upper) const override {
    const int a = p_.equalities();
    for (int i = 0; i < a; ++i) lower[i] = upper[i] = p_.b[i];
    for (int i = 0; i < p_.rows(); ++i) lower[a + i] = p_.lower[i], upper[a + i] = p_.upper[i];
  }
  void start(Numbers x) const override { std::fill(x.begin(), x.end(), 0.0); }
  double objective(const VectorRef& x) override { return p_.objective(x); }
  void gradient(const VectorRef& x, Numbers df) override { put(p_.H * x + p_.g, df); }
  void constraint_values(const VectorRef& x, Numbers g) override { put(G_ * x, g); }
  std::vector<MatrixPlace> jacobian_places() const override { return places(constraints(), false); }
  void jacobian(const VectorRef&, Numbers values) override {
    for (int i = 0, k = 0; i < constraints(); ++i)
      for (int j = 0; j < variables(); ++j, ++k) values[k] = G_(i, j);
  }
  bool has_hessian() const override { return true; }
  std::vector<MatrixPlace> hessian_places() const override { return places(variables(), true); }
  void hessian(const VectorRef&, double weight, const VectorRef&, Numbers values) override {
    for (int i = 0, k = 0; i < variables(); ++i)
      for (int j = 0; j <= i; ++j, ++k) values[k] = weight * p_.H(i, j);
  }

 private:
  static void put(const Eigen::VectorXd& from, Numbers to) {
    std::copy(from.begin(), from.end(), to.begin());
  }
  std::vector<MatrixPlace> places(int rows, bool lower) const {
    std::vector<MatrixPlace> list;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < (lower ? i + 1 : variables()); ++j) list.push_back({i, j});
    return list;
  }
  const QuadraticProgram& p_;
  Eigen::MatrixXd G_;
};

TEST(QpSolver, agrees_with_an_interior_point_method) {
  for (int seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const RandomQp drawn = random_qp(random, {.largest = 30});
    AsNonlinear program(drawn.program);
    const NlpResult other = solve(program);
    if (!other.solved()) continue;  // fixed variables may leave it no freedom
    const QpResult ours = solve(drawn.program);
    EXPECT_NEAR(ours.objective, other.objective, 1e-6 * (1 + std::abs(other.objective))) << seed;
    EXPECT_LE(ours.certificate.residual(), std::max(1e-12, other.certificate.residual())) << seed;
  }
}

TEST(QpSolver, infeasible_programs_are_proved_so) {
  for (int seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    const RandomQp drawn = random_qp(random, {.semidefinite = seed % 2 == 0, .degenerate = seed % 3 == 0});
    const QuadraticProgram p = contradicted(random, drawn.program, std::pow(10.0, random.uniform(-3.0, 1.0)));
    const QpResult result = solve(p);
    ASSERT_EQ(result.status, QpStatus::infeasible) << outcome(result, seed);
    const QpInfeasibility proof = prove_infeasible(p, result.multipliers);
    EXPECT_LT(proof.value, 0.0);
    EXPECT_GT(proof.radius, 1e4) << seed;
    EXPECT_EQ(proof.radius, result.infeasibility.radius);
  }
}

TEST(QpSolver, equalities_that_contradict_each_other_are_named_by_the_proof) {
  QuadraticProgram p(3, 3);
  p.H.setIdentity();
  p.A << 1, 2, 3, 0, 1, 1, 2, 5, 7;  // the third is twice the first and the second
  p.b << 1, 2, 5;
  const QpResult result = solve(p);
  ASSERT_EQ(result.status, QpStatus::infeasible);
  const Eigen::VectorXd y = result.multipliers.equalities / result.multipliers.equalities[2];
  EXPECT_NEAR((y - Eigen::Vector3d(-2, -1, 1)).norm(), 0.0, 1e-12);
  p.b[2] = 4;
  EXPECT_TRUE(solve(p).solved());
}

TEST(QpSolver, units_do_not_matter) {
  for (int seed = 0; seed < 600; ++seed) {
    Random random(seed);
    const RandomQp drawn = random_qp(random, {.semidefinite = seed % 3 == 0, .degenerate = seed % 2 == 0});
    const QpResult plain = solve(drawn.program);
    const Units units(random, drawn.program);
    const QpResult result = solve(units.applied(drawn.program));
    ASSERT_EQ(result.status, plain.status) << outcome(result, seed);
    if (!result.solved()) continue;
    const Eigen::VectorXd x = units.x.cwiseProduct(result.x);
    EXPECT_LT(certify(drawn.program, x, units.undone(result.multipliers)).residual(), kResidual) << seed;
  }
}

TEST(QpSolver, a_program_that_changes_little_is_solved_in_few_steps) {
  Random random(11);
  RandomQp drawn = random_qp(random, {.largest = 40});
  while (drawn.program.variables() < 30) drawn = random_qp(random, {.largest = 40});
  QuadraticProgram& p = drawn.program;
  QpSolver warm(p.variables(), p.equalities(), p.rows());
  long steps = 0, cold_steps = 0;
  warm.solve(p);
  for (int tick = 0; tick < 200; ++tick) {
    for (double& g : p.g) g += 0.01 * random.normal();
    p.H.diagonal().array() += 1e-3 * random.uniform();
    const QpResult& result = warm.solve(p, QpReuse::active_set);
    const QpResult cold = solve(p);
    ASSERT_TRUE(result.solved() && cold.solved());
    EXPECT_LT(certify(p, result.x, result.multipliers).residual(), kResidual);
    EXPECT_NEAR((result.x - cold.x).norm(), 0.0, 1e-9 * (1 + cold.x.norm()));
    steps += result.iterations, cold_steps += cold.iterations;
  }
  EXPECT_LT(5 * steps, cold_steps);
}

TEST(QpSolver, a_kept_factorisation_serves_other_vectors) {
  for (int seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const RandomQp drawn = random_qp(random, {.semidefinite = seed % 2 == 0, .degenerate = seed % 3 == 0});
    QuadraticProgram p = drawn.program;
    QpSolver solver(p.variables(), p.equalities(), p.rows());
    solver.solve(p);
    for (int tick = 0; tick < 20; ++tick) {
      const Eigen::VectorXd x = drawn.feasible + 0.1 * random_matrix(random, p.variables(), 1);
      for (double& g : p.g) g += 0.1 * random.normal();
      p.b = p.A * x;
      for (int i = 0; i < p.rows(); ++i)
        p.lower[i] = -kInfinity, p.upper[i] = p.C.row(i).dot(x) + random.uniform();
      for (int j = 0; j < p.variables(); ++j)
        p.x_lower[j] = x[j] - random.uniform(), p.x_upper[j] = kInfinity;
      is_true(p, solver.solve(p, QpReuse::factorisation), seed);
    }
  }
}

TEST(QpSolver, curvature_is_asked_for_only_where_equalities_leave_room) {
  QuadraticProgram p(2, 1);
  p.H << -1, 0, 0, 3;
  p.g << 1, 1;
  EXPECT_EQ(solve(p).status, QpStatus::not_convex);
  p.A << 1, 0;
  p.b << 2;
  const QpResult result = solve(p);
  ASSERT_TRUE(result.solved());
  EXPECT_NEAR(result.x[0], 2.0, 1e-15);
  EXPECT_NEAR(result.x[1], -1.0 / 3.0, 1e-15);
}

TEST(QpSolver, bad_numbers_and_tight_limits_are_a_status) {
  QuadraticProgram p(2, 0, 1);
  p.H.setIdentity();
  p.C << 1, 1;
  p.lower[0] = 1;
  EXPECT_TRUE(solve(p).solved());
  EXPECT_EQ(solve(p, {.iterations = 1}).status, QpStatus::solved);
  p.g[0] = std::nan("");
  EXPECT_EQ(solve(p).status, QpStatus::invalid);
  p.g[0] = 0, p.upper[0] = 0;
  EXPECT_EQ(solve(p).status, QpStatus::invalid);
  Random random(1);
  RandomQp drawn = random_qp(random, {.largest = 40});
  while (solve(drawn.program).iterations < 10) drawn = random_qp(random, {.largest = 40});
  const QpResult cut = solve(drawn.program, {.iterations = 5});
  EXPECT_EQ(cut.status, QpStatus::iteration_limit);
  EXPECT_LE(cut.iterations, 6);
  EXPECT_TRUE(cut.x.allFinite());
}

TEST(QpSolver, messages_name_what_is_wrong) {
  QuadraticProgram p(2, 1, 1);
  p.lower[0] = 2, p.upper[0] = 1;
  EXPECT_EQ(message_of([&] { p.check(); }), "lower[0] = 2 and upper[0] = 1: expected lower <= upper");
  p.upper[0] = 3, p.A(0, 1) = kInfinity;
  EXPECT_EQ(message_of([&] { p.check(); }), "A[0, 1] is inf, expected a finite number");
  p.A(0, 1) = 0, p.H(1, 0) = 1;
  EXPECT_EQ(message_of([&] { p.check(); }), "H[1, 0] = 1 and H[0, 1] = 0: H must be symmetric");
  p.H(1, 0) = 0, p.x_upper[1] = -kInfinity;
  EXPECT_EQ(message_of([&] { p.check(); }), "x_upper[1] is -infinite: no number is that small");
  EXPECT_EQ(message_of([&] { QpSolver(3, 1, 1).solve(p); }),
            "H of the quadratic program is 2 x 2, the solver was made for 3 x 3");
  EXPECT_EQ(message_of([] { QuadraticProgram(0); }),
            "a quadratic program has 0 variables, expected at least 1");
  EXPECT_EQ(message_of([] { QpSolver(1, 0, 0, {.tolerance = 0.0}); }),
            "the tolerance of a quadratic program is 0, expected between 0 and 1");
}

#ifdef AMBLE_COUNTS_ALLOCATIONS
TEST(QpSolver, solving_allocates_nothing) {
  for (int seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const RandomQp drawn = random_qp(random, {.semidefinite = seed % 2 == 0, .degenerate = seed % 3 == 0});
    const QuadraticProgram p = seed % 4 == 0 ? contradicted(random, drawn.program, 1.0) : drawn.program;
    QpSolver solver(p.variables(), p.equalities(), p.rows());
    for (const QpReuse reuse : {QpReuse::nothing, QpReuse::active_set, QpReuse::factorisation})
      EXPECT_EQ(allocations_of([&] { solver.solve(p, reuse); }), 0) << seed;
  }
}
#endif

}  // namespace
}  // namespace amble
