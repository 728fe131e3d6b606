#include "amble/ports/bonds/expression.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "amble/base/error.hpp"
#include "amble/base/limits.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/ports/bonds/tape.hpp"

namespace amble {
namespace {

const std::map<std::string, double> kAt{{"x", 0.7}, {"y", -1.3}, {"a", 2.5}};

double at(const Expression& e) { return e.evaluate(kAt); }

TEST(Expression, FollowsTheRulesOfArithmetic) {
  EXPECT_DOUBLE_EQ(at("1 + 2*3"), 7.0);
  EXPECT_DOUBLE_EQ(at("2^3^2"), 512.0);
  EXPECT_DOUBLE_EQ(at("-2^2"), -4.0);
  EXPECT_DOUBLE_EQ(at("8/4/2"), 1.0);
  EXPECT_DOUBLE_EQ(at("2^-1"), 0.5);
  EXPECT_DOUBLE_EQ(at("x - y - a"), 0.7 + 1.3 - 2.5);
  EXPECT_DOUBLE_EQ(at("sin(x)*exp(-y)/sqrt(a)"), std::sin(0.7) * std::exp(1.3) / std::sqrt(2.5));
  EXPECT_DOUBLE_EQ(at("abs(y) + tanh(x) + tan(x) + cos(pi)"), 1.3 + std::tanh(0.7) + std::tan(0.7) - 1.0);
  EXPECT_DOUBLE_EQ(at("(x*a)^2/(x*a)"), 0.7 * 2.5);
  EXPECT_DOUBLE_EQ(at("sqrt(y^2)"), 1.3);  // not y
}

TEST(Expression, DerivativesAreThoseOfFiniteDifferences) {
  for (const char* text : {"x^3*y", "sin(x*y)", "cos(x)/a", "tan(x)", "exp(-x*x)", "sqrt(1 + x^2)", "abs(x - 1)",
                           "tanh(a*x)", "a^x", "x^x", "log(x)", "asin(x/2)", "acos(x/2)", "atan(x)", "sinh(x)",
                           "cosh(x)", "x/(2 + x*y)", "(x + y)^-2", "x*sin(x)*exp(x)"}) {
    const Expression e(text);
    constexpr double h = 1e-5;
    std::map<std::string, double> above = kAt, below = kAt;
    above["x"] += h, below["x"] -= h;
    const double expected = (e.evaluate(above) - e.evaluate(below)) / (2 * h);
    EXPECT_NEAR(at(e.derivative("x")), expected, 1e-8 * (1.0 + std::abs(expected))) << text;
    EXPECT_TRUE(e.derivative("z").is_zero()) << text;
  }
}

TEST(Expression, WhatIsEqualCancelsAndTextReadsAsWritten) {
  EXPECT_TRUE((Expression("x*y + a") - Expression("a + y*x")).is_zero());
  EXPECT_EQ(Expression("u - R*i - k*p/J").text(), "u - R*i - k*p/J");
  EXPECT_EQ(Expression("-R*i + u").text(), "u - R*i");
  EXPECT_EQ(Expression("0.5*p^2/m").text(), "p^2/(2*m)");
  EXPECT_EQ(Expression("x*(a + y)/(b*c)").text(), "x*(a + y)/(b*c)");
  EXPECT_EQ(Expression("p^2/(2*m)").derivative("p").text(), "p/m");
}

TEST(Expression, TextCanBeReadAgain) {
  for (const char* text : {"-x^2", "(-x)^2", "1/(x*y)", "x - (y - a)", "2^-x", "(x^y)^a", "sqrt(x*y*-1)",
                           "-(x + y)/3*a", "1e-7*x", "x/1e9"}) {
    const Expression e(text);
    const double value = at(e), again = at(Expression(e.text()));
    if (!std::isfinite(value)) continue;
    EXPECT_NEAR(again, value, 1e-11 * std::abs(value)) << text << " -> " << e.text();
  }
}

TEST(Expression, BadTextIsRefusedWithItsPlace) {
  EXPECT_EQ(message_of([] { Expression("2*(x + "); }), "expression '2*(x + ', character 8: it ends too early");
  EXPECT_EQ(message_of([] { Expression("2*(x + 1"); }), "expression '2*(x + 1', character 9: it should be ')'");
  EXPECT_EQ(message_of([] { Expression("sine(x)"); }),
            "expression 'sine(x)', character 1: 'sine(x)' is not a function (did you mean 'sin'?)");
  EXPECT_EQ(message_of([] { Expression("x $ y"); }), "expression 'x $ y', character 3: '$ y' does not belong here");
  EXPECT_EQ(message_of([] { Expression("1e999"); }),
            "expression '1e999', character 1: '1e999' is not a finite number");
  EXPECT_EQ(message_of([] { Expression("x/(1 - 1)"); }), "x is divided by zero");
  EXPECT_EQ(message_of([] { Expression("b").evaluate({}); }), "'b' has no value");
}

class ExpressionLimits : public testing::Test {
 protected:
  void TearDown() override { reset_limits(); }
};

TEST_F(ExpressionLimits, NestingLengthAndNumbersOfATextAreBounded) {
  EXPECT_EQ(message_of([] { Expression(std::string(199, '(') + "x" + std::string(199, ')')); }), "");
  EXPECT_EQ(message_of([] { Expression(std::string(5000, '(')); }),
            "expression '((((((((((((((((((((((((((((((((((((((((...', character 201: is nested too deep; at "
            "most 200 "
            "(limit 'expression_nesting')");
  EXPECT_NE(message_of([] { Expression("2^" + std::string(5000, '-') + "x"); }).find("nested too deep"),
            std::string::npos);
  EXPECT_EQ(message_of([] { Expression(std::string(10001, '1')); }),
            "the length of an expression is 10001 bytes; at most 10000 bytes (limit 'expression_bytes')");
  EXPECT_EQ(message_of([] { Expression("x + 1e300"); }),
            "expression 'x + 1e300', character 5: a number is 1e+300; at most 1e+18 (limit 'number')");
}

/// Substitution makes deep expressions of flat ones; what walks over them must not overflow the stack.
TEST_F(ExpressionLimits, ExpressionsMadeOfOthersAreBoundedInDepth) {
  Expression e("x");
  const std::string message = message_of([&] {
    for (int i = 0; i < 100'000; ++i) e = Expression::function("sin", e);
  });
  EXPECT_NE(message.find("at most 200 (limit 'expression_nesting')"), std::string::npos);
  EXPECT_EQ(e.node().depth, 2000);
  EXPECT_EQ(e.variables().size(), 1u);
  EXPECT_EQ(e.substitute({{"x", 0.0}}).number(), 0.0);
  EXPECT_NE(message_of([&] { e.derivative("x"); }).find("(limit 'expression_nesting')"), std::string::npos)
      << "a derivative is nested deeper than its function";
  Expression half("x");
  for (int i = 0; i < 1000; ++i) half = Expression::function("sin", half);
  EXPECT_TRUE(std::isfinite(half.derivative("x").evaluate({{"x", 0.1}})));
}

/// x -> sin(x)*cos(x) doubles the tree at each turn, though its parts are shared.
TEST_F(ExpressionLimits, ATreeLargerThanMemoryIsNotWritten) {
  Expression e("x");
  for (int i = 0; i < 60; ++i) e = Expression::function("sin", e) * Expression::function("cos", e);
  EXPECT_GT(e.node().size, 1e17);
  EXPECT_EQ(e.text(), "...");
  EXPECT_TRUE(std::isfinite(e.evaluate({{"x", 0.3}})));
}

TEST(Expression, AConstantPartThatIsNoNumberIsRefused) {
  for (const char* text :
       {"log(0)", "x + log(-1)", "1e18^18", "x*1e18*1e18^17", "0^-1", "sqrt(0 - 1)*x", "sin(x)^(1e18^18)"})
    EXPECT_NE(message_of([&] { Expression e(text); }).find("not a finite number"), std::string::npos) << text;
}

TEST(Expression, FunctionsOfOnesOwnHaveTheirDerivativesOrDifferences) {
  const auto cube = [](std::span<const double> x) { return x[0] * x[0] * x[0]; };
  const auto slope = [](std::span<const double> x) { return 3 * x[0] * x[0]; };
  const auto exact = std::make_shared<ExpressionFunction>(ExpressionFunction{"cube", cube, {slope}});
  const auto rough = std::make_shared<ExpressionFunction>(ExpressionFunction{"cube", cube});
  const Expression inner = Expression("2*x");
  EXPECT_DOUBLE_EQ(at(Expression::call(exact, {inner}).derivative("x")), 2 * 3 * 1.4 * 1.4);
  EXPECT_NEAR(at(Expression::call(rough, {inner}).derivative("x")), 2 * 3 * 1.4 * 1.4, 1e-8);
  EXPECT_FALSE(Expression::call(exact, {inner}).has_rough_derivative());
  EXPECT_TRUE((Expression("x") + Expression::call(rough, {inner})).has_rough_derivative());
}

TEST(Tape, GivesTheSameNumbersAsTheExpressions) {
  const std::vector<Expression> all{"x*y/a", "sin(x)^2 + cos(x)^2", "x^2.5 - y^-3", "sqrt(x)/exp(y)", "x^a", "3",
                                    "-y"};
  Tape tape(all, {"x", "y"}, {{"a", 2.5}});
  const double in[] = {0.7, -1.3};
  std::vector<double> out(all.size());
  tape.evaluate(in, out.data());
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_NEAR(out[i], at(all[i]), 1e-15 * (1 + std::abs(out[i]))) << all[i].text();
  EXPECT_EQ(message_of([] { Tape({"x + z"}, {"x"}); }), "'z' has no value");
}

}  // namespace
}  // namespace amble
