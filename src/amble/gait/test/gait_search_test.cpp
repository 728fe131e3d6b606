#include "amble/gait/gait_search.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/gait/test/compass_problem.hpp"

namespace amble {
namespace {

int iterations(const GaitSearchResult& result) {
  int sum = 0;
  for (const SearchAttempt& a : result.attempts) sum += a.iterations;
  return sum;
}

// Passive cycles of the compass (m = 1, mH = 5, 3 degrees, g = 9.8), from return maps.
constexpr double kShortAngle = 0.27955433525687, kShortTime = 0.60785770390978;
constexpr double kLongAngle = 0.29929446431878, kLongTime = 0.78279761708788;

// ---- guesses

TEST(StepGuess, TheDirectionOfAStepFollowsFromTheReset) {
  const OwnedVector d = step_direction(compass::problem());
  EXPECT_NEAR(d[0], 0.5, 1e-12);
  EXPECT_NEAR(d[1], -1.0, 1e-12);
}

TEST(StepGuess, HasTheLengthAndTheDurationAskedFor) {
  const SearchProblem problem = compass::problem();
  const StepMotion guess = step_guess(problem, 0.6, 0.7, 10);
  EXPECT_EQ(guess.duration(), 0.7);
  const OwnedVector q0 = guess.phases[0].position(0.0), q1 = guess.phases[0].position(0.7);
  EXPECT_NEAR(2.0 * std::sin(q0[0]), 0.6, 1e-4);
  EXPECT_LT((q0 + q1).norm(), 1e-12);
}

// ---- DS Definition 4.2 for the compass, from cold starts

TEST(GaitSearch, FindsThePassiveGaitsOfTheCompassBestFirst) {
  const GaitSearchResult result = search_gaits(compass::problem());
  ASSERT_GE(result.gaits.size(), 2u);
  EXPECT_EQ(result.attempts.size(), 6u + 3u);
  const FoundGait& best = result.gaits[0];
  EXPECT_NEAR(best.objective, 2.95e-6, 0.005e-6);
  EXPECT_NEAR(best.q[0], kShortAngle, 1e-5);  // polynomials of order 10
  EXPECT_NEAR(best.duration, kShortTime, 1e-4);
  EXPECT_NEAR(best.q[1], -2.0 * best.q[0], 1e-10);
  EXPECT_NEAR(best.step_length, 2.0 * std::sin(best.q[0]), 1e-10);
  EXPECT_NEAR(best.speed, 0.90786811069, 1e-4);
  EXPECT_LT(best.certificate.residual(), 1e-7);
  const auto is_long = [](const FoundGait& g) { return std::abs(g.duration - kLongTime) < 1e-3; };
  EXPECT_TRUE(std::any_of(result.gaits.begin(), result.gaits.end(), is_long));
  for (std::size_t i = 1; i < result.gaits.size(); ++i)
    EXPECT_LE(result.gaits[i - 1].objective, result.gaits[i].objective);
}

TEST(GaitSearch, WithFootSpeedTheLongGaitIsBest) {
  const GaitSearchResult result = search_gaits(compass::problem({}, 0.5));
  ASSERT_TRUE(result.found());
  EXPECT_NEAR(result.gaits[0].objective, 6.21e-5, 0.01e-5);
  EXPECT_NEAR(result.gaits[0].duration, kLongTime, 1e-4);
  EXPECT_NEAR(result.gaits[0].q[0], kLongAngle, 1e-4);
  EXPECT_LT(iterations(result), 200);  // 0.7 ms each: a search takes under 0.2 s of one core
}

TEST(GaitSearch, TheNodesOfTheBookLetTorqueHideAtTheStart) {
  const auto best = [](NodeRule rule) {
    GaitSearchSettings settings;
    settings.program.rule = rule;
    settings.program.speed = 1.0;
    return search_gaits(compass::problem({}, 0.5), settings).gaits.at(0).objective;
  };
  const double both = best(NodeRule::both_ends), printed = best(NodeRule::as_printed),
               gauss = best(NodeRule::gauss);
  EXPECT_NEAR(both, 0.272438, 1e-6);
  EXPECT_LT(printed, 0.95 * both);
  EXPECT_LT(gauss, both);
}

/// DS Tables 5.1 and 5.2 as recomputed independently (nodes 0..20), and what the book prints.
struct SpeedRow {
  double speed, nominal, stiffness, damping, book_nominal, book_springs;
};
constexpr SpeedRow kTable[] = {
    {0.5, 1.44917, 0.0, 0.0, 1.4, 1.4},
    {0.6, 0.442318, 0.0, 0.0, 0.44, 0.44},
    {0.7, 0.0282757, 0.0, 0.0, 0.032, 0.032},
    {0.8, 0.00482213, 0.0, 0.047829, 0.0059, 0.0038},
    {0.9, 0.0218338, 0.63286, 0.038494, 0.025, 0.0030},
    {1.0, 0.272438, 2.867, 0.034835, 0.28, 0.0065},
    {1.1, 0.816011, 6.098, 0.031757, 0.82, 0.015},
    {1.2, 1.65496, 10.806, 0.029635, 1.7, 0.032},
    {1.3, 2.79456, 17.688, 0.028731, 2.8, 0.061},
};
std::vector<double> speeds() {
  std::vector<double> all;
  for (const SpeedRow& row : kTable) all.push_back(row.speed);
  return all;
}
// The book has two digits.
constexpr double kBookRounding = 1.04;

TEST(GaitSearch, NominalColumnOfTable51) {
  const std::vector<GaitSearchResult> all = search_speeds(compass::problem({}, 0.5), speeds(), {.starts = 2});
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(kTable[i].speed);
    ASSERT_TRUE(all[i].found());
    const FoundGait& best = all[i].gaits[0];
    EXPECT_NEAR(best.objective / kTable[i].nominal, 1.0, 1e-5);
    EXPECT_NEAR(best.speed, kTable[i].speed, 1e-9);
    EXPECT_LT(best.objective, kBookRounding * kTable[i].book_nominal);
    EXPECT_LT(best.certificate.primal, 1e-9);
  }
}

SearchProblem with_springs() {
  SearchProblem problem = compass::problem<4>({}, 0.5);
  problem.parameters[2] = {"k", 1.0, 0.0, 100.0};
  problem.parameters[3] = {"d", 0.1, 0.0, 10.0};
  return problem;
}

TEST(GaitSearch, SpringsAndDampersOfTable52) {
  const std::vector<GaitSearchResult> all = search_speeds(with_springs(), speeds(), {.starts = 1});
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(kTable[i].speed);
    ASSERT_TRUE(all[i].found());
    const FoundGait& best = all[i].gaits[0];
    EXPECT_NEAR(best.motion.parameters[2], kTable[i].stiffness, 1e-4 * (1.0 + kTable[i].stiffness));
    EXPECT_NEAR(best.motion.parameters[3], kTable[i].damping, 1e-5);
    EXPECT_EQ(best.motion.parameters[0], 1.0);
    EXPECT_LT(best.objective, kBookRounding * kTable[i].book_springs);
    EXPECT_LE(best.objective, kTable[i].nominal * (1.0 + 1e-5));
  }
}

