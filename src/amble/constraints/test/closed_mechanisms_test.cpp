#include "amble/constraints/closed_mechanisms.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "amble/base/test/message_of.hpp"
#include "amble/constraints/assembly.hpp"
#include "amble/constraints/constrained_dynamics.hpp"
#include "amble/dynamics/kinematics.hpp"

namespace amble {
namespace {

struct Expected {
  ConstrainedMechanism x;
  int mobility, redundant;
};

TEST(ClosedMechanisms, StandAssembledWithTheMobilityTheyAreKnownFor) {
  const Expected all[] = {{four_bar(), 1, 3},   {slider_crank(), 1, 3},     {n_four_bar(3), 1, 9},
                          {bricard(), 1, 1},    {stewart_platform(), 6, 0}, {differential_gear(), 2, 0},
                          {snakeboard(), 3, 0}, {rolling_disc(), 3, 0},     {car(), 2, 2}};
  for (const Expected& e : all) {
    ConstrainedDynamics d(e.x.mechanism, e.x.constraints);
    d.set_state(e.x.q, Eigen::VectorXd::Zero(e.x.mechanism.nv()));
    EXPECT_LT(d.violation().cwiseAbs().maxCoeff(), 1e-11) << e.x.mechanism.name();
    EXPECT_EQ(e.x.mechanism.nv() - d.rank(), e.mobility) << e.x.mechanism.name();
    EXPECT_EQ(static_cast<int>(d.redundant_rows().size()), e.redundant) << e.x.mechanism.name();
  }
}

/// A closed form: the slider is at a cos(t) + sqrt(l^2 - a^2 sin(t)^2).
TEST(ClosedMechanisms, TheSliderIsWhereTheCrankPutsIt) {
  const double a = 0.3, l = 0.8;
  const ConstrainedMechanism x = slider_crank(a, l);
  for (double angle : {0.2, 1.0, 2.5, 4.0}) {
    OwnedVector guess = x.q;
    guess[0] = angle, guess[1] = -angle - std::asin(a / l * std::sin(angle));
    const OwnedVector q = assemble(x.mechanism, guess, {.held = {"crank"}}).q;
    EXPECT_NEAR(q[x.mechanism.q_slice("slider").start],
                a * std::cos(angle) + std::sqrt(l * l - a * a * std::sin(angle) * std::sin(angle)), 1e-10);
  }
}

/// All the way round, Bricard's loop stays closed: its mobility is not one of the start alone.
TEST(ClosedMechanisms, BricardsLoopClosesAwayFromTheCubeToo) {
  const ConstrainedMechanism x = bricard();
  OwnedVector q = x.q;
  for (int i = 1; i <= 15; ++i) {
    q[0] = 0.2 * i;
    const Assembly there = assemble(x.mechanism, q, {.held = {"hinge1"}});
    q = there.q;
    EXPECT_EQ(there.mobility, 1);
    EXPECT_EQ(there.counted_mobility, 0);
    ASSERT_EQ(there.redundant.size(), 1u);
    EXPECT_EQ(there.redundant[0].rfind("hinge6: ", 0), 0u) << there.redundant[0];
  }
}

/// The cage's torque goes to both sides alike, whatever they do; a held cage turns the sides against each other.
TEST(ClosedMechanisms, ADifferentialSharesTorqueAndAveragesSpeed) {
  const ConstrainedMechanism x = differential_gear();
  const Mechanism& m = x.mechanism;
  const int cage = m.v_slice("cage").start, left = m.v_slice("left").start, right = m.v_slice("right").start;
  ConstrainedDynamics d(m, x.constraints);
  Eigen::VectorXd v = Eigen::VectorXd::Zero(m.nv()), tau = v;
  v[left] = 3.0;
  d.set_state(x.q, v);
  const OwnedVector allowed = d.project_velocity(v);
  EXPECT_NEAR(allowed[left] + allowed[right], 2.0 * allowed[cage], 1e-13);
  d.set_state(x.q, Eigen::VectorXd::Zero(m.nv()));
  tau[cage] = 5.0;
  const Eigen::VectorXd a = d.accelerations(tau);
  EXPECT_NEAR(a[left], a[right], 1e-12);
  EXPECT_NEAR(d.multipliers()[0], d.multipliers()[1], 1e-12);  // the two meshes carry the same
  EXPECT_GT(a[left], 1.0);
}

/// With its front axle at an angle, the rear axle's middle goes in a circle of radius wheelbase / tan(angle).
TEST(ClosedMechanisms, ACarTurnsAboutThePointWhereItsAxlesMeet) {
  const CarParameters p;
  const ConstrainedMechanism x = car(p);
  const Mechanism& m = x.mechanism;
  OwnedVector q = x.q;
  q[m.q_slice("steering").start] = 0.4;
  ConstrainedDynamics d(m, x.constraints);
  d.set_state(q, Eigen::VectorXd::Zero(m.nv()));
  const int steering = m.v_slice("steering").start;
  const Eigen::MatrixXd S = d.basis();
  const Eigen::VectorXd v = S * Eigen::Vector2d(S(steering, 1), -S(steering, 0));  // the steering held
  const Slice body = m.v_slice("body");
  EXPECT_NEAR(v[body.start + 1], 0.0, 1e-12 * v.norm());
  EXPECT_NEAR(v[body.start] / v[body.start + 2], p.wheelbase / std::tan(0.4), 1e-9);
  const double inner = v[m.v_slice("rear_left").start], outer = v[m.v_slice("rear_right").start];
  const double radius = p.wheelbase / std::tan(0.4);
  EXPECT_NEAR(outer / inner, (radius + p.track / 2) / (radius - p.track / 2), 1e-9);
  EXPECT_NEAR(inner * p.wheel_radius, v[body.start] - v[body.start + 2] * p.track / 2, 1e-9 * v.norm());
}

TEST(ClosedMechanisms, ImpossibleNumbersAreNamed) {
  EXPECT_NE(message_of([] { four_bar({.coupler = 5.0}); }).find("cannot be assembled"), std::string::npos);
  EXPECT_NE(message_of([] { slider_crank(1.0, 0.5); }).find("0.5"), std::string::npos);
  EXPECT_NE(message_of([] { n_four_bar(0); }).find("0 four-bars"), std::string::npos);
  EXPECT_NE(message_of([] { differential_gear(-1.0); }).find("-1"), std::string::npos);
  EXPECT_NE(message_of([] { snakeboard({.torso_inertia = 10.0}); }).find("inertia"), std::string::npos);
}

}  // namespace
}  // namespace amble
