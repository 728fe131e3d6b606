#include "amble/gait/return_map.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "amble/base/error.hpp"
#include "amble/gait/cycles.hpp"
#include "amble/walkers/walkers.hpp"

namespace amble {
namespace {

struct Case {
  const char* walker;
  WalkerValues values;
  std::vector<double> x;  // a state from which a step is completed
};

/// Near the gaits of each, not at them.
std::vector<Case> cases() {
  return {{"compass", {{"gravity", 9.8}}, {0.29, -0.59, -1.08, 0.70}},
          {"compass",
           {{"leg_mass", 2.0},
            {"leg_com", 0.4},
            {"leg_inertia", 0.05},
            {"hip_stiffness", 1.0},
            {"hip_damping", 0.05}},
           {0.3, -0.6, -1.3, 0.4}},
          {"compass", {{"foot_radius", 0.2}}, {0.36, -0.73, -1.25, 0.86}},
          {"simplest", {}, {0.2, -0.4, -0.2, 0.016}},
          {"rimless", {}, {M_PI / 8, -1.2}},
          {"dribbel", {}, {0.27, -0.54, 0.0, -1.14, 0.33, 0.0}},
          {"bisecting", {{"foot_radius", 0.3}, {"hip_stiffness", 0.0}}, {0.516, -0.516, -1.18, 0.319}},
          {"pointmass3d", {}, {-0.3, -0.11, 0.3, 0.1, 2.02, 0.09, 0.0, 0.0}},
          {"pointmass3d",
           {{"hip_mass", 3.0}, {"leg_length", 0.8}, {"slope_deg", 2.0}, {"lateral_gain", 0.2}},
           {-0.3, -0.1, 0.3, 0.1, 2.3, 0.1, 0.0, 0.0}}};
}

OwnedVector state(const Case& c) {
  return Eigen::Map<const Eigen::VectorXd>(c.x.data(), static_cast<Eigen::Index>(c.x.size()));
}

TEST(ReturnMap, ItsDerivativeIsThatOfDifferencesOfOrderSix) {
  for (const Case& c : cases()) {
    const auto model = make_walker(c.walker, c.values);
    ReturnMap map(*model);
    const OwnedVector x = state(c);
    const Step step = map(x, ReturnMap::Want::derivative);
    ASSERT_TRUE(step.completed) << c.walker << ": " << step.failure;
    const double h = 2e-4;
    Eigen::MatrixXd differences(x.size(), x.size());
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      const auto at = [&](double share) {
        OwnedVector moved = x;
        moved[i] += share * h;
        const Step there = map(moved);
        EXPECT_TRUE(there.completed) << c.walker << ": " << there.failure;
        return Eigen::VectorXd(there.x);
      };
      differences.col(i) = (45.0 * (at(1) - at(-1)) - 9.0 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60.0 * h);
    }
    EXPECT_LT((step.derivative - differences).norm(), 3e-8 * (1.0 + differences.norm()))
        << c.walker << "\n"
        << step.derivative << "\n\n"
        << differences;
  }
}

TEST(ReturnMap, BooksOfAStepClose) {
  for (const Case& c : cases()) {
    const auto model = make_walker(c.walker, c.values);
    ReturnMap map(*model);
    const Step s = map(state(c), ReturnMap::Want::books);
    ASSERT_TRUE(s.completed) << s.failure;
    EXPECT_NEAR(s.kinetic_after - s.kinetic_before,
                s.gravity_work + s.spring_work + s.damper_work + s.supplied - s.lost, 1e-10)
        << c.walker;
    EXPECT_GT(s.lost, 0.0);
    EXPECT_LE(s.damper_work, 0.0);
  }
}

TEST(ReturnMap, SeveralStepsAreOneAfterAnother) {
  const Case c = cases().front();
  const auto model = make_walker(c.walker, c.values);
  ReturnMap map(*model);
  const Step once = map(state(c), ReturnMap::Want::derivative),
             twice = map(once.x, ReturnMap::Want::derivative);
  const Step both = map.repeat(state(c), 2, ReturnMap::Want::derivative);
  EXPECT_EQ(both.x, twice.x);
  EXPECT_DOUBLE_EQ(both.period, once.period + twice.period);
  EXPECT_LT((both.derivative - twice.derivative * once.derivative).norm(), 1e-14 * both.derivative.norm());
}

TEST(ReturnMap, AWalkerThatFallsSaysHow) {
  const auto model = make_walker("compass");
  ReturnMap map(*model);
  OwnedVector x(4);
  x << 0.3, -0.6, 0.0, 0.0;
  EXPECT_EQ(map(x).failure, "falls over");
  x[2] = NAN;
  EXPECT_THROW(map(x), Error);
  EXPECT_THROW(map(OwnedVector(3)), Error);
}

TEST(ReturnMap, AScuffingLegIsSeenWhenAskedFor) {
  const auto ignored = make_walker("compass"), detected = make_walker("compass", {}, Scuffing::detect);
  OwnedVector x(4);
  x << 0.29929446431878, -0.59858892863756, -1.0735, 0.7088;
  EXPECT_TRUE(ReturnMap(*ignored)(x).completed);
  EXPECT_EQ(ReturnMap(*detected)(x).failure, "scuffs the floor with the swing foot");
}

}  // namespace
}  // namespace amble
