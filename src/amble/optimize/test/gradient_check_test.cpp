#include "amble/optimize/gradient_check.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/optimize/test/hock_schittkowski.hpp"

namespace amble {
namespace {

using hs::Hs71;

TEST(GradientCheck, ExactDerivativesPassNearRounding) {
  for (PublishedProblem& p : published_problems()) {
    SCOPED_TRACE(p.name);
    OwnedVector x(p.program->variables());
    p.program->start(Numbers(x.data(), x.size()));
    for (int i = 0; i < x.size(); ++i) x[i] += 0.1 * (i + 1);
    const GradientCheck check = check_gradients(*p.program, x);
    EXPECT_LT(check.objective.error, 1e-11) << check.objective.where;
    EXPECT_LT(check.jacobian.error, 1e-11) << check.jacobian.where;
    EXPECT_LT(check.hessian.error, 1e-11) << check.hessian.where;
    EXPECT_EQ(check.jacobian.where.empty(), p.program->constraints() == 0);
  }
}

/// HS71 with mistakes of a given size.
struct Wrong : DualProgram<4, Hs71> {
  Wrong() : DualProgram({}, {1, 5, 5, 1}, {{25, kInfinity}, {40, 40}}) {}
  double in_gradient = 0.0, in_jacobian = 0.0, in_hessian = 0.0;
  bool forgets_a_place = false;

  void gradient(const VectorRef& x, Numbers df) override {
    DualProgram::gradient(x, df);
    df[2] += in_gradient;
  }
  std::vector<MatrixPlace> jacobian_places() const override {
    auto places = DualProgram::jacobian_places();
    if (forgets_a_place) places.pop_back();
    return places;
  }
  void jacobian(const VectorRef& x, Numbers values) override {
    double all[8];
    DualProgram::jacobian(x, all);
    std::copy_n(all, values.size(), values.begin());
    values[6] += in_jacobian;
  }
  void hessian(const VectorRef& x, double weight, const VectorRef& lambda, Numbers values) override {
    DualProgram::hessian(x, weight, lambda, values);
    values[0] += in_hessian;
  }
  std::string constraint_name(int i) const override { return i == 0 ? "product" : "sum of squares"; }

  OwnedVector point() const {
    OwnedVector x(4);
    start(Numbers(x.data(), 4));
    return x;
  }
};

TEST(GradientCheck, CatchesAWrongGradient) {
  Wrong program;
  program.in_gradient = 1e-6;
  const GradientCheck check = check_gradients(program, program.point());
  EXPECT_GT(check.objective.error, 1e-8);
  EXPECT_EQ(check.objective.where, "objective by x[2]");
  EXPECT_NEAR(check.objective.given - check.objective.difference, 1e-6, 1e-10);
  EXPECT_LT(check.jacobian.error, 1e-11);
  EXPECT_EQ(&check.worst(), &check.objective);
}

TEST(GradientCheck, CatchesAWrongJacobian) {
  Wrong program;
  program.in_jacobian = -1e-6;
  const GradientCheck check = check_gradients(program, program.point());
  EXPECT_GT(check.jacobian.error, 1e-8);
  EXPECT_EQ(check.jacobian.where, "sum of squares by x[2]");
  EXPECT_EQ(&check.worst(), &check.jacobian);
}

TEST(GradientCheck, CatchesANumberThatHasNoPlace) {
  Wrong program;
  program.forgets_a_place = true;
  const GradientCheck check = check_gradients(program, program.point());
  EXPECT_EQ(check.jacobian.where, "sum of squares by x[3]");
  EXPECT_EQ(check.jacobian.given, 0.0);
  EXPECT_NEAR(check.jacobian.difference, 2.0, 1e-10);
}

TEST(GradientCheck, CatchesAWrongHessian) {
  Wrong program;
  program.in_hessian = 1e-5;
  const GradientCheck check = check_gradients(program, program.point());
  EXPECT_GT(check.hessian.error, 1e-8);
  EXPECT_EQ(check.hessian.where, "x[0] by x[0]");
  EXPECT_EQ(&check.worst(), &check.hessian);
  EXPECT_EQ(check_gradients(program, program.point(), {.hessian = false}).hessian.where, "");
}

TEST(GradientCheck, NumbersThatAreNoneAreInfinitelyWrong) {
  Wrong program;
  program.in_gradient = std::nan("");
  EXPECT_EQ(check_gradients(program, program.point()).objective.error, kInfinity);
}

TEST(GradientCheck, MistakesOfTheCallerAreRefused) {
  Wrong program;
  EXPECT_EQ(message_of([&] { check_gradients(program, OwnedVector(3)); }), "x has 3 numbers, expected 4");
  EXPECT_EQ(message_of([&] { check_gradients(program, program.point(), {.step = 0.0}); }),
            "step is 0, expected more than 0");
  EXPECT_EQ(message_of([&] { check_gradients(program, program.point(), {.floor = 0.0}); }),
            "floor is 0, expected more than 0");
  OwnedVector nowhere(4);
  nowhere[1] = std::nan("");
  EXPECT_EQ(message_of([&] { check_gradients(program, nowhere); }), "the program cannot be evaluated at x");
}

}  // namespace
}  // namespace amble
