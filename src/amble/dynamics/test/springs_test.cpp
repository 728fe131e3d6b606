#include "amble/dynamics/springs.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/test/random_state.hpp"

namespace amble {
namespace {

/// A random mechanism in motion with springs and dampers between its bodies, and one to the world.
RandomState sprung_state(std::uint64_t seed) {
  const RandomState s = any_state(seed);
  Builder b(s.m.description());
  Random random(seed + 77);
  const auto point = [&] {
    return Vector3<double>(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  };
  const int count = static_cast<int>(s.m.bodies().size());
  for (int i = 0; i < 4; ++i) {
    const int first = random.integer(0, count - 1), second = i == 0 || count == 1 ? -1 : random.integer(0, count - 1);
    if (first == second) continue;
    b.spring({.name = "spring" + std::to_string(i),
              .body_a = s.m.bodies()[first].name,
              .body_b = second < 0 ? kWorld : s.m.bodies()[second].name,
              .point_a = point(),
              .point_b = point(),
              .stiffness = random.uniform(0, 100),
              .length = i == 1 ? 0.0 : random.uniform(0, 2),
              .damping = i == 2 ? 0.0 : random.uniform(0, 10)});
  }
  return in_motion(b.build(), s.q, seed);
}

TEST(Springs, ForcesAreTheSlopesOfTheirEnergy) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const RandomState s = sprung_state(seed);
    Workspace work(s.m);
    const Eigen::VectorXd still = Eigen::VectorXd::Zero(s.m.nv());
    const OwnedVector tau = spring_forces(s.m, work, s.q, still);
    for (int k = 0; k < s.m.nv(); ++k) {
      const Eigen::VectorXd e = Eigen::VectorXd::Unit(s.m.nv(), k);
      const double slope =
          slope_at_zero([&](double t) { return spring_energy(s.m, work, s.m.integrate(s.q, t * e)); });
      EXPECT_NEAR(tau[k], -slope, 1e-8 * (1.0 + tau.norm())) << "seed " << seed << ", v[" << k << "]";
    }
  }
}

TEST(Springs, WhatTheyGiveAndWhatTheyBurnIsWhatTheyStored) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const RandomState s = sprung_state(seed);
    Workspace work(s.m);
    const double power = spring_forces(s.m, work, s.q, s.v).dot(s.v);
    const double burnt = spring_dissipation(s.m, work, s.q, s.v);
    const double stored =
        slope_at_zero([&](double t) { return spring_energy(s.m, work, s.m.integrate(s.q, t * s.v)); });
    EXPECT_NEAR(power + burnt + stored, 0.0, 1e-8 * (1.0 + std::abs(power) + burnt)) << "seed " << seed;
    EXPECT_GE(burnt, 0.0);
  }
}

TEST(Springs, ForcesAreThoseOfTheirTensionsThroughJacobians) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const RandomState s = sprung_state(seed);
    Workspace work(s.m);
    const OwnedVector tau = spring_forces(s.m, work, s.q, s.v);
    Eigen::VectorXd expected = Eigen::VectorXd::Zero(s.m.nv());
    double energy = 0.0, burnt = 0.0;
    for (int i = 0; i < static_cast<int>(s.m.springs().size()); ++i) {
      const SpringDescription& d = s.m.description().springs[i];
      const SpringState x = spring_state(s.m, work, s.q, s.v, i);
      energy += x.energy, burnt += x.dissipation;
      EXPECT_NEAR(x.tension, d.stiffness * (x.distance - d.length) + d.damping * x.rate,
                  1e-12 * (1.0 + std::abs(x.tension)));
      const auto pulled = [&](const std::string& body, const Vector3<double>& point, const Vector3<double>& force) {
        if (body == kWorld) return;
        const auto J = jacobian(s.m, work, s.q, body, {.point = point, .frame = JacobianFrame::aligned});
        expected += J.topRows(3).transpose() * force;
      };
      pulled(d.body_a, d.point_a, x.tension * x.direction);
      pulled(d.body_b, d.point_b, -x.tension * x.direction);
    }
    EXPECT_LT((tau - expected).norm(), 1e-11 * (1.0 + expected.norm())) << "seed " << seed;
    EXPECT_NEAR(spring_energy(s.m, work, s.q), energy, 1e-12 * (1.0 + energy));
    EXPECT_NEAR(spring_dissipation(s.m, work, s.q, s.v), burnt, 1e-12 * (1.0 + burnt));
  }
}

