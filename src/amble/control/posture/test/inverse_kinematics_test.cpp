#include "amble/control/posture/inverse_kinematics.hpp"

#include <gtest/gtest.h>

#include "amble/base/error.hpp"
#include "amble/base/test/source_dir.hpp"
#include "amble/control/posture/joint_bounds.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/io/load.hpp"
#include "amble/mechanism/random_mechanism.hpp"

namespace amble {
namespace {

Mechanism humanoid() { return load(source_dir() + "/models/humanoid30.urdf", {.base = Base::floating}); }
Mechanism arm() { return load(source_dir() + "/models/arm7.urdf"); }

std::string message(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(KinematicRows, JacobiansAreThoseOfDifferences) {
  const Mechanism m = humanoid();
  Random random(3);
  const Pose X(SO3<double>::exp({0.3, -0.8, 1.1}), {0.1, -0.2, 0.4});
  KinematicTarget pose = pose_target("left_fist", X), point = position_target("head", {1.0, 2.0, 3.0}, {0.1, 0.2, 0.3});
  pose.X_PF = Pose(SO3<double>::exp({-0.4, 0.2, 0.9}), {0.02, -0.03, 0.05});
  KinematicRows rows(m, {pose, point, orientation_target("right_sole", X.rotation()), center_of_mass_target({0.1, 0.2, 0.3})});
  ASSERT_EQ(rows.rows(), 15);
  const OwnedVector q = m.random(7);
  const Eigen::MatrixXd J = rows.jacobian(q);
  for (int k = 0; k < m.nv(); ++k) {
    const auto at = [&](double h) { return Eigen::VectorXd(rows.evaluate(m.integrate(q, OwnedVector(h * Eigen::VectorXd::Unit(m.nv(), k))))); };
    const double h = 1e-3;
    const Eigen::VectorXd d = (45.0 * (at(h) - at(-h)) - 9.0 * (at(2 * h) - at(-2 * h)) + (at(3 * h) - at(-3 * h))) / (60.0 * h);
    EXPECT_LT((J.col(k) - d).cwiseAbs().maxCoeff(), 1e-10) << "velocity " << k;
  }
}

// A pose that a configuration within the limits has can be reached, and is.
TEST(InverseKinematics, ReachesThePosesOfConfigurationsOfAnArm) {
  const Mechanism m = arm();
  Workspace work(m);
  int solved = 0;
  for (int seed = 1; seed <= 100; ++seed) {
    const Pose wanted = pose(m, work, m.random(seed), "gripper");
    const IkResult r = inverse_kinematics(m, {pose_target("gripper", wanted)}, m.neutral(), {.attempts = 20});
    if (!r.solved()) continue;
    ++solved;
    const Pose reached = pose(m, work, r.q, "gripper");
    EXPECT_LT((reached.matrix() - wanted.matrix()).cwiseAbs().maxCoeff(), 1e-9) << "seed " << seed;
    EXPECT_GE(limit_margin(m, r.q), -1e-9) << "seed " << seed;
  }
  EXPECT_EQ(solved, 100);
}

TEST(InverseKinematics, PutsFeetHandsAndCentreOfMassOfAHumanoid) {
  const Mechanism m = humanoid();
  Workspace work(m);
  OwnedVector q = m.neutral();
  q[2] = 0.705;
  std::vector<KinematicTarget> targets{pose_target("left_sole", Pose(Vector3<double>(0.02, 0.09, 0.0))),
                                       pose_target("right_sole", Pose(Vector3<double>(0.02, -0.09, 0.0))),
                                       position_target("left_fist", {0.35, 0.2, 0.9}), center_of_mass_target({0.03, 0.0, 0.6})};
  targets[3].weights[2] = 0.0;  // its height is free
  const IkResult r = inverse_kinematics(m, targets, q);
  ASSERT_TRUE(r.solved()) << name_of(r.status) << " " << r.error;
  EXPECT_LT(r.iterations, 40);
  const Vector3<double> com = center_of_mass(m, work, r.q);
  EXPECT_NEAR(com[0], 0.03, 1e-9);
  EXPECT_NEAR(com[1], 0.0, 1e-9);
  EXPECT_NEAR(pose(m, work, r.q, "left_sole").translation()[2], 0.0, 1e-9);
  EXPECT_GE(limit_margin(m, r.q), -1e-9);
}

TEST(InverseKinematics, SaysWhatIsOutOfReachAndComesAsNearAsItCan) {
  const Mechanism m = arm();
  Workspace work(m);
  const Vector3<double> far(5.0, 0.0, 0.5);
  const IkResult r = inverse_kinematics(m, {position_target("gripper", far)}, m.random(1));
  EXPECT_EQ(r.status, IkStatus::unreachable);
  EXPECT_NEAR(r.residuals[0].position, (pose(m, work, r.q, "gripper").translation() - far).norm(), 1e-12);
  // No configuration of many is nearer.
  for (int seed = 1; seed <= 2000; ++seed)
    EXPECT_GE((pose(m, work, m.random(seed), "gripper").translation() - far).norm(), r.residuals[0].position - 1e-5);
}

TEST(InverseKinematics, StaysWithinTheLimitsFromAStartBeyondThem) {
  const Mechanism m = humanoid();
  OwnedVector q = m.neutral();
  for (int i = 7; i < m.nq(); ++i) q[i] = 10.0;
  const IkResult r = inverse_kinematics(m, {position_target("left_fist", {0.2, 0.3, 0.2})}, q);
  EXPECT_TRUE(r.solved());
  EXPECT_GE(limit_margin(m, r.q), -1e-9);
}

TEST(InverseKinematics, HeldJointsStay) {
  const Mechanism m = humanoid();
  const OwnedVector q = m.random(5);
  const IkResult r = inverse_kinematics(m, {position_target("left_fist", {0.2, 0.3, 0.2})}, q, {.held = {"left_elbow", "waist_yaw"}});
  EXPECT_TRUE(r.solved());
  EXPECT_EQ(r.q[m.q_slice("left_elbow").start], q[m.q_slice("left_elbow").start]);
  EXPECT_EQ(r.q[m.q_slice("waist_yaw").start], q[m.q_slice("waist_yaw").start]);
}

TEST(InverseKinematics, KeepsBodiesApart) {
  const Mechanism m = humanoid();
  OwnedVector q = m.neutral();
  q[m.q_slice("left_elbow").start] = -1.0;
  // A hand in the middle of the chest cannot be; with the bodies apart it ends before it.
  const Vector3<double> inside(0.1, 0.0, 0.45);
  const std::vector<std::string> held{"root_joint", "waist_yaw", "waist_pitch"};
  const IkResult through = inverse_kinematics(m, {position_target("left_fist", inside)}, q, {.held = held});
  BodyDistances distance(m, {.pairs = {{"left_hand", "chest"}}});
  ASSERT_LT(distance.evaluate(through.q)[0].at.distance, 0.0);
  const IkResult r = inverse_kinematics(m, {position_target("left_fist", inside)}, q,
                                        {.held = held, .apart = {{"left_hand", "chest"}}, .clearance = 0.03, .apart_weight = 1e4});
  EXPECT_EQ(r.status, IkStatus::unreachable);
  EXPECT_NEAR(distance.evaluate(r.q)[0].at.distance, 0.03, 1e-3);
  EXPECT_EQ(r.nearest, distance.evaluate(r.q)[0].at.distance);
  // And a place beside it is reached with the clearance kept.
  const IkResult beside = inverse_kinematics(m, {position_target("left_fist", {0.25, 0.05, 0.45})}, q,
                                             {.held = held, .apart = {{"left_hand", "chest"}, {"left_wrist", "chest"}}, .clearance = 0.03});
  EXPECT_TRUE(beside.solved());
  EXPECT_GE(beside.nearest, 0.03 - 1e-9);
}

TEST(InverseKinematics, WorksForEveryJointType) {
  for (int seed = 1; seed <= 30; ++seed) {
    const Mechanism m = random_mechanism(seed).mechanism;
    const std::string body = m.body_names().back();
    Workspace work(m);
    const Pose wanted = pose(m, work, m.random(seed + 100), body);
    const IkResult r = inverse_kinematics(m, {position_target(body, wanted.translation())}, m.random(seed), {.attempts = 10});
    EXPECT_TRUE(r.solved()) << "seed " << seed << " " << name_of(r.status) << " " << r.error;
  }
}

TEST(InverseKinematics, RefusesWhatCannotBe) {
  const Mechanism m = arm();
  const OwnedVector q = m.neutral();
  EXPECT_EQ(message([&] { inverse_kinematics(m, {}, q); }), "inverse kinematics has no target: expected one or more");
  EXPECT_NE(message([&] { inverse_kinematics(m, {position_target("grippe", {})}, q); }).find("did you mean 'gripper'"), std::string::npos);
  KinematicTarget t = center_of_mass_target({});
  t.weights.setOnes();
  EXPECT_EQ(message([&] { inverse_kinematics(m, {t}, q); }), "the centre of mass has no orientation: expected weights of zero for it");
  t.weights = -Vector6<double>::Ones();
  EXPECT_EQ(message([&] { inverse_kinematics(m, {t}, q); }),
            "the target of 'center of mass' has weights that are negative or all zero: expected some above 0");
  EXPECT_EQ(message([&] { inverse_kinematics(m, {position_target("gripper", {NAN, 0.0, 0.0})}, q); }),
            "the target of 'gripper' has a number that is not finite");
  EXPECT_EQ(message([&] { IkSettings{.tolerance = 0.0}.validate(); }), "tolerance is 0: expected a number above 0");
  EXPECT_EQ(message([&] { IkSettings{.iterations = 0}.validate(); }), "iterations is 0: expected 1 or more");
  EXPECT_EQ(message([&] { IkSettings{.attempts = 0}.validate(); }), "attempts is 0: expected 1 or more");
  EXPECT_EQ(message([&] { IkSettings{.clearance = -1.0}.validate(); }), "clearance is -1: expected a length of 0 or more");
  EXPECT_EQ(message([&] { IkSettings{.apart_weight = 0.0}.validate(); }), "apart_weight is 0: expected a number above 0");
}

}  // namespace
}  // namespace amble
