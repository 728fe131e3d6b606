#include "amble/gait/walker_search.hpp"

#include <gtest/gtest.h>

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
                                       {"compass", {.clearance = 0.01}}}) {
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
  EXPECT_THROW(search_problem("compass", {}, {.design = {{"leg_mass", 1.0, 2.0, 3.0}}}), Error);
}

}  // namespace
}  // namespace amble
