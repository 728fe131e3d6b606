#include "amble/gait/gait_program.hpp"

#include <gtest/gtest.h>

#include "amble/base/random.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/gait/gait_search.hpp"
#include "amble/gait/test/compass_problem.hpp"
#include "amble/optimize/gradient_check.hpp"

namespace amble {
namespace {

using Vector = Eigen::VectorXd;
using Where = SearchCondition::Where;

/// A motion like a step, with every coefficient other than zero.
OwnedVector some_point(const GaitProgram& program, std::uint64_t seed) {
  Random random(seed);
  OwnedVector x = program.point_of(step_guess(program.problem(), 0.5, 0.7, program.settings().order));
  for (double& number : x) number += random.uniform(-0.05, 0.05);
  return x;
}

/// A problem with every kind of condition.
template <int P>
SearchProblem with_everything() {
  SearchProblem problem = compass::problem<P>({.k = 2.0, .d = 0.1}, 0.5);
  SearchPhase& step = problem.phases[0];
  step.conditions.push_back({.name = "clearance",
                             .function = compass::clearance<P>(),
                             .lower = {-0.05},
                             .upper = {1.0},
                             .from = 0.3,
                             .to = 0.8});
  step.torque_lower = {-5.0, -2.0}, step.torque_upper = {5.0, kInfinity};
  step.cost = OwnedMatrix(2, 2);
  step.cost << 1.0, 0.2, 0.2, 3.0;
  if (P == 4) {
    problem.parameters[0] = {"m", 1.0, 0.1, 3.0}, problem.parameters[1] = {"mH", 5.0, 0.1, 7.0};
    problem.ties.push_back({"total mass", {0, 1}, {2.0, 1.0}, 7.0});
  }
  return problem;
}

/// The step in two phases: the legs pass each other between them.
SearchProblem in_two_phases() {
  SearchProblem problem = compass::problem();
  SearchPhase behind = problem.phases[0], ahead = behind;
  behind.name = "behind", ahead.name = "ahead";
  ahead.conditions.clear();
  behind.reset =
      dual_function<4, 2, 0>([](const auto& q, const auto& v, const auto&, const auto&, auto& out) {
        out[0] = q[0], out[1] = q[1], out[2] = v[0], out[3] = v[1];
      });
  behind.conditions.push_back(
      {.name = "legs together",
       .where = Where::end,
       .function = dual_function<1, 2, 0>(
           [](const auto& q, const auto&, const auto&, const auto&, auto& out) { out[0] = q[1]; }),
       .lower = {0.0},
       .upper = {0.0}});
  problem.phases = {behind, ahead};
  return problem;
}

void expect_exact(GaitProgram& program, const char* what) {
  for (std::uint64_t seed : {1, 2}) {
    const GradientCheck check = check_gradients(program, some_point(program, seed));
    EXPECT_LT(check.objective.error, 1e-8) << what << ": " << check.objective.where;
    EXPECT_LT(check.jacobian.error, 1e-8) << what << ": " << check.jacobian.where;
    EXPECT_LT(check.hessian.error, 1e-8) << what << ": " << check.hessian.where;
  }
}

// ---- derivatives

TEST(GaitProgram, DerivativesAreExact) {
  GaitProgram plain(compass::problem(), {.order = 6, .nodes = 8});
  expect_exact(plain, "plain");
  GaitProgram everything(with_everything<4>(),
                         {.order = 5, .nodes = 6, .rule = NodeRule::gauss, .speed = 0.8});
  expect_exact(everything, "everything");
  GaitProgram monomial(with_everything<0>(),
                       {.order = 5, .nodes = 6, .rule = NodeRule::as_printed, .basis = Basis::monomial});
  expect_exact(monomial, "monomial");
  SearchProblem passive = compass::problem();
  passive.phases[0].unactuated = {0};
  GaitProgram unactuated(passive, {.order = 6, .nodes = 8});
  expect_exact(unactuated, "unactuated");
}

TEST(GaitProgram, DerivativesOfWorkAreExact) {
  SearchProblem problem = with_everything<4>();
  for (const SearchCost& cost : {SearchCost{0.3, 2.0, 0.0}, {0.0, 1.0, 0.4}}) {
    problem.cost = cost;
    GaitProgram program(problem, {.order = 5, .nodes = 6, .speed = 0.8});
    expect_exact(program, "work");
  }
  SearchProblem phases = in_two_phases();
  phases.cost = {1.0, 1.0, 0.5};
  phases.phases[1].unactuated = {0};
  GaitProgram two(phases, {.order = 4, .nodes = 5, .speed = 0.9});
  expect_exact(two, "work in two phases");
}

TEST(GaitProgram, DerivativesOfSeveralPhasesAreExact) {
  GaitProgram program(in_two_phases(), {.order = 4, .nodes = 5, .speed = 0.9});
  expect_exact(program, "two phases");
}

/// A function that does not know its second derivatives.
class Forgetful : public SearchFunction {
 public:
  explicit Forgetful(SearchFunctionPtr f) : f_(f) {}
  int rows() const override { return f_->rows(); }
  void evaluate(const SearchPoint& at, SearchValues& out) const override { f_->evaluate(at, out); }

