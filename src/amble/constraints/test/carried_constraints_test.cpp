#include "amble/constraints/carried_constraints.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/constraints/assembly.hpp"
#include "amble/constraints/constrained_dynamics.hpp"
#include "amble/constraints/rolling_constraints.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/random_mechanism.hpp"

namespace amble {
namespace {

constexpr double kRadius = 0.3, kWheelMass = 2.0, kFrameMass = 20.0, kGravity = 9.81;
constexpr double kSpin = kWheelMass * kRadius * kRadius / 2;  // of a wheel about its axle

void add_wheel(Builder& b, const std::string& name, const std::string& on, const Vector3<double>& at) {
  const Vector3<double> moments(kSpin / 2, kSpin, kSpin / 2);
  b.body({.name = name, .inertia = Inertia<double>::from_com(kWheelMass, {0, 0, 0}, moments.asDiagonal())});
  b.joint({.name = name, .type = "revolute", .parent = on, .child = name, .X_PF = Pose(at), .axis = {0, 1, 0}});
  b.rolling({.name = name, .body = name, .radius = kRadius, .axis = {0, 1, 0}});
}

void add_frame(Builder& b, const std::string& joint, double height = kRadius) {
  b.body({.name = "frame",
          .inertia = Inertia<double>::from_com(kFrameMass, {0.1, 0, 0.2}, Matrix3<double>::Identity())});
  b.joint({.name = "base",
           .type = joint,
           .parent = kWorld,
           .child = "frame",
           .X_PF = Pose(Vector3<double>(0, 0, height))});
}

/// Four wheels on parallel axles.
Mechanism cart() {
  Builder b("cart");
  add_frame(b, "free");
  for (const auto& [name, x, y] : {std::tuple{"front_left", 0.6, 0.4},
                                   {"front_right", 0.6, -0.4},
                                   {"rear_left", -0.6, 0.4},
                                   {"rear_right", -0.6, -0.4}})
    add_wheel(b, name, "frame", {x, y, 0});
  return b.build();
}

/// A wheel that steers in front and one behind, kept upright by a planar joint.
Mechanism bicycle(double height = kRadius) {
  Builder b("bicycle");
  add_frame(b, "planar", height);
  add_wheel(b, "rear", "frame", {0, 0, 0});
  b.body({.name = "fork", .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, 0.1 * Matrix3<double>::Identity())});
  b.joint({.name = "steer",
           .type = "revolute",
           .parent = "frame",
           .child = "fork",
           .X_PF = Pose(Vector3<double>(1.0, 0, 0))});
  add_wheel(b, "front", "fork", {0, 0, 0});
  return b.build();
}

TEST(CarriedConstraints, AreTheLoopsThenTheWheels) {
  Builder b(random_mechanism(2, {.bodies = 8, .loops = 2}).mechanism.description());
  b.rolling({.name = "wheel", .body = "body3", .radius = 0.2, .center = {0, 0, 1}});
  const Mechanism m = b.build();
  const std::vector<ConstraintPtr> all = constraints_of(m);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0]->name(), m.loops()[0].name);
  EXPECT_EQ(all[1]->name(), m.loops()[1].name);
  EXPECT_EQ(all[2]->name(), "wheel");
  EXPECT_EQ(all[2]->rows(), kRollingRows);
  int rows = 0;
  for (const ConstraintPtr& c : all) rows += c->rows();
  EXPECT_EQ(m.counted_mobility(), m.nv() - rows);
  EXPECT_TRUE(constraints_of(random_mechanism(2, {.bodies = 3}).mechanism).empty());
}

/// The lowest point of the wheel, sought on its rim, is in the plane and has no velocity there.
TEST(CarriedConstraints, AWheelsLowestPointIsOnTheGroundAndAtRest) {
  Builder b("wheel");
  const Vector3<double> axis = Vector3<double>(1, 2, -2) / 3, center(0.1, -0.2, 0.3);
  b.body({.name = "wheel", .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "free", .type = "free", .parent = kWorld, .child = "wheel"});
  b.rolling({.name = "roll", .body = "wheel", .radius = kRadius, .axis = axis, .center = center});
  const Mechanism m = b.build();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Assembly found = assemble(m, constraints_of(m), m.random(seed));
    ConstrainedDynamics d(m, constraints_of(m));
    d.set_state(found.q, Eigen::VectorXd::Zero(6));
    const OwnedVector v = d.project_velocity(Eigen::VectorXd::LinSpaced(6, -1, 2));
    Workspace work(m);
    const Pose X = pose(m, work, found.q, "wheel");
    const Vector3<double> e1 = cross<double>(axis, {0, 0, 1}).normalized(), e2 = cross<double>(axis, e1);
    Vector3<double> lowest = center + kRadius * e1;
    for (int i = 0; i < 100000; ++i) {
      const double angle = 2e-5 * std::numbers::pi * i;
      const Vector3<double> rim = center + kRadius * (std::cos(angle) * e1 + std::sin(angle) * e2);
      if ((X * rim)[2] < (X * lowest)[2]) lowest = rim;
    }
    EXPECT_NEAR((X * lowest)[2], 0.0, 1e-8) << "seed " << seed;
    const auto J = jacobian(m, work, found.q, "wheel", {.point = lowest, .frame = JacobianFrame::aligned});
    EXPECT_LT((J.topRows(3) * v).norm(), 1e-3) << "seed " << seed;  // the rim's steps
    EXPECT_GT(v.norm(), 0.1);
  }
}

