#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/gait/cycles.hpp"
#include "amble/gait/step_down.hpp"
#include "amble/gait/walk_controllers.hpp"
#include "amble/gait/walker_search.hpp"

namespace amble {
namespace {

/// A gait on level ground, which a walker does not have by itself.
struct Searched {
  std::unique_ptr<StepModel> walker;
  FoundGait gait;
  GaitMotion motion;
  SearchFigures figures;

  Searched(const char* name, double speed, const WalkerSearch& search) {
    const WalkerValues level{{"slope_deg", 0.0}};
    GaitSearchSettings settings{.starts = 1};
    settings.program.speed = speed;
    walker = make_walker(name, level);
    gait = search_gaits(search_problem(name, level, search), settings).gaits.at(0);
    motion = gait_motion(*walker, gait);
    figures = figures_of(name, level, search, gait);
  }
};
const Searched& compass() {
  static const Searched one("compass", 0.6, {.foot_speed = 0.2});
  return one;
}
ControlledWalker under(const char* controller, const WalkerValues& values = {},
                       const ControlLimits& limits = {}) {
  return controlled_walker(*compass().walker, compass().motion, controller, values, limits);
}

TEST(SearchedGait, TorquesAreThoseThatTheSearchAskedFor) {  // its inverse dynamics beside forward dynamics
  const SearchProblem problem = search_problem("compass", {{"slope_deg", 0.0}}, {.foot_speed = 0.2});
  const Trajectory& motion = compass().gait.motion.phases[0];
  SearchValues tau(2, 2, 0);
  double largest = 0.0;
  for (int i = 0; i <= 50; ++i) {
    const double t = motion.duration * i / 50;
    const OwnedVector q = motion.position(t), v = motion.velocity(t), a = motion.acceleration(t);
    problem.phases[0].torques->evaluate({q, v, a, compass().gait.motion.parameters}, tau);
    EXPECT_LT((compass().motion.torques[0].position(t) - tau.value).norm(), 1e-9);
    largest = std::max(largest, tau.value.norm());
  }
  EXPECT_GT(largest, 0.5);
}

TEST(SearchedGait, EveryControllerReproducesItFromItsStart) {
  for (const char* controller : {"none", "pd", "port"}) {
    ReturnMap map(under(controller));
    const OwnedVector x = compass().motion.start();
    const Step step = map(x);
    ASSERT_TRUE(step.completed) << controller << ": " << step.failure;
    EXPECT_LT((step.x - x).norm(), 1e-8) << controller;
    EXPECT_NEAR(step.period, compass().gait.duration, 1e-8) << controller;
  }
}

TEST(SearchedGait, FeedbackMakesItStable) {
  const OwnedVector x = compass().motion.start();
  const auto leading = [&](const char* controller) {
    ReturnMap map(under(controller));
    const NewtonResult cycle = find_cycle(map, x);
    EXPECT_TRUE(cycle.converged) << controller;
    EXPECT_LT((cycle.x - x).norm(), 1e-7) << controller;
    return std::abs(gait_at(map, cycle.x).leading());
  };
  EXPECT_GT(leading("none"), 1.5);
  EXPECT_LT(leading("pd"), 0.6);
  EXPECT_LT(leading("port"), 0.3);
}

TEST(SearchedGait, ActuatorsSpendWhatTheSearchSaid) {
  for (const char* controller : {"pd", "port"}) {
    ReturnMap map(under(controller));
    const Walk w = walk(map, compass().motion.start(), 10, WalkOptions{.samples = false});
    ASSERT_FALSE(w.fell) << controller << ": " << w.failure;
    EXPECT_NEAR(w.spent(), 10 * compass().figures.positive_work, 1e-4 * w.spent()) << controller;
    EXPECT_LT(std::abs(w.residual()), 1e-8 * w.exchanged()) << controller;
    ASSERT_EQ(w.laws.back(), "gait");
    for (const StepLedger& step :
         w.steps)  // the gait's own torques do the work: the others are left with rounding
      EXPECT_NEAR(step.controlled(), compass().figures.actuator_work, 1e-6) << controller;
  }
}

TEST(SearchedGait, PortTakesAStepDownThatNeitherPdNorTheTorquesAloneDo) {
  const StepDownSweep sweep{.heights = {0.0, 0.01}, .steps = 15, .tolerance = 1e-9};
  for (const char* controller : {"none", "pd"}) {
    const auto weaker = sweep_step_down(under(controller), compass().motion.start(), sweep);
    EXPECT_TRUE(weaker[0].survived) << controller;
    EXPECT_FALSE(weaker[1].survived) << controller;
  }
  const auto port = sweep_step_down(under("port"), compass().motion.start(), sweep);
  for (const StepDownResult& r : port) {
    EXPECT_TRUE(r.survived) << r.height << ": " << r.failure;
    EXPECT_LT(std::abs(r.residual), 1e-8 * r.exchanged);
  }
}

TEST(SearchedGait, ThePortGivesTheSameEnergyWhateverThePace) {
  // Along the curve at another speed, without (5.27): the energy rises by as much as the gait's.
  const double gained = compass().motion.energies[0].position(compass().gait.duration)[0] -
                        compass().motion.energies[0].position(0.0)[0];
  for (const double faster : {1.05, 1.2}) {
    ReturnMap map(under("port", {{"energy_gain", 0.0}}));
    OwnedVector x = compass().motion.start();
    x.tail(2) *= faster;
    const Walk w = walk(map, x, 1, WalkOptions{.samples = false});
    ASSERT_FALSE(w.fell) << w.failure;
    double given = 0.0;
    for (const double law : w.steps[0].laws) given += law;
    EXPECT_NEAR(given, gained, 1e-6) << faster;
  }
}

TEST(SearchedGait, ThatOfAWalkerWithKneesIsFollowedThroughItsPhases) {
  const Searched dribbel("dribbel", 0.5, {.foot_speed = 0.3, .knee_bend = 0.2});
  const Trajectory& bent = dribbel.gait.motion.phases[0];
  EXPECT_LT(bent.position(0.5 * bent.duration)[2], -0.2 + 1e-6);
  ReturnMap map(controlled_walker(*dribbel.walker, dribbel.motion, "pd"));
  const Walk w = walk(map, dribbel.motion.start(), 6, WalkOptions{.samples = false});
  ASSERT_FALSE(w.fell) << w.failure;
  EXPECT_LT((w.x - dribbel.motion.start()).norm(), 1e-7);
  EXPECT_NEAR(w.spent(), 6 * dribbel.figures.positive_work, 1e-4 * w.spent());
}

TEST(SearchedGait, KneesThatLeanOnTheirStopsAreTold) {
  FoundGait gait = Searched("dribbel", 0.5, {.foot_speed = 0.3, .knee_bend = 0.2}).gait;
  gait.motion.phases[0].coefficients.row(2) *= -1.0;
  const std::unique_ptr<StepModel> walker = make_walker("dribbel", {{"slope_deg", 0.0}});
  const std::string message = message_of([&] { gait_motion(*walker, gait); });
  EXPECT_TRUE(message.starts_with("this gait cannot be followed: in '")) << message;
  EXPECT_TRUE(message.ends_with("Search for one whose knee bends (knee_bend)")) << message;
  EXPECT_EQ(message_of([&] { gait_motion(*compass().walker, gait); }),
            "a gait of 2 phases is of another walker: this one has 1");
}

}  // namespace
}  // namespace amble
