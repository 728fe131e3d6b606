#include "amble/gait/walker_search.hpp"

#include <gtest/gtest.h>

#include <array>
#include <tuple>

#include "amble/base/error.hpp"
#include "amble/gait/test/compass_problem.hpp"
#include "amble/optimize/gradient_check.hpp"

namespace amble {
namespace {

TEST(WalkerSearch, TheCompassIsTheOneWrittenByHand) {
  const SearchProblem ours = search_problem("compass", {{"gravity", 9.8}}, {.foot_speed = 0.5}),
                      hand = compass::problem({}, 0.5);
  GaitSearchSettings settings{.starts = 2};
  settings.program.speed = 0.9;
  const GaitSearchResult a = search_gaits(ours, settings), b = search_gaits(hand, settings);
  ASSERT_TRUE(a.found() && b.found());
  EXPECT_NEAR(a.gaits[0].objective, b.gaits[0].objective, 1e-8);
  EXPECT_NEAR(a.gaits[0].objective, 0.0218338, 1e-6);
  EXPECT_NEAR(a.gaits[0].q[0], b.gaits[0].q[0], 1e-6);
}

TEST(WalkerSearch, GradientsAreThoseOfDifferences) {
  WalkerSearch design{.foot_speed = 0.5};
  design.design = {{"leg_mass", 1.2, 0.1, 3.0},
                   {"leg_com", 0.45, 0.2, 0.8},
                   {"hip_stiffness", 1.0, 0.0, 10.0},
                   {"hip_damping", 0.1, 0.0, 1.0}};
  for (const auto& [walker, search] : {std::pair<const char*, WalkerSearch>{"compass", design},
                                       {"dribbel", {}},
                                       {"trunk", {}},
                                       {"compass", {.clearance = 0.01}},
                                       {"compass", {.friction = 0.6, .cost = {1.0, 0.5, 0.2}}},
                                       {"dribbel", {.friction = 0.5, .limits = {{"q6", {-1.5, 0.0}}}}},
                                       {"trunk", {.friction = 0.7}},
                                       {"torso", {.friction = 0.4, .torque_weights = {{"q4", 3.0}}}},
                                       {"human", {.clearance = 0.01}}}) {
    const SearchProblem problem = search_problem(walker, {}, search);
    GaitProgram program(problem, {.order = 6, .nodes = 8});
    const GradientCheck check =
        check_gradients(program, program.point_of(step_guess(problem, 0.4, 0.8, 6)), {.hessian = false});
    for (const DerivativeError& at : {check.objective, check.jacobian})
      EXPECT_LT(at.error, 1e-8) << walker << ": " << at.where << ", " << at.given << " for " << at.difference;
  }
}

/// The same function with nothing known of it.
class Unknown final : public SearchFunction {
 public:
  explicit Unknown(SearchFunctionPtr of) : of_(std::move(of)) {}
  int rows() const override { return of_->rows(); }
  void evaluate(const SearchPoint& at, SearchValues& out) const override { of_->evaluate(at, out); }