 private:
  SearchFunctionPtr f_;
};

TEST(SearchFunction, SecondDerivativesComeFromDifferencesWhereAFunctionHasNone) {
  const SearchFunctionPtr exact = compass::reset<4>({});
  const Forgetful forgetful(exact);
  const Vector q = Eigen::Vector2d(-0.3, 0.6), v = Eigen::Vector2d(-1.2, 0.3), a = Eigen::Vector2d(0.5, 1.0),
               p = Eigen::Vector4d(1.0, 5.0, 2.0, 0.1), w = Eigen::Vector4d(1.0, -2.0, 0.5, 0.7);
  Eigen::MatrixXd one = Eigen::MatrixXd::Zero(10, 10), two = one;
  exact->curvature({q, v, a, p}, w, one);
  forgetful.curvature({q, v, a, p}, w, two);
  EXPECT_GT(one.cwiseAbs().maxCoeff(), 1.0);
  EXPECT_LT((one - two).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_NE((one - two).cwiseAbs().maxCoeff(), 0.0);
}

// ---- what it says

TEST(GaitProgram, ItsObjectiveIsTheSumOfTheDefinition) {
  const SearchProblem problem = compass::problem();
  for (NodeRule rule : {NodeRule::both_ends, NodeRule::as_printed}) {
    GaitProgram program(problem, {.order = 6, .nodes = 8, .rule = rule});
    const OwnedVector x = some_point(program, 3);
    const StepMotion step = program.motion_of(x);
    const Trajectory& motion = step.phases[0];
    double sum = 0.0;
    for (int m = rule == NodeRule::both_ends ? 0 : 1; m <= 8; ++m) {
      const double t = motion.duration * m / 8.0;
      SearchValues tau(2, 2, 0);
      problem.phases[0].torques->evaluate(
          {motion.position(t), motion.velocity(t), motion.acceleration(t), Vector()}, tau);
      sum += motion.duration / 8.0 * tau.value.squaredNorm();
    }
    EXPECT_NEAR(program.objective(x), sum, 1e-12 * sum) << name_of(rule);
  }
}

TEST(GaitProgram, WorkIsThePositivePartOfPowerWithoutSmoothing) {
  SearchProblem problem = compass::problem();
  const StepMotion motion = step_guess(problem, 0.5, 0.8, 6);
  const auto cost_of = [&](const SearchCost& cost) {
    problem.cost = cost;
    GaitProgram program(problem, {.order = 6, .nodes = 200, .rule = NodeRule::gauss});
    return program.objective(program.point_of(motion));
  };
  double delivered = 0.0, taken = 0.0, squared = 0.0;
  const Quadrature fine = gauss_quadrature(200);
  const Trajectory& t = motion.phases[0];
  SearchValues tau(2, 2, int(motion.parameters.size()));
  for (Eigen::Index i = 0; i < fine.nodes.size(); ++i) {
    const double at = t.duration * fine.nodes[i], weight = t.duration * fine.weights[i];
    const OwnedVector q = t.position(at), v = t.velocity(at), a = t.acceleration(at);
    tau.slopes.setZero();
    problem.phases[0].torques->evaluate({q, v, a, motion.parameters}, tau);
    for (int k = 0; k < 2; ++k) {
      const double power = tau.value[k] * v[k];
      (power > 0.0 ? delivered : taken) += weight * std::abs(power);
      squared += weight * tau.value[k] * tau.value[k];
    }
  }
  ASSERT_GT(delivered, 0.1);
  ASSERT_GT(taken, 0.1);
  EXPECT_NEAR(cost_of({0.0, 1.0, 0.0}), delivered, 1e-11 * delivered);
  EXPECT_NEAR(cost_of({0.0, 1.0, 1.0}), delivered - taken, 1e-11 * delivered);
  EXPECT_NEAR(cost_of({0.5, 3.0, 0.25}), 0.5 * squared + 3.0 * (delivered - 0.25 * taken), 1e-10 * squared);
}

TEST(GaitProgram, GaussNodesGiveTheIntegral) {
  const auto value = [](int nodes, NodeRule rule) {
    GaitProgram program(compass::problem(), {.order = 6, .nodes = nodes, .rule = rule});
    return program.objective(some_point(program, 4));
  };
  const double integral = value(40, NodeRule::gauss);
  EXPECT_NEAR(value(20, NodeRule::gauss) / integral, 1.0, 1e-12);
  // Sums with both ends in full come to it like 1 / N.
  const double few = value(1000, NodeRule::both_ends) - integral,
               many = value(2000, NodeRule::both_ends) - integral;
  EXPECT_NEAR(few / many, 2.0, 1e-2);  // the next term is like 1 / N^2
}

TEST(GaitProgram, MotionsAndPointsAreTheSame) {
  GaitProgram program(with_everything<4>(), {});
  const OwnedVector x = some_point(program, 5);
  EXPECT_LT((program.point_of(program.motion_of(x)) - x).norm(), 1e-15);
  GaitProgram monomial(with_everything<4>(), {.basis = Basis::monomial});
  const OwnedVector y = monomial.point_of(program.motion_of(x));
  EXPECT_NEAR(monomial.objective(y) / program.objective(x), 1.0, 1e-9);
}

TEST(GaitProgram, VariablesAndConstraintsHaveNames) {
  GaitProgram program(with_everything<4>(), {.order = 5, .nodes = 4, .speed = 0.8});
  EXPECT_EQ(program.variable_name(0), "coefficient 0 of q3 in step");
  EXPECT_EQ(program.variable_name(7), "coefficient 1 of q4 in step");
  EXPECT_EQ(program.variable_name(12), "duration of step");
  EXPECT_EQ(program.variable_name(13), "m");
  EXPECT_EQ(program.constraint_name(0), "position of q3 after step");
  EXPECT_EQ(program.constraint_name(3), "velocity of q4 after step");
  EXPECT_EQ(program.constraint_name(4), "both feet on the floor at 0 of step");
  EXPECT_EQ(program.constraint_name(6), "clearance at 0.5 of step");
  EXPECT_EQ(program.constraint_name(program.constraints() - 1), "total mass");
  EXPECT_EQ(program.constraint_name(program.constraints() - 2), "speed");
}

// ---- the caller's mistakes

TEST(SearchProblem, WhatDoesNotFitIsNamed) {
  const auto message = [](auto change) {
    SearchProblem problem = with_everything<4>();
    change(problem);
    return message_of([&] { problem.validate(); });
  };
  EXPECT_EQ(message([](SearchProblem&) {}), "");
  EXPECT_EQ(message([](SearchProblem& p) { p.phases.clear(); }), "a search has no phases");
  EXPECT_EQ(message([](SearchProblem& p) { p.phases[0].coordinates.clear(); }),
            "phase 'step' has no coordinates");
  EXPECT_EQ(message([](SearchProblem& p) { p.phases[0].torques = nullptr; }),
            "phase 'step', torques: there is no function");
  EXPECT_EQ(message([](SearchProblem& p) { p.phases[0].reset = p.phases[0].torques; }),
            "phase 'step', reset: the function has 2 rows, expected 4");
  EXPECT_EQ(message([](SearchProblem& p) {
              p.phases[0].conditions[0].lower = {0.0, 0.0};
            }),
            "phase 'step', condition 'both feet on the floor', lower has 2 numbers, expected 1");
  EXPECT_EQ(message([](SearchProblem& p) { p.phases[0].conditions[2].from = 0.9; }),
            "phase 'step', condition 'clearance': it holds from 0.9 to 0.8, expected 0 <= from <= to <= 1");
  EXPECT_EQ(message([](SearchProblem& p) { p.phases[0].unactuated = {2}; }),
            "phase 'step': coordinate 2 is unactuated, expected 0 to 1");
  EXPECT_EQ(message([](SearchProblem& p) { p.phases[0].cost = OwnedMatrix(1, 2); }),
            "phase 'step': cost is 1 x 2, expected 2 x 2");
  EXPECT_EQ(message([](SearchProblem& p) { p.phases[0].shortest = 2.0, p.phases[0].longest = 1.0; }),
            "phase 'step': it lasts from 2 to 1 s, expected 0 <= shortest <= longest");
  EXPECT_EQ(message([](SearchProblem& p) { p.step_length = nullptr; }), "step_length: there is no function");
  EXPECT_EQ(message([](SearchProblem& p) { p.leg_length = 0.0; }), "leg_length is 0, expected more than 0");
  EXPECT_EQ(message([](SearchProblem& p) { p.gravity = -9.8; }), "gravity is -9.8, expected more than 0");
  EXPECT_EQ(message([](SearchProblem& p) { p.rest = OwnedVector(3); }), "rest has 3 numbers, expected 2");
  EXPECT_EQ(message([](SearchProblem& p) { p.parameters[0].start = 9.0; }),
            "parameter 'm' starts at 9, expected 0.1 to 3");
  EXPECT_EQ(message([](SearchProblem& p) { p.ties[0].factors.pop_back(); }),
            "tie 'total mass' has 2 parameters and 1 factors");
  EXPECT_EQ(message([](SearchProblem& p) { p.ties[0].parameters[0] = 7; }),
            "tie 'total mass' names parameter 7, expected 0 to 3");
}

TEST(GaitProgram, SettingsAndMotionsThatDoNotFitAreRefused) {
  const auto message = [](const GaitProgramSettings& settings) {
    return message_of([&] { GaitProgram program(compass::problem(), settings); });
  };
  EXPECT_EQ(message({.order = 2}), "order is 2, expected at least 3");
  EXPECT_EQ(message({.nodes = 0}), "nodes is 0, expected at least 1");
  EXPECT_EQ(message({.speed = -1.0}), "speed is -1, expected more than 0");
  EXPECT_EQ(message({.shortest_step = 2.0}),
            "shortest_step is 2 and longest_step 1.2, expected 0 <= shortest_step < longest_step");
  GaitProgram program(compass::problem(), {});
  EXPECT_EQ(message_of([&] { program.point_of({}); }), "a motion has 0 phases, expected 1");
  StepMotion motion = program.motion_of(some_point(program, 6));
  motion.parameters = OwnedVector(1);
  EXPECT_EQ(message_of([&] { program.point_of(motion); }), "a motion has 1 parameters, expected 0");
  motion.parameters = OwnedVector(0);
  motion.phases[0].coefficients = OwnedMatrix(3, 5);
  EXPECT_EQ(message_of([&] { program.point_of(motion); }),
            "a motion has 3 coordinates in phase 0, expected 2");
}

}  // namespace
}  // namespace amble