TEST(GaitSearch, TiesHold) {
  SearchProblem problem = with_springs();
  problem.parameters[0] = {"m", 1.0, 0.1, 3.0};
  problem.parameters[1] = {"mH", 5.0, 0.1, 7.0};
  problem.ties.push_back({"total mass", {0, 1}, {2.0, 1.0}, 7.0});
  GaitSearchSettings settings{.starts = 1};
  settings.program.speed = 1.0;
  const GaitSearchResult result = search_gaits(problem, settings);
  ASSERT_TRUE(result.found());
  const OwnedVector& p = result.gaits[0].motion.parameters;
  EXPECT_NEAR(2.0 * p[0] + p[1], 7.0, 1e-9);
  EXPECT_LT(result.gaits[0].objective, 1.1e-5);  // the springs' alone
}

// ---- more of the same

TEST(GaitSearch, WithoutAnyActuatorItFindsThePassiveCycle) {
  SearchProblem problem = compass::problem();
  problem.phases[0].unactuated = {0, 1};
  GaitSearchSettings settings;
  settings.program.order = 14;
  const GaitSearchResult result = search_gaits(problem, settings);
  ASSERT_TRUE(result.found());
  bool known = false;
  for (const FoundGait& g : result.gaits)
    known = known || std::abs(g.q[0] - kShortAngle) < 1e-7 || std::abs(g.q[0] - kLongAngle) < 1e-7;
  EXPECT_TRUE(known);
}

TEST(GaitSearch, AHipMotorAloneWalksOnLevelGround) {
  SearchProblem problem = compass::problem({.slope = 0.0});
  problem.phases[0].unactuated = {0};
  const GaitSearchResult result = search_gaits(problem);
  ASSERT_TRUE(result.found());
  const FoundGait& best = result.gaits[0];
  EXPECT_GT(best.step_length, 0.019);
  EXPECT_LT(best.certificate.primal, 1e-9);
  // Between the nodes where it is held to zero, the ankle's torque is small.
  const Trajectory& motion = best.motion.phases[0];
  for (double s : {0.0, 0.13, 0.5, 0.77, 1.0}) {
    const double t = s * motion.duration;
    SearchValues tau(2, 2, 0);
    problem.phases[0].torques->evaluate(
        {motion.position(t), motion.velocity(t), motion.acceleration(t), Eigen::VectorXd()}, tau);
    EXPECT_LT(std::abs(tau.value[0]), 0.05 * 9.8 * 7.0) << s;
  }
}

