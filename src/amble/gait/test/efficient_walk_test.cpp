#include "amble/gait/efficient_walk.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "amble/base/error.hpp"

namespace amble {
namespace {

TEST(EfficientWalk, ASpringIsFoundInItsOwnTorque) {
  ActuatorCurve curve{.name = "q4"};
  for (int i = 0; i < 50; ++i) {
    curve.t.push_back(0.02 * i);
    curve.q.push_back(0.4 * std::cos(3.0 * curve.t.back()) + 0.1);
    curve.v.push_back(0.0);
    curve.tau.push_back(-7.0 * (curve.q.back() - 0.25));
  }
  const ActuatorCurve::Spring spring = curve.spring();
  EXPECT_NEAR(spring.stiffness, 7.0, 1e-12);
  EXPECT_NEAR(spring.rest, 0.25, 1e-12);
  EXPECT_NEAR(spring.share, 1.0, 1e-12);
  std::fill(curve.q.begin(), curve.q.end(), 0.3);  // it does not move: no spring can be told
  EXPECT_EQ(curve.spring().share, 0.0);
}

struct Walked {
  WalkerValues values{{"slope_deg", 0.0}, {"hip_damping", 0.2}, {"hip_stiffness", 3.0}, {"hip_rest", 0.1}};
  FoundGait gait;
  SearchFigures figures;
  Walked() {
    GaitSearchSettings settings{.starts = 1};
    settings.program.speed = 0.6;
    const GaitSearchResult found = search_gaits(search_problem("compass", values), settings);
    if (!found.found()) throw Error("no gait");
    gait = found.gaits[0];
    figures = figures_of("compass", values, {}, gait);
  }
};

TEST(EfficientWalk, ItsBooksCloseWithDampersAndSpringsThatAreHungAnew) {
  const Walked w;
  EXPECT_NEAR(w.figures.residual(), 0.0, 1e-8);
  EXPECT_GT(w.figures.damper_loss, 0.0);
  // What a spring gives is what hanging it anew puts into it: 2 k rest q4.
  const double q4 = -w.gait.q[1];
  EXPECT_NEAR(w.figures.spring_work, 2.0 * 3.0 * 0.1 * q4, 1e-8);
  const Walk walked = walk_of(walker_kind("compass"), w.figures, w.gait, 3);
  ASSERT_EQ(walked.steps.size(), 3u);
  for (const StepLedger& s : walked.steps) EXPECT_NEAR(s.residual(), 0.0, 1e-8);
  EXPECT_NEAR(walked.distance(), 3.0 * w.gait.step_length, 1e-12);
  EXPECT_NEAR(walked.samples.back().q[0], 2.0 * w.gait.step_length, 1e-12);
}

TEST(EfficientWalk, CurvesHoldTheWorkOfActuators) {
  const Walked w;
  const std::vector<ActuatorCurve> curves =
      actuator_curves(walker_kind("compass"), w.values, {}, w.gait, 2000);
  ASSERT_EQ(curves.size(), 2u);
  double work = 0.0;
  for (const ActuatorCurve& c : curves)
    for (std::size_t i = 1; i < c.t.size(); ++i)
      work += 0.5 * (c.tau[i] * c.v[i] + c.tau[i - 1] * c.v[i - 1]) * (c.t[i] - c.t[i - 1]);
  EXPECT_NEAR(work, w.figures.actuator_work, 1e-4 * (1.0 + std::abs(work)));
  std::istringstream lines(csv(curves));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "coordinate,t,q,v,torque,power");
  std::getline(lines, line);
  EXPECT_EQ(std::count(line.begin(), line.end(), ','), 5);
}

}  // namespace
}  // namespace amble
