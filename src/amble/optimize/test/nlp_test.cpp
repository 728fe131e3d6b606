#include "amble/optimize/nlp.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "amble/base/test/message_of.hpp"
#include "amble/optimize/test/hock_schittkowski.hpp"

namespace amble {
namespace {

using hs::Hs71;
using hs::sq;

DualProgram<4, Hs71> hs71() {
  return {Hs71{}, {1, 5, 5, 1}, {{25, kInfinity}, {40, 40}}, {{1, 5}, {1, 5}, {1, 5}, {1, 5}}};
}

// ---- published optima

class Published : public testing::TestWithParam<NlpHessian> {};

TEST_P(Published, OptimaAreFoundAndCertified) {
  for (PublishedProblem& p : published_problems()) {
    SCOPED_TRACE(p.name);
    const NlpResult result = solve(*p.program, {.hessian = GetParam()});
    EXPECT_TRUE(result.solved()) << result.message;
    EXPECT_NEAR(result.objective, p.optimum,
                1e-8 * std::max(1.0, std::abs(p.optimum)));  // nine digits are published
    EXPECT_LT(result.certificate.residual(), 1e-7) << "worst at " << result.certificate.worst_variable;
    EXPECT_LT(result.certificate.primal, 1e-8);
    EXPECT_GT(result.iterations, 0);
  }
}
INSTANTIATE_TEST_SUITE_P(Nlp, Published, testing::Values(NlpHessian::exact, NlpHessian::limited_memory),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(Nlp, Hs71HasThePublishedPointAndMultipliers) {
  auto program = hs71();
  const NlpResult result = solve(program);
  const Eigen::Vector4d published(1.0, 4.74299963, 3.82114998, 1.37940829);
  EXPECT_LT((result.x - published).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_NEAR(result.multipliers.constraints[0], -0.55229366, 1e-7);  // the product's lower bound pushes
  EXPECT_NEAR(result.multipliers.constraints[1], 0.16146856, 1e-7);
  EXPECT_NEAR(result.multipliers.variables[0], -1.08787121, 1e-7);  // as does that of x[0]
  EXPECT_NEAR(result.constraints[1], 40.0, 1e-8);
}

TEST(Nlp, AWarmStartTakesFewSteps) {
  auto program = hs71();
  const NlpResult first = solve(program);
  const NlpResult again = solve_from(
      program, first.x, {.barrier = NlpBarrier::monotone, .first_barrier = 1e-9}, &first.multipliers);
  EXPECT_TRUE(again.solved());
  EXPECT_LE(again.iterations, 2);
  EXPECT_NEAR(again.objective, first.objective, 1e-9);
}

// ---- certificates

TEST(Certificate, OfAWrongPointIsLarge) {
  auto program = hs71();
  const NlpResult result = solve(program);
  OwnedVector x = result.x;
  x[1] += 1e-3;
  const NlpCertificate off = certify(program, x, result.multipliers);
  EXPECT_GT(off.primal, 1e-3);
  EXPECT_EQ(off.worst_constraint, "constraint[1]");
  EXPECT_GT(off.dual, 1e-4);
}

TEST(Certificate, OfWrongMultipliersIsLarge) {
  auto program = hs71();
  const NlpResult result = solve(program);
  NlpMultipliers wrong = result.multipliers;
  wrong.constraints[0] = -wrong.constraints[0];  // no upper bound there to push
  EXPECT_GT(certify(program, result.x, wrong).dual, 0.5);
  wrong = result.multipliers;
  wrong.variables[1] = 0.1;  // x[1] is not at a bound
  const NlpCertificate free = certify(program, result.x, wrong);
  EXPECT_NEAR(free.complementarity, 0.1 * (5.0 - 4.74299963), 1e-8);
  EXPECT_NEAR(free.dual, 0.1, 1e-7);
  EXPECT_EQ(free.worst_variable, "x[1]");
}

TEST(Certificate, OfAPointThatIsNoNumberIsInfinite) {
  auto program = hs71();
  const NlpMultipliers none{OwnedVector(2), OwnedVector(4)};
  OwnedVector x(4);
  x[2] = std::nan("");
  const NlpCertificate certificate = certify(program, x, none);
  EXPECT_EQ(certificate.primal, kInfinity);
  EXPECT_EQ(certificate.dual, kInfinity);
}

// ---- what goes wrong is a status

struct Line {
  template <class X>
  auto f(const X& x) const {
    return x[0] + 0.0 * x[1];
  }
  template <class X, class T>
  void g(const X& x, T* g) const {
    g[0] = sq(x[0]) + sq(x[1]);
    g[1] = x[0] + x[1];
  }
};

TEST(Nlp, AProgramWithoutAPointIsInfeasible) {
  // x + y = 3 does not meet the unit disc: nearest is (1, 1) / sqrt(2) scaled.
  DualProgram<2, Line> program({}, {0, 0.5}, {{-kInfinity, 1}, {3, 3}});
  const NlpResult result = solve(program);
  EXPECT_EQ(result.status, NlpStatus::infeasible) << result.message;
  EXPECT_GT(result.certificate.primal, 0.1);
  EXPECT_NEAR(result.x[0], result.x[1], 1e-4);
}

struct Down {
  auto f(const auto& x) const { return -x[0] * x[0]; }
  void g(const auto&, auto*) const {}
};

TEST(Nlp, AProgramWithoutAMinimumIsUnbounded) {
  DualProgram<1, Down> program({}, {1.0}, {});
  EXPECT_EQ(solve(program).status, NlpStatus::unbounded);
}

struct Three {
  auto f(const auto& x) const { return x[0]; }
  void g(const auto& x, auto* g) const { g[0] = x[0], g[1] = x[0] * x[0]; }
};

TEST(Nlp, MoreEquationsThanVariablesAreOverdetermined) {
  DualProgram<1, Three> program({}, {1.0}, {{0, 0}, {0, 0}});
  EXPECT_EQ(solve(program).status, NlpStatus::overdetermined);
}

TEST(Nlp, AllVariablesFixedIsAnAnswerToo) {
  auto good =
      DualProgram<4, Hs71>({}, {1, 1, 1, 1}, {{25, kInfinity}, {40, 40}}, {{1, 1}, {1, 1}, {1, 1}, {1, 1}});
  const NlpResult result = solve(good);
  EXPECT_FALSE(result.solved());
  EXPECT_GT(result.certificate.primal, 1.0);
}

/// Rosenbrock's function, and what a test does to it.
struct Sabotaged : NonlinearProgram {
  std::function<void(const VectorRef&, double&)> change_value = [](const VectorRef&, double&) {};
  std::function<void(const VectorRef&, Numbers)> change_gradient = [](const VectorRef&, Numbers) {};

  int variables() const override { return 2; }
  int constraints() const override { return 0; }
  void start(Numbers x) const override { x[0] = -1.2, x[1] = 1.0; }
  double objective(const VectorRef& x) override {
    double f = 100.0 * sq(x[1] - sq(x[0])) + sq(1.0 - x[0]);
    change_value(x, f);
    return f;
  }
  void gradient(const VectorRef& x, Numbers df) override {
    df[1] = 200.0 * (x[1] - sq(x[0]));
    df[0] = -2.0 * x[0] * df[1] - 2.0 * (1.0 - x[0]);
    change_gradient(x, df);
  }
  void constraint_values(const VectorRef&, Numbers) override {}
  std::vector<MatrixPlace> jacobian_places() const override { return {}; }
  void jacobian(const VectorRef&, Numbers) override {}
  std::string variable_name(int i) const override { return i == 0 ? "valley" : "wall"; }
};

TEST(Nlp, ANumberThatIsNoneAtTheStartIsReportedByName) {
  Sabotaged program;
  program.change_value = [](const VectorRef&, double& f) { f = std::nan(""); };
  NlpResult result = solve(program);
  EXPECT_EQ(result.status, NlpStatus::not_finite);
  EXPECT_EQ(result.message, "the objective is nan");
  EXPECT_EQ(result.x[0], -1.2);

  program.change_value = [](const VectorRef&, double&) {};
  program.change_gradient = [](const VectorRef&, Numbers df) { df[1] = kInfinity; };
  result = solve(program);
  EXPECT_EQ(result.status, NlpStatus::not_finite);
  EXPECT_EQ(result.message, "the derivative of the objective with respect to wall is inf");
  EXPECT_EQ(result.certificate.dual, kInfinity);
}

TEST(Nlp, StepsKeepAwayFromWhereTheProgramCannotBeEvaluated) {
  Sabotaged program;
  program.change_value = [](const VectorRef& x, double& f) {
    if (x[0] > 1.0001) f = std::nan("");  // just beyond the minimum
  };
  const NlpResult result = solve(program);
  EXPECT_TRUE(result.solved()) << result.message;
  EXPECT_NEAR(result.x[0], 1.0, 1e-6);
}

TEST(Nlp, WhatAProgramThrowsComesOutAsItIs) {
  Sabotaged program;
  int calls = 0;
  program.change_value = [&](const VectorRef&, double&) {
    if (++calls == 5) throw std::out_of_range("mine");
  };
  EXPECT_THROW(solve(program), std::out_of_range);
  program.change_value = [](const VectorRef&, double&) {};
  EXPECT_TRUE(solve(program).solved());  // and the next one is not locked out
}

TEST(Nlp, LimitsOfIterationsAndTimeAreKept) {
  Sabotaged program;
  const NlpResult few = solve(program, {.iterations = 3});
  EXPECT_EQ(few.status, NlpStatus::iteration_limit);
  EXPECT_EQ(few.iterations, 3);
  const NlpResult quick = solve(program, {.time_limit = 1e-9});
  EXPECT_EQ(quick.status, NlpStatus::time_limit);
  EXPECT_EQ(quick.message, "not solved after 1e-09 s");
}

TEST(Nlp, AWatchSeesProgressAndInterrupts) {
  Sabotaged program;
  std::vector<NlpProgress> seen;
  NlpSettings settings;
  settings.watch = [&](const NlpProgress& progress) {
    seen.push_back(progress);
    return progress.iteration < 4;
  };
  const NlpResult result = solve(program, settings);
  EXPECT_EQ(result.status, NlpStatus::interrupted);
  ASSERT_EQ(seen.size(), 5u);
  EXPECT_NEAR(seen[0].objective, 24.2, 1e-12);
  EXPECT_LT(result.objective, 24.2);  // the point where it was stopped is given
}

// ---- manners

TEST(Nlp, NothingIsPrintedAndNoFileOfTheDirectoryIsRead) {
  const std::filesystem::path before = std::filesystem::current_path(),
                              there = std::filesystem::temp_directory_path() / "amble_nlp_test";
  std::filesystem::create_directories(there);
  std::filesystem::current_path(there);
  std::ofstream("ipopt.opt") << "max_iter 1\nprint_level 5\n";
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  auto program = hs71();
  const NlpResult result = solve(program);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(result.status, NlpStatus::solved);
  std::filesystem::current_path(before);
  std::filesystem::remove_all(there);
}

TEST(Nlp, WhatIsAskedToBePrintedGoesToStderr) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  auto program = hs71();
  solve(program, {.print_level = 5});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_NE(testing::internal::GetCapturedStderr().find("iter"), std::string::npos);
}

TEST(Nlp, ThreadsWaitForEachOther) {
  std::vector<std::thread> threads;
  std::vector<double> found(4);
  for (double& f : found)
    threads.emplace_back([&f] {
      auto program = hs71();
      f = solve(program).objective;
    });
  for (std::thread& t : threads) t.join();
  for (double f : found) EXPECT_NEAR(f, 17.0140173, 1e-6);
}

TEST(Nlp, ASolveInsideASolveIsRefused) {
  Sabotaged outer;
  outer.change_value = [](const VectorRef&, double&) {
    Sabotaged inner;
    solve(inner);
  };
  EXPECT_EQ(message_of([&] { solve(outer); }),
            "solve() was called by a function of a program that is being solved");
}

// ---- the caller's mistakes

TEST(NlpErrors, SettingsAreChecked) {
  Sabotaged program;
  const auto message = [&](const NlpSettings& settings) {
    return message_of([&] { solve(program, settings); });
  };
  EXPECT_EQ(message({.tolerance = 0.0}), "tolerance is 0, expected more than 0");
  EXPECT_EQ(message({.iterations = -1}), "iterations is -1, expected at least 0");
  EXPECT_EQ(message({.time_limit = -1.0}), "time_limit is -1, expected more than 0");
  EXPECT_EQ(message({.memory = 0}), "memory is 0, expected more than 0");
  EXPECT_EQ(message({.first_barrier = 0.0}), "first_barrier is 0, expected more than 0");
  EXPECT_EQ(message({.print_level = 13}), "print_level is 13, expected 0 to 12");
  EXPECT_EQ(message({.hessian = NlpHessian::exact}),
            "settings.hessian is exact, but the program has no Hessian");
}

TEST(NlpErrors, BoundsThatCrossAreRefused) {
  auto rows = DualProgram<2, Line>({}, {0, 0}, {{1, 0}, {3, 3}});
  EXPECT_EQ(message_of([&] { solve(rows); }),
            "constraint[0] has the bounds 1 and 0, expected lower <= upper");
  auto box = DualProgram<2, Line>({}, {0, 0}, {{0, 1}, {3, 3}}, {{0, 1}, {0, std::nan("")}});
  EXPECT_EQ(message_of([&] { solve(box); }), "x[1] has the bounds 0 and nan, expected lower <= upper");
}

TEST(NlpErrors, PlacesOutsideTheMatrixAreRefused) {
  struct Outside : DualProgram<2, Line> {
    using DualProgram::DualProgram;
    MatrixPlace jacobian_place{0, 0}, hessian_place{0, 0};
    std::vector<MatrixPlace> jacobian_places() const override { return {jacobian_place}; }
    std::vector<MatrixPlace> hessian_places() const override { return {hessian_place}; }
  } program({}, {0, 0}, {{0, 1}, {3, 3}});
  program.jacobian_place = {2, 1};
  EXPECT_EQ(message_of([&] { solve(program); }),
            "the Jacobian has a number at row 2, column 1, expected rows below 2 and columns below 2");
  program.jacobian_place = {0, 0}, program.hessian_place = {0, 1};
  EXPECT_EQ(message_of([&] { solve(program); }),
            "the Hessian has a number at row 0, column 1, expected its lower triangle");
}

TEST(NlpErrors, StartsOfTheWrongKindAreRefused) {
  Sabotaged program;
  EXPECT_EQ(message_of([&] { solve_from(program, OwnedVector(3)); }), "x has 3 numbers, expected 2");
  OwnedVector x(2);
  x[0] = kInfinity;
  EXPECT_EQ(message_of([&] { solve_from(program, x); }), "the start has numbers that are not finite");
  EXPECT_EQ(message_of([&] { certify(program, OwnedVector(2), {}); }),
            "multipliers.variables has 0 numbers, expected 2");
}

}  // namespace
}  // namespace amble