TEST(GaitSearch, TorqueLimitsAreKeptAndCost) {
  SearchProblem problem = compass::problem({}, 0.5);
  GaitSearchSettings settings{.starts = 2};
  settings.program.speed = 1.2;
  const FoundGait free = search_gaits(problem, settings).gaits.at(0);
  problem.phases[0].torque_lower = {-1.5}, problem.phases[0].torque_upper = {1.5};
  const GaitSearchResult result = search_gaits(problem, settings);
  ASSERT_TRUE(result.found());
  const FoundGait& held = result.gaits[0];
  EXPECT_GT(held.objective, free.objective * 1.001);
  const auto largest = [&](const FoundGait& gait) {
    double worst = 0.0;
    for (int m = 0; m <= 20; ++m) {
      const Trajectory& motion = gait.motion.phases[0];
      const double t = motion.duration * m / 20.0;
      SearchValues tau(2, 2, 0);
      problem.phases[0].torques->evaluate(
          {motion.position(t), motion.velocity(t), motion.acceleration(t), Eigen::VectorXd()}, tau);
      worst = std::max(worst, tau.value.cwiseAbs().maxCoeff());
    }
    return worst;
  };
  EXPECT_GT(largest(free), 1.6);
  EXPECT_LT(largest(held), 1.5 + 1e-8);
}

TEST(GaitSearch, TwoPhasesFindTheSameGait) {
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
       .where = SearchCondition::Where::end,
       .function = dual_function<1, 2, 0>(
           [](const auto& q, const auto&, const auto&, const auto&, auto& out) { out[0] = q[1]; }),
       .lower = {0.0},
       .upper = {0.0}});
  problem.phases = {behind, ahead};
  const GaitSearchResult result = search_gaits(problem);
  ASSERT_TRUE(result.found());
  const FoundGait& best = result.gaits[0];
  EXPECT_LT(best.objective, 1e-9);  // two polynomials come much nearer to the passive cycle
  EXPECT_LT(std::min(std::abs(best.duration - kShortTime), std::abs(best.duration - kLongTime)), 1e-5);
  EXPECT_NEAR(best.motion.phases[1].position(0.0)[1], 0.0, 1e-9);
}

// ---- failures

TEST(GaitSearch, UphillThereIsNoPassiveGaitAndTheClosestIsGiven) {
  SearchProblem problem = compass::problem({.slope = -1.0 * std::numbers::pi / 180.0});
  problem.phases[0].unactuated = {0, 1};
  GaitSearchSettings settings{.starts = 2};
  settings.solver.iterations = 200;
  const GaitSearchResult result = search_gaits(problem, settings);
  EXPECT_FALSE(result.found());
  EXPECT_GT(result.closest.certificate.primal, 1e-6);
  EXPECT_FALSE(result.closest.certificate.worst_constraint.empty());
  EXPECT_EQ(result.attempts.size(), 2u);
}

TEST(GaitSearch, AWatchEndsIt) {
  GaitSearchSettings settings;
  int calls = 0;
  settings.solver.watch = [&](const NlpProgress&) { return ++calls < 3; };
  const GaitSearchResult result = search_gaits(compass::problem(), settings);
  EXPECT_FALSE(result.found());
  EXPECT_EQ(result.attempts.size(), 1u);
  EXPECT_EQ(result.attempts[0].status, NlpStatus::interrupted);
}

TEST(GaitSearch, AWatchEndsASearchOfManySpeeds) {
  GaitSearchSettings settings;
  int calls = 0;
  settings.solver.watch = [&](const NlpProgress&) { return ++calls < 40; };
  const std::vector<GaitSearchResult> all = search_speeds(compass::problem(), speeds(), settings);
  EXPECT_EQ(calls, 40);
  EXPECT_EQ(all.size(), speeds().size());
  EXPECT_TRUE(all[0].found());
  EXPECT_TRUE(all.back().attempts.empty());
}

TEST(GaitSearch, ATimeLimitEndsIt) {
  const GaitSearchResult result = search_gaits(compass::problem(), {.time_limit = 1e-6});
  EXPECT_FALSE(result.found());
  EXPECT_LE(result.attempts.size(), 1u);
}

TEST(GaitSearch, SettingsAreChecked) {
  const auto message = [](const GaitSearchSettings& s) {
    return message_of([&] { search_gaits(compass::problem(), s); });
  };
  EXPECT_EQ(message({.starts = 0}), "starts is 0, expected at least 1");
  EXPECT_EQ(message({.low_order = 2}), "low_order is 2, expected at least 3");
  EXPECT_EQ(message({.most = 0}), "most is 0, expected at least 1");
  EXPECT_EQ(message({.same = 0.0}), "same is 0, expected more than 0");
  EXPECT_EQ(message({.time_limit = 0.0}), "time_limit is 0, expected more than 0");
}

}  // namespace
}  // namespace amble
