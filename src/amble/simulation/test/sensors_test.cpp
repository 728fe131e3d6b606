#include "amble/simulation/sensors.hpp"

#include <gtest/gtest.h>

#include "amble/base/slope.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/test/random_state.hpp"
#include "amble/mechanism/joints/list.hpp"
#include "amble/simulation/simulator.hpp"

namespace amble {
namespace {

/// Where a place is in the motion with constant a, and how it moves, by differences.
TEST(Sensors, AnImuReadsTheTurnAndTheAccelerationOfItsFrame) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomState s = random_state(seed, 8);
    Workspace work(s.m);
    const std::string body(s.m.body_names().back());
    // integrate(q, t v + t^2 a / 2) has the velocity v + t a to the first order that accelerations at zero need.
    const auto pose_at = [&](double t) {
      return pose(s.m, work, s.m.integrate(s.q, t * s.v + 0.5 * t * t * s.a), body);
    };
    const Pose X = pose_at(0.0);
    const auto position = [&](double t) { return Eigen::Vector3d(pose_at(t).translation()); };
    const double h = 1e-3;
    const Eigen::Vector3d acceleration =
        (-position(2 * h) + 16 * position(h) - 30 * position(0) + 16 * position(-h) - position(-2 * h)) /
        (12 * h * h);
    const Eigen::Vector3d turn =
        slope_at_zero([&](double t) -> Eigen::Vector3d { return (X.inverse() * pose_at(t)).rotation().log(); });
    const ImuReading read = imu_reading(s.m, work, s.q, s.v, s.a, s.m.place(body));
    const Eigen::Vector3d expected =
        X.rotation().inverse() * Vector3<double>(acceleration - Eigen::Vector3d(s.m.gravity()));
    EXPECT_LT((Eigen::Vector3d(read.specific_force) - expected).norm(), 1e-5 * (1 + expected.norm()))
        << "seed " << seed;
    EXPECT_LT((Eigen::Vector3d(read.angular_velocity) - turn).norm(), 1e-9 * (1 + turn.norm())) << "seed " << seed;
  }
}

TEST(Sensors, ABodyThatFallsFeelsNothingAndOneThatStandsFeelsItsWeight) {
  Builder b("box");
  b.body({.name = "box", .inertia = Inertia<double>::from_com(2.0, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "free", .type = "free", .parent = "world", .child = "box"});
  const Mechanism m = b.build();
  Simulator s(m);
  s.reset(m.neutral(), Eigen::VectorXd::Zero(6));
  s.step(0.3);
  Imu imu(m, "box");
  EXPECT_LT(imu.read(s.q(), s.v(), s.accelerations()).specific_force.norm(), 1e-12);
  const ImuReading standing = imu.read(m.neutral(), Eigen::VectorXd::Zero(6), Eigen::VectorXd::Zero(6));
  EXPECT_NEAR(standing.specific_force[2], 9.81, 1e-12);
}

/// Along a joint's own motion the wrench through it is its force (inverse dynamics), whatever acts from outside.
TEST(Sensors, TheWrenchThroughAJointIsItsForceAlongItsMotion) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const RandomMechanism r = random_mechanism(seed, {.bodies = 8, .fixed = 0.3, .properties = false});
    const RandomState s = in_motion(r.mechanism, r.q, seed);
    Workspace work(s.m);
    Random random(seed);
    std::vector<ExternalWrench> outside;
    for (int body = 0; body < static_cast<int>(s.m.bodies().size()); body += 3)
      outside.push_back({body, Wrench<double>({random.normal(), random.normal(), random.normal()},
                                              {random.normal(), random.normal(), random.normal()})});
    const Eigen::VectorXd tau = inverse_dynamics(s.m, work, s.q, s.v, s.a, outside);
    for (const Joint& joint : s.m.joints()) {
      const Wrench<double> F_M = joint_wrench(s.m, work, s.q, s.v, s.a, joint.name, outside);
      if (joint.link < 0) continue;
      std::array<Twist<double>, 6> S;
      visit_joint(joint.kind, joint.parameters,
                  [&](const auto& type) { type.subspace(s.q.data() + joint.q.start, S.data()); });
      // S is in the normalised frame, turned against the user's.
      const Wrench<double> F_N = Pose(joint.R_FN).inverse() * F_M;
      for (int k = 0; k < joint.v.size; ++k)
        EXPECT_NEAR(power(S[k], F_N), tau[joint.v.start + k], 1e-9 * (1 + std::abs(tau[joint.v.start + k])))
            << joint.name << ", seed " << seed;
    }
  }
}

TEST(Sensors, TheWrenchThroughAFixedJointCarriesTheWeightBeyondIt) {
  Builder b("arm");
  b.body({.name = "arm", .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity())});
  b.body({.name = "hand", .inertia = Inertia<double>::from_com(2.0, {0.3, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "shoulder", .type = "revolute", .parent = "world", .child = "arm", .axis = {0, 1, 0}});
  b.joint(
      {.name = "wrist", .type = "fixed", .parent = "arm", .child = "hand", .X_PF = Pose(Vector3<double>(0.5, 0, 0))});
  const Mechanism m = b.build();
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(1);
  JointForceSensor wrist(m, "wrist");
  const Wrench<double> F = wrist.read(zero, zero, zero);
  EXPECT_LT((F.linear() - Vector3<double>(0, 0, 2.0 * 9.81)).norm(), 1e-12);
  EXPECT_LT((F.angular() - Vector3<double>(0, -0.3 * 2.0 * 9.81, 0)).norm(), 1e-12);
  EXPECT_NE(message_of([&] { JointForceSensor(m, "ankle"); }).find("ankle"), std::string::npos);
}

TEST(Sensors, EncodersReadWholeSteps) {
  const RandomMechanism r = random_mechanism(1, {.bodies = 1, .types = {"revolute"}, .fixed = 0.0});
  JointEncoder encoder(r.mechanism, std::string(r.mechanism.joint_names()[0]), 0.1);
  for (const double q : {-0.26, -0.05001, 0.0, 0.04999, 0.149, 3.3}) {
    const double read = encoder.read(Eigen::VectorXd::Constant(1, q));
    EXPECT_NEAR(read / 0.1, std::round(read / 0.1), 1e-9);
    EXPECT_LE(std::abs(read - q), 0.05 + 1e-12);
  }
}

TEST(Sensors, NoiseHasItsBiasAndDeviationAndItsSeed) {
  SensorNoise one({.bias = 0.5, .deviation = 0.2}, 7), same({.bias = 0.5, .deviation = 0.2}, 7),
      other({.bias = 0.5, .deviation = 0.2}, 8);
  double sum = 0.0, squares = 0.0;
  const int count = 20000;
  for (int i = 0; i < count; ++i) {
    const double x = one(3.0);
    ASSERT_EQ(x, same(3.0));
    sum += x, squares += (x - 3.5) * (x - 3.5);
  }
  EXPECT_NEAR(sum / count, 3.5, 4 * 0.2 / std::sqrt(count));
  EXPECT_NEAR(std::sqrt(squares / count), 0.2, 0.005);
  EXPECT_NE(other(3.0), one(3.0));
  EXPECT_NE(message_of([] { SensorNoise({.deviation = -1.0}, 0); }).find("deviation of -1"), std::string::npos);
}

}  // namespace
}  // namespace amble
