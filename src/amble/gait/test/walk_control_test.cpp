#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "amble/base/test/message_of.hpp"
#include "amble/gait/cycles.hpp"
#include "amble/gait/step_down.hpp"
#include "amble/gait/walk_controllers.hpp"
#include "amble/gait/walker_search.hpp"

namespace amble {
namespace {

/// DS 4.2.3: the stable gait of the compass on 3 degrees.
struct Book {
  std::unique_ptr<StepModel> walker = make_walker("compass", {{"gravity", 9.8}});
  Gait gait;
  GaitMotion motion;
};
const Book& book() {
  static const Book one = [] {
    Book b;
    ReturnMap map(*b.walker);
    const Eigen::Vector4d guess(0.2993, -0.5986, -1.073, 0.7084);
    b.gait = gait_at(map, find_cycle(map, guess).x);
    b.motion = gait_motion(*b.walker, b.gait);
    return b;
  }();
  return one;
}
ControlledWalker under(const char* controller, const WalkerValues& values = {}, const ControlLimits& limits = {}) {
  return controlled_walker(*book().walker, book().motion, controller, values, limits);
}

TEST(GaitCurve, IsTheMotionOfTheGaitThroughConfigurations) {
  const std::vector<TrackedCurve> curves = gait_curves(book().motion);
  ASSERT_EQ(curves.size(), 1u);
  ReturnMap map(*book().walker);
  double worst = 0.0, late = 0.0;
  map(book().gait.x, ReturnMap::Want::state, [&](int, double t, const OwnedVector& x, bool) {
    const double s = t / book().gait.period;
    worst = std::max(worst, (curves[0].position(s) - x.head(2)).norm());
    late = std::max(late, (curves[0].tangent(s) / book().gait.period - x.tail(2)).norm());
  });
  EXPECT_LT(worst, 1e-9);
  EXPECT_LT(late, 1e-7);
}

TEST(GaitCurve, HasAPieceForEachPhase) {
  const auto dribbel = make_walker("dribbel");
  const CyclesFound found = find_cycles(*dribbel, region_of(*dribbel), {.starts = 60});
  ASSERT_FALSE(found.cycles.empty());
  const GaitMotion motion = gait_motion(*dribbel, found.cycles[0]);
  ASSERT_EQ(motion.phases.size(), static_cast<std::size_t>(dribbel->phases()));
  double sum = 0.0;
  for (const Trajectory& phase : motion.phases) sum += phase.duration;
  EXPECT_NEAR(sum, found.cycles[0].period, 1e-12);
  EXPECT_EQ(gait_curves(motion).size(), motion.phases.size());
}

TEST(GaitCurve, ComesFromAGaitThatWasSearchedForToo) {
  GaitSearchSettings settings{.starts = 1};
  settings.program.speed = 0.8;
  const GaitSearchResult found = search_gaits(search_problem("compass", {{"gravity", 9.8}}, {}), settings);
  ASSERT_TRUE(found.found());
  const TrackedCurve curve = gait_curves(gait_motion(*book().walker, found.gaits[0])).at(0);
  EXPECT_LT((curve.position(0.0) - found.gaits[0].q).norm(), 1e-12);
  EXPECT_LT((curve.tangent(0.0) / found.gaits[0].duration - found.gaits[0].v).norm(), 1e-9);
}

TEST(GaitCurve, WalkersWithoutAMechanismAreRefused) {
  const auto simplest = make_walker("simplest");
  const CyclesFound found = find_cycles(*simplest, region_of(*simplest), {.starts = 60});
  EXPECT_EQ(message_of([&] { gait_motion(*simplest, found.cycles.at(0)); }),
            "a gait is a curve through configurations of a mechanism: this walker is given by formulas");
  Gait twice = book().gait;
  twice.steps = 2;
  EXPECT_EQ(message_of([&] { gait_motion(*book().walker, twice); }),
            "a gait that repeats itself after 2 steps is no single curve: expected one step");
}

TEST(WalkControl, OnItsGaitTheWalkerIsLeftAlone) {
  for (const char* controller : {"none", "pd", "port"}) {
    ReturnMap map(under(controller));
    const Walk w = walk(map, book().gait.x, 4, WalkOptions{.samples = false});
    ASSERT_FALSE(w.fell) << w.failure;
    const ControlFigures& f = dynamic_cast<ControlledWalker&>(map.model()).figures();
    EXPECT_LT(f.peak_torque.maxCoeff(), 0.1) << controller;
    EXPECT_LT(w.spent(), 1e-3) << controller;
    EXPECT_NEAR(f.normal, 47.9, 0.2);
    EXPECT_LT((w.x - book().gait.x).norm(), 1e-6) << controller;
  }
}

TEST(WalkControl, StepsDownOfTheBook) {  // 2 cm by itself, 5 cm and 11 cm with port-based control
  const StepDownSweep sweep{.heights = {0.02, 0.05, 0.11}, .steps = 15, .tolerance = 1e-9};
  const auto none = sweep_step_down(under("none"), book().gait.x, sweep);
  const auto port = sweep_step_down(under("port"), book().gait.x, sweep);
  EXPECT_TRUE(none[0].survived);
  EXPECT_FALSE(none[1].survived);
  for (const StepDownResult& r : port) {
    EXPECT_TRUE(r.survived) << r.height << ": " << r.failure;
    EXPECT_LT(std::abs(r.residual), 1e-9 * r.exchanged);
    EXPECT_GT(r.spent, 0.0);
  }
  EXPECT_EQ(limit_of(port).sure, 0.11);
  EXPECT_EQ(limit_of(none).sure, 0.02);
}

TEST(WalkControl, TheBooksOfAStepDownAreThoseOfTheWalk) {
  const StepDownSweep sweep{.heights = {0.05}, .footfall = 3, .steps = 7};
  for (const char* controller : {"none", "pd", "port"}) {
    const StepDownResult r = sweep_step_down(under(controller), book().gait.x, sweep).at(0);
    ReturnMap map(under(controller), {.tolerance = sweep.tolerance});
    const Walk w = walk(map, book().gait.x, 7, {.floor = {{0.05, 3}}, .samples = false});
    double gravity = w.last.gravity, lost = w.last.lost, laws = w.last.controlled();
    for (const StepLedger& s : w.steps) gravity += s.gravity, lost += s.lost, laws += s.controlled();
    EXPECT_NEAR(r.gravity, gravity, 1e-9);
    EXPECT_NEAR(r.lost, lost, 1e-9);
    EXPECT_NEAR(std::accumulate(r.law_work.begin(), r.law_work.end(), 0.0), laws, 1e-9);
    EXPECT_LT(std::abs(r.residual), 1e-8);  // a step that ends in a fall is in them
    ASSERT_TRUE(r.control && r.flat);
    EXPECT_LT(r.flat->peak_torque.maxCoeff(), 1e-6) << controller;
    EXPECT_LT(r.flat_spent, 1e-4) << controller;
    EXPECT_EQ(r.control->peak_torque.maxCoeff() > 1.0, r.laws.size() > 0) << controller;
  }
}

TEST(WalkControl, AStiffPdLawSurvivesTheStepToo) {  // which the book did not find
  const StepDownSweep sweep{.heights = {0.11}, .steps = 15, .tolerance = 1e-9};
  const WalkerValues stiff{{"stiffness", 100.0}, {"damping", 5.0}};
  const auto pd = sweep_step_down(under("pd", stiff), book().gait.x, sweep);
  const auto port = sweep_step_down(under("port"), book().gait.x, sweep);
  EXPECT_TRUE(pd[0].survived);
  EXPECT_GT(pd[0].spent, 2.0 * port[0].spent);
}

TEST(WalkControl, LawsWithoutPowerHaveNoneAndTheBooksClose) {
  ReturnMap map(under("port"));
  const Walk w = walk(map, book().gait.x, 8, {.floor = {{0.05, 3}}, .samples = false});
  ASSERT_FALSE(w.fell);
  ASSERT_EQ(w.laws, (std::vector<std::string>{"nominal", "asymptotic", "potential", "energy"}));
  for (const StepLedger& step : w.steps) {
    EXPECT_NEAR(step.laws[0], 0.0, 1e-9);
    EXPECT_NEAR(step.laws[1], 0.0, 1e-9);
    EXPECT_NEAR(step.residual(), 0.0, 1e-9);
  }
  EXPECT_LT(w.steps[3].laws[3], -1.0);  // the step gave energy that has to go
}

TEST(WalkControl, ATorqueLimitIsKeptAndTold) {
  ReturnMap map(under("port", {}, {.torque = 2.0}));
  walk(map, book().gait.x, 6, {.floor = {{0.03, 3}}, .samples = false});
  const ControlFigures& f = dynamic_cast<ControlledWalker&>(map.model()).figures();
  EXPECT_NEAR(f.peak_torque.maxCoeff(), 2.0, 1e-9);
  EXPECT_LT(f.scale, 1.0);
}

TEST(WalkControl, WithoutAnAnkleMotorAPartOfTheLawsIsMissingAndTheyHavePower) {
  ReturnMap map(under("port", {}, {.unactuated = {"q3"}}));
  const Walk w = walk(map, book().gait.x, 8, {.floor = {{0.02, 3}}, .samples = false});
  const ControlFigures& f = dynamic_cast<ControlledWalker&>(map.model()).figures();
  EXPECT_EQ(f.peak_torque[0], 0.0);
  EXPECT_GT(f.peak_torque[1], 0.0);
  EXPECT_GT(f.missing, 0.1);
  double power = 0.0;
  for (const StepLedger& step : w.steps) power = std::max(power, std::abs(step.laws[0]));
  EXPECT_GT(power, 1e-6);
  EXPECT_LT(std::abs(w.residual()), 1e-8);
}

TEST(WalkControl, PressureUnderTheFootIsTheAnklesTorque) {
  // Of a foot that is a point: the floor's moment is the torque of q3 alone.
  const ControlledWalker walker = under("pd", {{"stiffness", 30.0}});
  ReturnMap map(walker);
  auto& model = dynamic_cast<ControlledWalker&>(map.model());
  OwnedVector x = book().gait.x;
  x[0] += 0.02, x[1] -= 0.04;
  model.keep_trace(true);
  const Walk w = walk(map, x, 1, WalkOptions{});
  MechanismPhase& phase = model.walker().mechanism_phase(0);
  for (std::size_t i = 0; i < model.trace().size(); i += 7) {
    const ControlSample& s = model.trace()[i];
    const Eigen::VectorXd tau = s.forces.rowwise().sum();
    OwnedVector a(2);
    phase.forced_acceleration(s.x.data(), tau, a.data());
    const StanceFoot foot = stance_foot(phase, s.x.data(), a.data());
    EXPECT_NEAR(foot.moment.y(), -tau[0], 1e-5 * (1.0 + std::abs(tau[0])));  // q3 turns about -y
    EXPECT_NEAR(foot.moment.x(), 0.0, 1e-6);
  }
  EXPECT_EQ(model.trace().size(), w.samples.size());
}

TEST(WalkControl, MultipliersUnderControlAreThoseOfDifferences) {
  ReturnMap map(under("pd"), {.tolerance = 1e-13});
  const Step varied = map(book().gait.x, ReturnMap::Want::derivative);
  const Eigen::Vector4d d(0.3, -0.6, 0.2, -0.5);  // keeps both feet on the floor
  constexpr double h = 2e-6;  // set points stop moving at the end of a step: slopes change there, by 1 for 1 of h
  const Eigen::VectorXd slope =
      (map(book().gait.x + h * d).x - map(book().gait.x - h * d).x) / (2.0 * h);
  EXPECT_LT((varied.derivative * d - slope).norm(), 1e-5 * slope.norm());
}

TEST(WalkControl, WhatMakesNoSenseIsRefused) {
  EXPECT_EQ(message_of([] { under("prot"); }), "there is no controller 'prot' (did you mean 'port'?); there are none, pd, port");
  EXPECT_EQ(message_of([] { under("pd", {{"stifness", 1.0}}); }),
            "controller 'pd' has no parameter 'stifness' (did you mean 'stiffness'?); it has stiffness, damping");
  EXPECT_EQ(message_of([] { under("pd", {}, {.unactuated = {"q5"}}); }),
            "there is no coordinate 'q5' to be without actuator (did you mean 'q3'?); there are q3, q4");
  EXPECT_EQ(message_of([] { under("pd", {}, {.friction = 0.0}); }), "friction 0: expected more than 0");
  EXPECT_EQ(message_of([] { sweep_step_down(*book().walker, book().gait.x, {.heights = {0.0}, .footfall = 5, .steps = 5}); }),
            "a walk of 5 steps is over before what comes after footfall 5 is seen");
  const std::string up = "a step down of -0.1 m at footfall 5: expected a height of 0 or more and a footfall of 1 or more";
  EXPECT_EQ(message_of([] { sweep_step_down(*book().walker, book().gait.x, {.heights = {0.0, -0.1}}); }), up);
  EXPECT_EQ(message_of([] {
              ReturnMap map(*book().walker);
              walk(map, book().gait.x, 8, StepDown{-0.1, 5});
            }),
            up);
}

}  // namespace
}  // namespace amble
