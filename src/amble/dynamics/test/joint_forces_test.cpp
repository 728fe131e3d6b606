#include "amble/dynamics/joint_forces.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/test/random_state.hpp"

namespace amble {
namespace {

Wrench<double> random_wrench(Random& random) {
  Vector6<double> F;
  for (double& x : F.reshaped()) x = random.uniform(-10, 10);
  return Wrench<double>(F);
}

TEST(JointForces, AreThePullBackByJacobians) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const RandomState s = any_state(seed);
    Workspace work(s.m);
    Random random(seed);
    std::vector<ExternalWrench> wrenches{{-1, random_wrench(random)}};
    Eigen::VectorXd expected = Eigen::VectorXd::Zero(s.m.nv());
    for (int k = 0; k < 5; ++k) {  // a body may be drawn twice: wrenches add
      const int body = random.integer(0, static_cast<int>(s.m.bodies().size()) - 1);
      wrenches.push_back({body, random_wrench(random)});
      expected += jacobian(s.m, work, s.q, s.m.bodies()[body].name).transpose() * wrenches.back().F_B_B.vector();
    }
    const OwnedVector tau = generalized_forces(s.m, work, s.q, wrenches);
    EXPECT_LT((tau - expected).norm(), 1e-13 * (1.0 + expected.norm())) << "seed " << seed;
  }
}

TEST(JointForces, AreWhatTheEquationOfMotionCountsAsForces) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const RandomState s = any_state(seed);
    Workspace work(s.m);
    Random random(seed);
    std::vector<ExternalWrench> wrenches;
    for (int b = 0; b < static_cast<int>(s.m.bodies().size()); ++b) wrenches.push_back({b, random_wrench(random)});
    const Eigen::VectorXd without = inverse_dynamics(s.m, work, s.q, s.v, s.a);
    const Eigen::VectorXd with = inverse_dynamics(s.m, work, s.q, s.v, s.a, wrenches);
    const Eigen::VectorXd tau = generalized_forces(s.m, work, s.q, wrenches);
    EXPECT_LT((without - with - tau).norm(), 1e-12 * (1.0 + without.norm() + tau.norm())) << "seed " << seed;
  }
}

/// ZB 2.3, DS (2.48): the virtual work of a weight is the loss of its height, by differences of poses alone.
TEST(JointForces, OfWeightsAreTheSlopesOfTheirPotential) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const RandomState s = any_state(seed);
    Workspace work(s.m);
    const Body& body = s.m.bodies().back();
    const Vector3<double> weight(1.0, -2.0, -5.0);
    const Pose X_WB = pose(s.m, work, s.q, body.name);
    const std::vector<ExternalWrench> wrenches{
        {s.m.body_index(body.name), Wrench<double>(X_WB.rotation().inverse() * weight, Vector3<double>::Zero())}};
    const OwnedVector tau = generalized_forces(s.m, work, s.q, wrenches);
    for (int k = 0; k < s.m.nv(); ++k) {
      const Eigen::VectorXd e = Eigen::VectorXd::Unit(s.m.nv(), k);
      const double work_done = slope_at_zero(
          [&](double t) { return weight.dot(pose(s.m, work, s.m.integrate(s.q, t * e), body.name).translation()); });
      ASSERT_NEAR(tau[k], work_done, 1e-10 * (1.0 + tau.norm())) << "seed " << seed << " coordinate " << k;
    }
  }
}

std::string random_place(const RandomState& s, Random& random) {
  const int body = random.integer(-1, static_cast<int>(s.m.bodies().size()) - 1);
  return body < 0 ? kWorld : s.m.bodies()[body].name;
}

TEST(JointForces, AnActuatorPullsItsTwoEndsOppositely) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const RandomState s = any_state(seed);
    Workspace work(s.m);
    Random random(seed);
    std::vector<ActuatorBetween> actuators;
    Eigen::VectorXd expected = Eigen::VectorXd::Zero(s.m.nv());
    double size = 1.0;
    for (int k = 0; k < 4; ++k) {
      const std::string a = random_place(s, random), b = random_place(s, random);
      const Wrench<double> F = random_wrench(random);
      actuators.push_back({s.m.place(a), s.m.place(b), F});
      const Pose X_ab = pose(s.m, work, s.q, a).inverse() * pose(s.m, work, s.q, b);
      const Eigen::VectorXd on_b = jacobian(s.m, work, s.q, b).transpose() * F.vector();
      expected += on_b - jacobian(s.m, work, s.q, a).transpose() * (X_ab * F).vector();
      size += on_b.norm();
    }
    EXPECT_LT((actuator_forces(s.m, work, s.q, actuators) - expected).norm(), 1e-13 * size) << "seed " << seed;
  }
}

TEST(JointForces, AnActuatorDeliversItsWrenchTimesTheRelativeTwist) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const RandomState s = any_state(seed);
    Workspace work(s.m);
    Random random(seed);
    const std::string a = random_place(s, random), b = random_place(s, random);
    const std::vector<ActuatorBetween> actuators{{s.m.place(a), s.m.place(b), random_wrench(random)}};
    const auto relative = [&](double t) {
      const OwnedVector q = s.m.integrate(s.q, t * s.v);
      return Pose(pose(s.m, work, q, a).inverse() * pose(s.m, work, q, b));
    };
    const Pose now = relative(0.0);
    const Vector6<double> V = slope_at_zero([&](double t) { return (now.inverse() * relative(t)).log().vector(); });
    const double delivered = V.dot(actuators[0].F_b_b.vector());
    const double power = actuator_forces(s.m, work, s.q, actuators).dot(s.v);
    EXPECT_NEAR(power, delivered, 1e-9 * (1.0 + V.norm() * actuators[0].F_b_b.vector().norm())) << "seed " << seed;
  }
}

