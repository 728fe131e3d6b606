#include "amble/gait/walker_search.hpp"

#include <gtest/gtest.h>

#include "amble/base/error.hpp"
#include "amble/gait/test/compass_problem.hpp"
#include "amble/optimize/gradient_check.hpp"

namespace amble {
namespace {

TEST(WalkerSearch, TheCompassIsTheOneWrittenByHand) {
  const SearchProblem ours = search_problem("compass", {{"gravity", 9.8}}, {.foot_speed = 0.5}), hand = compass::problem({}, 0.5);
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
  design.design = {{"leg_mass", 1.2, 0.1, 3.0}, {"leg_com", 0.45, 0.2, 0.8}, {"hip_stiffness", 1.0, 0.0, 10.0}, {"hip_damping", 0.1, 0.0, 1.0}};
  for (const auto& [walker, search] : {std::pair<const char*, WalkerSearch>{"compass", design}, {"dribbel", {}}, {"trunk", {}}, {"compass", {.clearance = 0.01}}}) {
    const SearchProblem problem = search_problem(walker, {}, search);
    GaitProgram program(problem, {.order = 6, .nodes = 8});
    const GradientCheck check = check_gradients(program, program.point_of(step_guess(problem, 0.4, 0.8, 6)), {.hessian = false});
    for (const DerivativeError& at : {check.objective, check.jacobian}) EXPECT_LT(at.error, 1e-8) << walker << ": " << at.where << ", " << at.given << " for " << at.difference;
  }
}

TEST(WalkerSearch, RefusesWhatItCannotSearch) {
  EXPECT_THROW(search_problem("simplest", {}), Error);
  EXPECT_THROW(search_problem("compass", {}, {.unactuated = {"q7"}}), Error);
  EXPECT_THROW(search_problem("compass", {}, {.design = {{"legs", 1.0}}}), Error);
  EXPECT_THROW(search_problem("compass", {}, {.design = {{"leg_mass", 1.0, 2.0, 3.0}}}), Error);
}

}  // namespace
}  // namespace amble