TEST(CarriedConstraints, ACartOnFourWheelsGoesStraightOnly) {
  const Mechanism m = cart();
  ConstrainedDynamics d(m, constraints_of(m));
  OwnedVector q = m.neutral();
  d.set_state(q, Eigen::VectorXd::Zero(m.nv()));
  EXPECT_LT(d.violation().norm(), 1e-15);
  EXPECT_EQ(d.rows(), 12);
  EXPECT_EQ(d.rank(), 9);  // three wheels carry it, two pairs hold it sideways, each turns as it goes
  EXPECT_EQ(m.counted_mobility(), -2);
  EXPECT_EQ(d.redundant_rows().size(), 3u);
  const Eigen::VectorXd way = d.basis().col(0) / d.basis()(0, 0);  // per metre along x
  EXPECT_LT(way.segment(1, 5).norm(), 1e-13);
  EXPECT_LT((way.tail(4) - Eigen::VectorXd::Constant(4, 1.0 / kRadius)).norm(), 1e-12);
}

/// a = (torque / r) / (all masses + the wheels' spin inertia / r^2); the ground carries the weight.
TEST(CarriedConstraints, ADrivenCartAcceleratesAsTheClosedFormSays) {
  const Mechanism m = cart();
  ConstrainedDynamics d(m, constraints_of(m));
  d.set_state(m.neutral(), Eigen::VectorXd::Zero(m.nv()));
  const double torque = 5.0, expected = torque / kRadius / (m.mass() + 4 * kSpin / (kRadius * kRadius));
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(m.nv());
  tau[m.v_slice("rear_left").start] = torque;
  for (const ConstraintMethod method :
       {ConstraintMethod::multipliers, ConstraintMethod::pseudo_velocities, ConstraintMethod::reduced_momenta}) {
    const Eigen::VectorXd a = d.accelerations(tau, {}, method);
    EXPECT_NEAR(a[0], expected, 1e-11);
    EXPECT_LT(a.segment(1, 5).norm(), 1e-11);
    double carried = 0.0, pushed = 0.0;
    for (int wheel = 0; wheel < 4; ++wheel)
      carried += d.multipliers()[3 * wheel + 2], pushed += d.multipliers()[3 * wheel];
    EXPECT_NEAR(carried, m.mass() * kGravity, 1e-9);
    EXPECT_NEAR(pushed, m.mass() * expected, 1e-9);
  }
}

/// With the front wheel turned by `angle` the frame turns at (speed / wheelbase) tan(angle).
TEST(CarriedConstraints, ABicycleTurnsAsItIsSteered) {
  const Mechanism m = bicycle();
  ConstrainedDynamics d(m, constraints_of(m));
  for (double heading : {0.0, 0.7}) {
    for (double angle : {-0.6, 0.1, 0.9}) {
      OwnedVector q = m.neutral();
      q[2] = heading, q[m.q_slice("steer").start] = angle;
      d.set_state(q, Eigen::VectorXd::Zero(m.nv()));
      EXPECT_LT(d.violation().norm(), 1e-15);
      EXPECT_EQ(d.rank(), 4);  // the planar joint carries both wheels
      const double speed = 2.0, turn = speed * std::tan(angle);
      Eigen::VectorXd v = Eigen::VectorXd::Zero(m.nv());
      v << speed * std::cos(heading), speed * std::sin(heading), turn, speed / kRadius, 0,
          speed / std::cos(angle) / kRadius;
      d.set_state(q, v);
      EXPECT_LT(d.velocity_error().norm(), 1e-13) << heading << ", " << angle;
    }
  }
}

TEST(CarriedConstraints, AWheelThatCannotReachTheGroundIsRefusedWithItsHeight) {
  const Mechanism m = bicycle(kRadius + 0.1);
  const std::string message = message_of([&] { assemble(m, constraints_of(m), m.neutral()); });
  EXPECT_NE(message.find("'bicycle' cannot be assembled"), std::string::npos) << message;
  EXPECT_NE(message.find("smallest residual is 0.1"), std::string::npos) << message;
}

TEST(CarriedConstraints, AWheelThatLiesFlatIsRefusedByName) {
  Builder b("coin");
  b.body({.name = "coin", .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "free", .type = "free", .parent = kWorld, .child = "coin"});
  b.rolling({.name = "edge", .body = "coin", .radius = 0.1});
  const Mechanism m = b.build();
  ConstrainedDynamics d(m, constraints_of(m));
  const std::string message = message_of([&] { d.set_state(m.neutral(), Eigen::VectorXd::Zero(6)); });
  EXPECT_NE(message.find("'edge'"), std::string::npos) << message;
  EXPECT_NE(message.find("flat"), std::string::npos) << message;
}

}  // namespace
}  // namespace amble