/// A point that hangs on the origin by a spring.
Mechanism hanging(double length) {
  Builder b("hanging");
  b.body({.name = "mass", .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "free", .type = "free", .parent = kWorld, .child = "mass"});
  b.spring(
      {.name = "bungee", .body_a = kWorld, .body_b = "mass", .stiffness = 10.0, .length = length, .damping = 2.0});
  return b.build();
}

TEST(Springs, PullAlongTheirLine) {
  const Mechanism m = hanging(0.5);
  Workspace work(m);
  Eigen::VectorXd q = m.neutral(), v = Eigen::VectorXd::Zero(6);
  q[2] = -2.0, v[0] = 7.0, v[2] = -3.0;
  const SpringState s = spring_state(m, work, q, v, 0);
  EXPECT_DOUBLE_EQ(s.distance, 2.0);
  EXPECT_DOUBLE_EQ(s.rate, 3.0);
  EXPECT_DOUBLE_EQ(s.tension, 15.0 + 6.0);
  EXPECT_DOUBLE_EQ(s.energy, 0.5 * 10.0 * 1.5 * 1.5);
  EXPECT_DOUBLE_EQ(s.dissipation, 18.0);
  EXPECT_EQ(s.direction, Vector3<double>(0, 0, -1));
  EXPECT_LT((spring_forces(m, work, q, v) - 21.0 * Eigen::VectorXd::Unit(6, 2)).norm(), 1e-14);
}

TEST(Springs, WithoutADirectionDoNothingOrSaySo) {
  const Mechanism m = hanging(0.0), pushing = hanging(0.5);
  Workspace work(m), other(pushing);
  const Eigen::VectorXd q = m.neutral(), v = Eigen::VectorXd::Ones(6);
  EXPECT_EQ(spring_forces(m, work, q, v).norm(), 0.0);
  EXPECT_EQ(spring_dissipation(m, work, q, v), 0.0);
  EXPECT_EQ(spring_energy(pushing, other, q), 0.5 * 10.0 * 0.25);
  const std::string message = message_of([&] { spring_forces(pushing, other, q, v); });
  EXPECT_NE(message.find("ends of spring 'bungee' coincide"), std::string::npos) << message;
}

TEST(Springs, OnOneRigidGroupDoNothing) {
  Builder b("rigid");
  for (const char* name : {"a", "b"})
    b.body({.name = name, .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "free", .type = "free", .parent = kWorld, .child = "a"});
  b.joint({.name = "bolt", .type = "fixed", .parent = "a", .child = "b", .X_PF = Pose(Vector3<double>(1, 0, 0))});
  b.spring({.name = "s", .body_a = "a", .body_b = "b", .stiffness = 5.0, .damping = 1.0});
  const Mechanism m = b.build();
  Workspace work(m);
  EXPECT_EQ(spring_forces(m, work, m.random(1), Eigen::VectorXd::Ones(6)).norm(), 0.0);
  EXPECT_NEAR(spring_energy(m, work, m.random(1)), 2.5, 1e-14);
}

TEST(Springs, AreRefusedByNumberAndState) {
  const Mechanism m = hanging(0.0);
  Workspace work(m);
  const Eigen::VectorXd q = m.neutral(), v = Eigen::VectorXd::Ones(6);
  EXPECT_NE(message_of([&] { spring_state(m, work, q, v, 1); }).find("has 1 springs"), std::string::npos);
  EXPECT_NE(message_of([&] { spring_forces(m, work, q, v.head(5)); }).find("v has 5 numbers"), std::string::npos);
}

}  // namespace
}  // namespace amble
