#include <gtest/gtest.h>

#include "amble/base/test/count_allocations.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/control/tasks/clearance_task.hpp"
#include "amble/control/tasks/point_task.hpp"
#include "amble/control/test/standing_robot.hpp"

namespace amble {
namespace {

/// The arm that is told to go through the trunk.
const std::vector<BodyPair> kPairs = {{"left_hand", "torso"}, {"left_forearm", "torso"}, {"left_hand", "pelvis"},
                                      {"left_lower_forearm", "torso"}};

struct Reaching {
  Mechanism m = standing_humanoid();
  std::shared_ptr<PointTask> hand = std::make_shared<PointTask>("hand", m, "left_hand");
  std::shared_ptr<ClearanceTask> apart;
  Standing robot;
  double nearest = kInfinity, error = 0.0;
  int degraded = 0, asked = 0;

  explicit Reaching(bool avoids)
      : apart(std::make_shared<ClearanceTask>("apart", m, BodyDistanceOptions{kPairs})), robot({}, {hand, apart}) {
    apart->enabled = avoids;
    hand->gains = {100.0, 10.0};  // less damped than would be wise
    hand->weight = 0.1;
  }

  /// The motion that the controller asks for, with the hand sent into the trunk and about in it.
  void move(double duration) {
    constexpr double kPeriod = 1e-3;
    BodyDistances check(m, {kPairs});
    Workspace work(m);
    const Pose X_WT = pose(m, work, robot.q, "torso");
    for (double t = 0.0; t < duration; t += kPeriod) {
      hand->position = X_WT * Vector3<double>(0.1 * std::sin(3.0 * t), -0.05, 0.1 * std::cos(2.0 * t));
      const WholeBodyResult& r = robot.controller->solve(robot.q, robot.v, t);
      degraded += !r.solved();
      robot.v += kPeriod * r.a;
      robot.q = m.integrate(robot.q, kPeriod * robot.v);
      for (const BodyDistance& d : check.evaluate(robot.q)) nearest = std::min(nearest, d.at.distance);
      error = std::max(error, apart->error());
    }
  }
};

TEST(Clearance, an_arm_sent_through_the_trunk_stays_outside) {
  Reaching blind(false), careful(true);
  blind.move(2.0), careful.move(2.0);
  EXPECT_LT(blind.nearest, -0.003);
  EXPECT_GT(careful.nearest, careful.apart->clearance - 0.005);
  EXPECT_LT(careful.nearest, careful.apart->clearance + 0.005);  // and goes as near as it may
  EXPECT_LT(careful.error, 0.005);
  EXPECT_EQ(careful.degraded, 0);
}

TEST(Clearance, bodies_that_are_too_near_part_again) {
  Reaching s(true);
  s.apart->clearance = 0.0;
  s.hand->position = {0.0, 0.0, 0.8};
  s.move(0.5);
  s.apart->clearance = 0.03;
  s.move(0.5);
  EXPECT_GT(s.apart->nearest().at.distance, 0.028);
}

// The second derivative of the distance along the motion that was asked for is what the row says.
TEST(Clearance, the_distance_accelerates_as_the_row_says) {
  const Mechanism m = standing_humanoid();
  ClearanceTask task("apart", m, {.pairs = {{"left_hand", "pelvis"}}});
  task.range = 10.0, task.braking.deceleration = 1e4;
  MotionState state(m);
  Random random(4);
  BodyDistances distances(m, {.pairs = {{"left_hand", "pelvis"}}});
  int smooth = 0;
  for (int trial = 0; trial < 40; ++trial) {
    OwnedVector q = bent_knees(m), v(m.nv());
    for (double& x : v) x = 0.3 * random.normal();
    state.set(q, v, 0.0);
    Eigen::VectorXd row = Eigen::VectorXd::Zero(m.nv());
    double lower = 0.0, upper = 0.0;
    int column = -1;
    ASSERT_EQ(task.evaluate({state, {}}, {row.data(), m.nv(), &lower, &upper, &column}), 1);
    const auto distance = [&](double t) { return distances.evaluate(m.integrate(q, t * v))[0].at.distance; };
    constexpr double h = 4e-3;
    const double d = distance(0.0), speed = (distance(h) - distance(-h)) / (2 * h);
    const double second = (distance(h) - 2 * d + distance(-h)) / (h * h);
    EXPECT_NEAR(row.dot(v), speed, 1e-3 * (1.0 + std::abs(speed)));
    const double bias = -lower - task.braking.most_acceleration(d - task.clearance, -row.dot(v));
    smooth += std::abs(bias - second) < 0.05 * (1.0 + std::abs(second));
  }
  EXPECT_GT(smooth, 30);  // elsewhere the nearest points change faces
}

#ifdef AMBLE_COUNTS_ALLOCATIONS
TEST(Clearance, ticks_allocate_nothing) {
  Reaching s(true);
  s.move(0.3);
  ASSERT_LT(s.apart->nearest().at.distance, s.apart->range);
  EXPECT_EQ(allocations_of([&] { s.robot.controller->solve(s.robot.q, s.robot.v); }), 0);
}
#endif

TEST(Clearance, messages_name_what_is_wrong) {
  const Mechanism m = standing_humanoid();
  ClearanceTask task("apart", m, {.pairs = {{"left_hand", "torso"}}});
  EXPECT_EQ(task.level, 0);
  task.range = 0.01;
  EXPECT_EQ(message_of([&] { task.validate(); }), "task 'apart': range, expected above the clearance, is 0.01");
  task.range = 0.1, task.clearance = -1.0;
  EXPECT_EQ(message_of([&] { task.validate(); }), "task 'apart': clearance, expected 0 or more, is -1");
  EXPECT_NE(message_of([&] { ClearanceTask("apart", m, {.pairs = {{"nose", "torso"}}}); }).find("nose"), std::string::npos);
}

}  // namespace
}  // namespace amble