 private:
  SearchFunctionPtr of_;
};

TEST(WalkerSearch, WhatIsKnownOfAFunctionSavesNoDigitOfItsCurvature) {
  for (const char* walker : {"compass", "dribbel", "trunk"}) {
    const SearchProblem problem = search_problem(walker, {}, {.foot_speed = 0.1, .clearance = 0.01});
    for (const SearchPhase& phase : problem.phases) {
      std::vector<SearchFunctionPtr> functions{phase.torques, phase.reset};
      for (const SearchCondition& c : phase.conditions) functions.push_back(c.function);
      const auto n = static_cast<Eigen::Index>(phase.coordinates.size());
      for (const SearchFunctionPtr& f : functions) {
        const Eigen::VectorXd z = 0.5 * Eigen::VectorXd::Random(3 * n), none,
                              weights = Eigen::VectorXd::Random(f->rows());
        const SearchPoint at{z.head(n), z.segment(n, n), z.tail(n), none};
        Eigen::MatrixXd known = Eigen::MatrixXd::Zero(3 * n, 3 * n), unknown = known;
        f->curvature(at, weights, known);
        Unknown(f).curvature(at, weights, unknown);
        EXPECT_LT((known - unknown).norm(), 1e-7 * (1.0 + unknown.norm())) << walker << " " << phase.name;
      }
    }
  }
}

/// Derivatives in parameters of the design against differences of order eight with wider steps:
/// both are right to about 1e-11.
TEST(WalkerSearch, DerivativesInLengthsAreRight) {
  for (const auto& [name, value] : {std::pair{"leg_length", 1.0},
                                    {"leg_com", 0.4},
                                    {"leg_inertia", 0.05},
                                    {"foot_radius", 0.2},
                                    {"foot_radius", 0.0},
                                    {"hip_damping", 0.0},
                                    {"leg_inertia", 0.0},
                                    {"hip_mass", 0.0},
                                    {"hip_rest", 0.1},
                                    {"leg_mass", 0.7},
                                    {"gravity", 9.8},
                                    {"slope_deg", 3.0}}) {
    WalkerSearch search{.friction = 0.6,
                        .design = {{name, value, value == 0.0 ? 0.0 : 0.5 * value, 2.0 + value}}};
    const WalkerValues values{{"hip_stiffness", 3.0}, {"leg_inertia", 0.03}};
    const SearchProblem problem = search_problem("compass", values, search);
    const Eigen::VectorXd q = Eigen::Vector2d(-0.31, 0.64), v = Eigen::Vector2d(-1.2, 0.3),
                          a = Eigen::Vector2d(0.5, 1.0);
    std::vector<SearchFunctionPtr> functions{problem.phases[0].torques, problem.phases[0].reset,
                                             problem.step_length};
    for (const SearchCondition& c : problem.phases[0].conditions) functions.push_back(c.function);
    for (const SearchFunctionPtr& f : functions) {
      SearchValues at(f->rows(), 2, 1), moved(f->rows(), 2, 1);
      f->evaluate({q, v, a, Eigen::VectorXd::Constant(1, value)}, at);
      if (value == 0.0) {
        // At the end of what there is: by values on one side, to order eight.
        constexpr std::array kWeights{-761.0 / 280.0, 8.0, -14.0, 56.0 / 3.0, -17.5, 11.2, -14.0 / 3.0, 8.0 / 7.0, -0.125};
        constexpr double kStep = 0.002;
        Eigen::VectorXd one_sided = Eigen::VectorXd::Zero(f->rows());
        for (std::size_t k = 0; k < kWeights.size(); ++k) {
          f->evaluate({q, v, a, Eigen::VectorXd::Constant(1, kStep * static_cast<double>(k))}, moved);
          one_sided += kWeights[k] / kStep * moved.value;
        }
        EXPECT_LT((at.by_p() - one_sided).cwiseAbs().maxCoeff(), 1e-9 * (1.0 + one_sided.norm()))
            << name << ", " << f->rows() << " rows";
        continue;
      }
      const double h = 0.01 * std::abs(value);
      const auto pair = [&](int k) -> Eigen::VectorXd {
        f->evaluate({q, v, a, Eigen::VectorXd::Constant(1, value + k * h)}, moved);
        const Eigen::VectorXd up = moved.value;
        f->evaluate({q, v, a, Eigen::VectorXd::Constant(1, value - k * h)}, moved);
        return (up - moved.value) / h;
      };
      const Eigen::VectorXd wide =
          4.0 / 5.0 * pair(1) - 1.0 / 5.0 * pair(2) + 4.0 / 105.0 * pair(3) - 1.0 / 280.0 * pair(4);
      EXPECT_LT((at.by_p() - wide).cwiseAbs().maxCoeff(), 1e-9 * (1.0 + wide.norm()))
          << name << " = " << value;
    }
  }
}

FoundGait best_gait(const char* walker, const WalkerValues& values, const WalkerSearch& search,
                    double speed) {
  GaitSearchSettings settings{.starts = 2};
  settings.program.speed = speed;
  const GaitSearchResult found = search_gaits(search_problem(walker, values, search), settings);
  if (!found.found()) throw Error("no gait");
  return found.gaits[0];
}

double margin(const SearchFigures& figures, std::string_view name) {
  for (const Assumption& a : figures.assumptions)
    if (a.name.starts_with(name)) return a.margin;
  throw Error("no such assumption");
}

TEST(WalkerSearch, AFrictionConeIsKeptAndCosts) {
  const WalkerValues level{{"slope_deg", 0.0}};
  const WalkerSearch free, slippery{.friction = 0.12};
  const FoundGait a = best_gait("compass", level, free, 0.9), b = best_gait("compass", level, slippery, 0.9);
  const double grip_a = 0.8 - margin(figures_of("compass", level, free, a), "stance foot does not slip"),
               grip_b = 0.8 - margin(figures_of("compass", level, slippery, b), "stance foot does not slip");
  EXPECT_GT(grip_a, 0.15);   // it needs more than the floor has
  EXPECT_LT(grip_b, 0.123);  // between nodes a little more
  EXPECT_GT(b.objective, a.objective * (1.0 + 1e-6));
}

TEST(WalkerSearch, LimitsOfACoordinateAreKept) {
  const WalkerSearch limited{.limits = {{"q4", {-0.25, 0.25}}}};
  const FoundGait gait = best_gait("compass", {{"slope_deg", 0.0}}, limited, 0.6);
  const Trajectory& t = gait.motion.phases[0];
  for (int i = 0; i <= 20; ++i) EXPECT_LE(std::abs(t.position(t.duration * i / 20.0)[1]), 0.25 + 1e-7);
  EXPECT_GT(std::abs(best_gait("compass", {{"slope_deg", 0.0}}, {}, 0.6).q[1]), 0.26);
}

TEST(WalkerSearch, WhereWorkCostsLessIsDelivered) {
  const WalkerValues level{{"slope_deg", 0.0}};
  const WalkerSearch torque, work{.cost = {0.02, 1.0, 0.0}};
  const FoundGait a = best_gait("compass", level, torque, 0.6), b = best_gait("compass", level, work, 0.6);
  const SearchFigures fa = figures_of("compass", level, torque, a),
                      fb = figures_of("compass", level, work, b);
  EXPECT_LT(fb.positive_work, fa.positive_work);
  EXPECT_GT(fb.effort, fa.effort);
  // The cost is summed at nodes, the figures are integrals.
  EXPECT_NEAR(b.objective, 0.02 * fb.effort + fb.positive_work, 0.15 * b.objective);
  EXPECT_NEAR(fb.residual(), 0.0, 1e-7);
}

TEST(WalkerSearch, DribbelWalksInTwoPhasesFromAColdStart) {
  const WalkerValues level{{"slope_deg", 0.0}};
  const WalkerSearch search{.clearance = 0.01, .limits = {{"q6", {-2.0, 0.0}}}};
  const FoundGait gait = best_gait("dribbel", level, search, 0.5);
  ASSERT_EQ(gait.motion.phases.size(), 2u);
  const SearchFigures figures = figures_of("dribbel", level, search, gait);
  EXPECT_NEAR(figures.residual(), 0.0, 1e-7);
  EXPECT_GT(margin(figures, "stance foot stays down at the knee's strike"), -1e-9);
  EXPECT_LT(margin(figures, "stance knee needs no lock"), 1e-9);  // DS 4.3.3: the lock is needed
  const Trajectory &bent = gait.motion.phases[0], &straight = gait.motion.phases[1];
  EXPECT_LT(bent.position(0.5 * bent.duration)[2], -0.1);
  EXPECT_NEAR(bent.position(bent.duration)[2], 0.0, 1e-8);
  EXPECT_NEAR(bent.position(bent.duration)[0], straight.position(0.0)[0], 1e-8);
}

TEST(WalkerSearch, DribbelsPassiveGaitIsFoundWhereTheBookHasADearerOne) {
  const WalkerSearch search{.clearance = 0.005, .limits = {{"q6", {-2.0, 0.0}}}};
  EXPECT_LT(best_gait("dribbel", {}, search, 0.603).objective, 1e-3);  // DS 4.3.3: 0.0122
}

TEST(WalkerSearch, FeetThatRollKeepTheSpeedAskedFor) {
  const WalkerValues values{{"foot_radius", 0.25}, {"slope_deg", 1.0}};
  const FoundGait gait = best_gait("compass", values, {}, 0.7);
  const SearchFigures f = figures_of("compass", values, {}, gait);
  EXPECT_NEAR(f.residual(), 0.0, 1e-8);
  EXPECT_NEAR(f.gravity_work, f.weight * std::sin(M_PI / 180.0) * 0.7 * gait.duration, 1e-8);
}

TEST(WalkerSearch, TheWalkerWithATrunk) {
  for (const auto& [hip, period, width, cost, power] :
       {std::tuple{5.0, 0.833984, 0.076903, 4.218, 1.2379}, {3.0, 0.754954, 0.086241, 5.042, 1.5586}}) {
    const WalkerValues values{{"hip_mass", hip}, {"trunk_mass", 6.0 - hip}};
    const WalkerSearch search{.clearance = 0.01};
    GaitSearchSettings settings{.starts = 3};
    settings.program.speed = 0.5;
    const GaitSearchResult found = search_gaits(search_problem("trunk", values, search), settings);
    ASSERT_TRUE(found.found());
    const FoundGait& best = found.gaits[0];
    const SearchFigures figures = figures_of("trunk", values, search, best);
    EXPECT_NEAR(best.duration, period, 1e-5);
    EXPECT_NEAR(best.objective, cost, 1e-3);
    EXPECT_NEAR(figures.step_width, width, 1e-5);
    EXPECT_NEAR(figures.actuator_work / best.duration, power, 1e-4);
    EXPECT_NEAR(figures.residual(), 0.0, 1e-8);  // impacts take what actuators give
  }
}

TEST(WalkerSearch, LegsGetAsLightAsTheyMay) {
  WalkerSearch search{.foot_speed = 0.5};
  search.design = {{"leg_mass", 1.0, 0.01, 3.49}, {"hip_mass", 5.0, 0.02, 6.98}};
  search.ties = {{"total mass", {0, 1}, {2.0, 1.0}, 7.0}};
  GaitSearchSettings settings{.starts = 1};
  settings.program.speed = 0.8;
  const GaitSearchResult found =
      search_gaits(search_problem("compass", {{"gravity", 9.8}}, search), settings);
  ASSERT_TRUE(found.found());
  EXPECT_LT(found.gaits[0].objective, 1e-6);
  EXPECT_NEAR(found.gaits[0].motion.parameters[0], 0.01, 1e-4);
}

TEST(WalkerSearch, RefusesWhatItCannotSearch) {
  EXPECT_THROW(search_problem("simplest", {}), Error);
  EXPECT_THROW(search_problem("compass", {}, {.unactuated = {"q7"}}), Error);
  EXPECT_THROW(search_problem("compass", {}, {.design = {{"legs", 1.0}}}), Error);
  EXPECT_THROW(search_problem("compass", {}, {.friction = -0.1}), Error);
  EXPECT_THROW(search_problem("compass", {}, {.limits = {{"q7", {0.0, 1.0}}}}), Error);
  EXPECT_THROW(search_problem("compass", {}, {.limits = {{"q4", {1.0, 0.0}}}}), Error);
  EXPECT_THROW(search_problem("compass", {}, {.cost = {0.0, 0.0, 0.0}}), Error);
  EXPECT_THROW(search_problem("compass", {}, {.cost = {1.0, 1.0, 1.5}}), Error);
  EXPECT_THROW(search_problem("compass", {}, {.torque_weights = {{"q4", -1.0}}}), Error);
  EXPECT_THROW(search_problem("compass", {}, {.design = {{"leg_mass", 1.0, 2.0, 3.0}}}), Error);
}

}  // namespace
}  // namespace amble