/// DS (2.51): exactly, not to rounding.
TEST(JointForces, AnActuatorActsOnTheJointsBetweenItsEndsAlone) {
  const RandomState s = random_state(11, {.bodies = 12, .types = {"revolute", "spherical"}, .branching = 0.0});
  Workspace work(s.m);
  Random random(1);
  const std::vector<ActuatorBetween> actuators{{s.m.place("body4"), s.m.place("body7"), random_wrench(random)}};
  const OwnedVector tau = actuator_forces(s.m, work, s.q, actuators);
  for (int j = 0; j < 12; ++j) {
    const Slice v = s.m.v_slice("joint" + std::to_string(j));
    EXPECT_EQ(tau.segment(v.start, v.size).norm() > 0.0, j > 4 && j <= 7) << "joint " << j;
  }
}

/// DS Fig 2.7b: the wrench of a force f at r, applied across one revolute joint, is the torque S . F.
TEST(JointForces, ALinearActuatorAcrossAHingeIsItsForceTimesItsArm) {
  Builder b("hinge");
  b.body({.name = "lower", .inertia = Inertia<double>::from_com(1, {0, 0, 0}, Matrix3<double>::Identity())});
  b.body({.name = "upper", .inertia = Inertia<double>::from_com(1, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "root", .type = "free", .parent = "world", .child = "lower"});
  b.joint({.name = "hinge", .type = "revolute", .parent = "lower", .child = "upper", .axis = {1, 0, 0}});
  b.frame({.name = "end", .body = "upper", .X_BF = Pose(Vector3<double>(0, 0.2, 0))});
  const Mechanism m = b.build();
  Workspace work(m);
  const OwnedVector q = m.random(4);
  const std::vector<ActuatorBetween> push{{m.place("lower"), m.place("end"), Wrench<double>({0, 0, 30}, {0, 0, 0})}};
  const OwnedVector tau = actuator_forces(m, work, q, push);
  EXPECT_EQ(tau.head<6>(), Eigen::VectorXd::Zero(6));
  EXPECT_NEAR(tau[6], 0.2 * 30, 1e-14);
}

TEST(JointForces, BetweenTwoBodiesOfOneLinkThereIsNothingToMove) {
  const RandomState s = random_state(2, {.bodies = 3, .types = {"fixed"}});
  Workspace work(s.m);
  EXPECT_EQ(generalized_forces(s.m, work, s.q, {}).size(), 0);
  const std::vector<ActuatorBetween> one{
      {s.m.place("body0"), s.m.place("body2"), Wrench<double>({1, 2, 3}, {4, 5, 6})}};
  EXPECT_EQ(actuator_forces(s.m, work, s.q, one).size(), 0);
}

TEST(JointForces, WrongWrenchesPlacesAndStatesAreRefused) {
  const RandomState s = random_state(7);
  Workspace work(s.m);
  const Wrench<double> nan({std::nan(""), 0, 0}, {0, 0, 0});
  const auto wrench = [&](int body, const Wrench<double>& F) {
    const std::vector<ExternalWrench> given{{0, {}}, {body, F}};
    return message_of([&] { generalized_forces(s.m, work, s.q, given); });
  };
  EXPECT_EQ(wrench(99, {}), "wrench 1 is on body 99, but 'random_7' has 8 bodies");
  EXPECT_EQ(wrench(-2, {}), "wrench 1 is on body -2, but 'random_7' has 8 bodies");
  EXPECT_EQ(wrench(2, nan), "wrench 1 is not finite");
  const auto actuator = [&](const Place& a, const Place& b, const Wrench<double>& F) {
    const std::vector<ActuatorBetween> given{{a, b, F}};
    return message_of([&] { actuator_forces(s.m, work, s.q, given); });
  };
  const Place foot = s.m.place("body7");
  EXPECT_EQ(actuator({.link = 99}, foot, {}).substr(0, 24), "actuator 0 is on link 99");
  EXPECT_EQ(actuator(foot, {.link = -1}, {}).substr(0, 24), "actuator 0 is on link -1");
  EXPECT_EQ(actuator(foot, {}, nan), "the wrench of actuator 0 is not finite");
  EXPECT_EQ(actuator({.X_LP = Pose(nan.linear())}, foot, {}), "a place of actuator 0 is not finite");
  EXPECT_EQ(message_of([&] { s.m.place("nose"); }).substr(0, 20), "there is no body 'no");
  const std::string size = "q has 1 numbers, but 'random_7' needs " + std::to_string(s.m.nq());
  EXPECT_EQ(message_of([&] { generalized_forces(s.m, work, s.q.head(1), {}); }), size);
  EXPECT_EQ(message_of([&] { actuator_forces(s.m, work, s.q.head(1), {}); }), size);
}

}  // namespace
}  // namespace amble
