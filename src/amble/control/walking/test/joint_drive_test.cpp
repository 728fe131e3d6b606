#include "amble/control/walking/joint_drive.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/base/test/random_numbers.hpp"
#include "amble/control/walking/knee_magnet.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/ports/consumer.hpp"
#include "amble/ports/lock.hpp"
#include "amble/simulation/simulator.hpp"

namespace amble {
namespace {

/// Two straight legs that hang from a slider at a hip, each with a knee in its middle.
Mechanism legs(double armature = 0.0) {
  Builder b("legs");
  const auto body = [&](const char* name) {
    b.body({.name = name, .inertia = Inertia<double>::from_com(1.0, {0.0, 0.0, -0.2}, Matrix3<double>::Identity() * 0.02)});
  };
  const auto joint = [&](const char* name, const char* type, const char* parent, const char* child, double z,
                         const Vector3<double>& axis) {
    JointDescription j{.name = name, .type = type, .parent = parent, .child = child};
    j.X_PF = Pose(Vector3<double>(0.0, 0.0, z)), j.axis = axis;
    if (std::string(name) == "hip") j.properties.armature = {armature};
    b.joint(j);
  };
  for (const char* name : {"carriage", "left", "right", "left_shank", "right_shank"}) body(name);
  joint("z", "prismatic", kWorld, "carriage", 0.0, Vector3<double>::UnitZ());
  joint("lean", "revolute", "carriage", "left", 0.0, Vector3<double>::UnitY());
  joint("hip", "revolute", "left", "right", 0.0, Vector3<double>::UnitY());
  joint("left_knee", "revolute", "left", "left_shank", -0.4, Vector3<double>::UnitY());
  joint("right_knee", "revolute", "right", "right_shank", -0.4, Vector3<double>::UnitY());
  return b.build();
}

int place(const Mechanism& m, const char* joint) { return m.q_slice(joint).start; }

StanceOptions feet(double period) {
  return {.feet = {{"left_shank", {0.0, 0.0, -0.4}}, {"right_shank", {0.0, 0.0, -0.4}}}, .period = period};
}

JointDriveOptions options(double period = 0.01) {
  return {.joint = "hip",
          .motor = {.constant = 0.0302, .resistance = 0.316, .ratio = 66.0, .efficiency = 0.72, .voltage_limit = 24.0, .current_limit = 8.0},
          .law = {.proportional = 10.0, .derivative = 0.2, .set_points = {-0.3, 0.3}},
          .stance = feet(period)};
}

/// An element at a state, with its memory.
struct Held {
  Held(const Mechanism& mechanism, ElementPtr e, const OwnedVector& at)
      : m(mechanism), work(m), element(std::move(e)), memory(element->memory()), q(at), v(m.nv()) {
    element->start(state(0.0), nullptr, memory.data());
  }
  PortState state(double t) { return {t, q, v, m, work, memory.data(), nullptr}; }
  PortFlows flows(double t = 0.0) {
    PortFlows out(m.nv());
    element->evaluate(state(t), nullptr, out, nullptr);
    return out;
  }
  /// Of a motor at the hip (A).
  double current() { return flows().tau[m.v_slice("hip").start] / (66.0 * 0.0302); }
  void happen(double t) {
    std::vector<signed char> crossed(static_cast<std::size_t>(element->guards()), 0);
    std::vector<Strike> strikes;
    std::vector<std::string> log;
    double heat = 0.0;
    PortEvent event{crossed, nullptr, memory.data(), strikes, log, heat};
    element->happen(state(t), event);
  }

  Mechanism m;
  Workspace work;
  ElementPtr element;
  OwnedVector memory, q, v;
};

/// On the left foot, with the right one in the air.
OwnedVector standing(const Mechanism& m) {
  OwnedVector q = m.neutral();
  q[place(m, "z")] = 0.8;
  q[place(m, "right_knee")] = 0.5;
  return q;
}

TEST(JointDrive, EveryPartBalancesAtEveryInstant) {
  const Mechanism m = legs();
  Random random(3);
  for (int trial = 0; trial < 200; ++trial)
    for (const double period : {0.0, 0.01}) {
      const OwnedVector q = random_numbers(random, m.nv(), -1.0, 1.0);
      for (const ElementPtr& e : joint_drive("drive", m, options(period))) {
        Held held(m, e, q);
        held.v = random_numbers(random, m.nv(), -3.0, 3.0);
        const PortFlows f = held.flows();
        const double delivered = f.tau.dot(held.v);
        EXPECT_NEAR(f.supplied, delivered + f.dissipated, 1e-12 * (1.0 + std::abs(f.supplied))) << e->name();
        EXPECT_GE(f.dissipated, 0.0) << e->name();
      }
    }
}

TEST(JointDrive, ACurrentIsThatOfTheLawAtTheLastSample) {
  const Mechanism m = legs();
  Held motor(m, joint_drive("drive", m, options())[0], standing(m));
  const int hip = place(m, "hip");
  const auto law = [&](double set_point) {
    return std::clamp(10.0 * (set_point - motor.q[hip]) - 0.2 * motor.v[hip], -8.0, 8.0);
  };
  const double gain = 66.0 * 0.0302;
  EXPECT_NEAR(motor.flows().tau[hip], gain * law(-0.3), 1e-12);
  const double first = law(-0.3);
  motor.q[hip] = 0.2, motor.v[hip] = 1.0;
  motor.happen(0.005);  // another element's instant
  EXPECT_NEAR(motor.flows().tau[hip], gain * first, 1e-12);
  motor.happen(0.01);
  EXPECT_NEAR(motor.flows().tau[hip], gain * law(-0.3), 1e-12);
}

TEST(JointDrive, TheSetPointFollowsTheFootThatCameDownLast) {
  const Mechanism m = legs();
  Held motor(m, joint_drive("drive", m, options())[0], standing(m));
  const int hip = place(m, "hip"), knee = place(m, "right_knee");
  motor.happen(0.01);
  EXPECT_NEAR(motor.current(), 10.0 * (-0.3 - motor.q[hip]), 1e-12);
  motor.q[knee] = 0.0;  // down
  motor.happen(0.02);
  EXPECT_NEAR(motor.current(), 10.0 * (0.3 - motor.q[hip]), 1e-12);
  motor.happen(0.03);  // both feet are down: the left one has to leave first
  EXPECT_NEAR(motor.current(), 10.0 * (0.3 - motor.q[hip]), 1e-12);
  motor.q[place(m, "left_knee")] = 0.5;
  motor.happen(0.04);
  motor.q[place(m, "left_knee")] = 0.0;
  motor.happen(0.05);
  EXPECT_NEAR(motor.current(), 10.0 * (-0.3 - motor.q[hip]), 1e-12);
}

TEST(JointDrive, TheBooksRuleGivesTheSecondFootAllOtherCases) {
  const Mechanism m = legs();
  JointDriveOptions o = options();
  o.law.first_foot_alone = true;
  Held motor(m, joint_drive("drive", m, o)[0], standing(m));
  const int knee = place(m, "right_knee"), left = place(m, "left_knee");
  const auto set_point = [&](double right_angle, double left_angle, double t) {
    motor.q[knee] = right_angle, motor.q[left] = left_angle;
    motor.happen(t);
    return motor.current() / 10.0;
  };
  EXPECT_NEAR(set_point(0.5, 0.0, 0.01), -0.3, 1e-12);
  EXPECT_NEAR(set_point(0.0, 0.0, 0.02), 0.3, 1e-12);
  EXPECT_NEAR(set_point(0.0, 0.5, 0.03), 0.3, 1e-12);
  EXPECT_NEAR(set_point(0.5, 0.5, 0.04), 0.3, 1e-12);
}

TEST(JointDrive, AGearboxGivesItsEfficiencyEitherWay) {
  const Mechanism m = legs();
  const auto parts = joint_drive("drive", m, options());
  ASSERT_EQ(parts.size(), 3u);
  const int hip = place(m, "hip");
  for (const double rate : {2.0, -2.0}) {
    Held motor(m, parts[0], standing(m)), gearbox(m, parts[1], standing(m));
    motor.v[hip] = gearbox.v[hip] = rate;
    const double in = motor.flows().tau[hip], out = in + gearbox.flows().tau[hip];
    ASSERT_LT(in, 0.0);  // towards -0.3
    EXPECT_NEAR(out / in, rate < 0.0 ? 0.72 : 1.0 / 0.72, 1e-4);  // up to the slip
  }
}

TEST(JointDrive, WhatIsGivenBackIsBurntUnlessItRegenerates) {
  const Mechanism m = legs();
  JointDriveOptions o = options();
  Held motor(m, joint_drive("drive", m, o)[0], standing(m)), amplifier(m, joint_drive("drive", m, o)[2], standing(m));
  const int hip = place(m, "hip");
  motor.v[hip] = amplifier.v[hip] = 3.0;  // braked
  const double back = -motor.flows().supplied;
  ASSERT_GT(back, 0.0);
  EXPECT_NEAR(amplifier.flows().supplied, back, 1e-12);
  EXPECT_NEAR(amplifier.flows().dissipated, back, 1e-12);
  o.motor.regenerates = true;
  EXPECT_EQ(joint_drive("drive", m, o).size(), 2u);
}

TEST(JointDrive, TheBatteryLimitsTheCurrent) {
  const Mechanism m = legs();
  JointDriveOptions o = options();
  o.motor.voltage_limit = 1.0;
  Held motor(m, joint_drive("drive", m, o)[0], standing(m));
  const int hip = place(m, "hip");
  motor.v[hip] = -0.3;
  const double i = motor.current();
  EXPECT_NEAR(i, (-1.0 - 0.0302 * 66.0 * -0.3) / 0.316, 1e-12);
  EXPECT_NEAR(motor.flows().supplied, -1.0 * i, 1e-12);
}

TEST(JointDrive, AdaptationMovesTheSetPointByTheSpeedOfTheLastStep) {
  const Mechanism m = legs();
  const int hip = place(m, "hip");
  for (const double target : {0.5, 0.3}) {  // m/s; the step is one of 0.4 m/s
    JointDriveOptions o = options();
    o.law.derivative = 0.0, o.law.adaptation = 0.1, o.law.target_speed = target;
    Held motor(m, joint_drive("drive", m, o)[0], standing(m));
    motor.happen(0.01);
    motor.q[place(m, "right_knee")] = 0.0;
    motor.q[hip] = -0.05;  // the right foot comes down ahead of where the left one was at the start
    motor.q[place(m, "z")] = 0.799;
    motor.happen(0.1);
    const double speed = 0.8 * std::sin(0.05) / 0.1;
    EXPECT_NEAR(motor.current() / 10.0 + motor.q[hip], 0.3 + 0.1 * (target - speed), 1e-9);
  }
}

TEST(KneeMagnet, TheMagnetTakesItsPowerWhileItIsOn) {
  const Mechanism m = legs();
  const KneeMagnetOptions stance{.joint = "left_knee", .foot = 0, .stance = feet(0.01), .power = 7.48};
  Held magnet(m, knee_magnet("left knee magnet", m, stance), standing(m));
  EXPECT_EQ(magnet.flows().supplied, 7.48);
  EXPECT_EQ(magnet.flows().dissipated, 7.48);
  magnet.happen(0.01);
  magnet.q[place(m, "right_knee")] = 0.0;
  magnet.happen(0.02);
  EXPECT_EQ(magnet.flows().supplied, 0.0);
  EXPECT_FALSE(magnet.element->holding(magnet.memory.data()));
}

TEST(KneeMagnet, AKneeBendsStrikesItsCapAndIsHeld) {
  const Mechanism m = legs();
  OwnedVector q = m.neutral(), v(m.nv());
  q[place(m, "z")] = 0.8, q[place(m, "right_knee")] = 0.4;
  v[m.v_slice("right_knee").start] = -2.0;
  // The carriage is held, and the hip as well: the shank is a pendulum that comes to its cap at a known energy.
  StanceOptions never = feet(0.01);
  never.feet = {{"left_shank", {0.0, 0.0, -0.4}}, {"right_shank", {0.0, 0.0, 5.0}}};
  Simulator s(m, {knee_magnet("knee", m, {.joint = "right_knee", .foot = 1, .stance = never})});
  s.reset(q, v);
  s.advance(1.0);
  ASSERT_FALSE(s.events().empty());
  EXPECT_EQ(s.events().front().name, "knee: locks");
  EXPECT_GT(s.events().front().lost, 0.0);
  EXPECT_NEAR(s.q()[place(m, "right_knee")], 0.0, 1e-9);
  EXPECT_LT(std::abs(s.ledger().residual()), 1e-8);
}

TEST(KneeMagnet, AHoldingForceIsOvercome) {
  const Mechanism m = legs();
  OwnedVector q = standing(m), v(m.nv());
  v[m.v_slice("lean").start] = 3.0;  // the leg swings back and slows down, and the shank goes on
  const auto at_cap = [&](double holding) {
    const KneeMagnetOptions o{.joint = "left_knee", .foot = 0, .stance = feet(0.01), .holding_force = holding};
    Simulator s(m, {lock("hip's height", m, {.joint = "z", .engaged = true}), knee_magnet("knee", m, o)});
    s.reset(q, v);
    s.advance(0.4);
    return std::ranges::none_of(s.events(), [](const RecordedEvent& e) { return e.name == "knee: is overloaded"; });
  };
  EXPECT_TRUE(at_cap(100.0));
  EXPECT_FALSE(at_cap(0.3));
}

TEST(Consumer, TakesItsPowerAndTurnsItIntoHeat) {
  const Mechanism m = legs();
  Simulator s(m, {consumer("electronics", 11.2)});
  s.reset(m.neutral(), OwnedVector(m.nv()));
  s.advance(2.0);
  const LedgerEntry& e = s.ledger().entries[0];
  EXPECT_NEAR(e.supplied, 22.4, 1e-10);
  EXPECT_NEAR(e.dissipated, 22.4, 1e-10);
}

TEST(JointDrive, NumbersThatMakeNoDriveAreNamed) {
  const Mechanism m = legs();
  const auto message = [&](const std::function<void(JointDriveOptions&)>& change) {
    JointDriveOptions o = options();
    change(o);
    return message_of([&] { joint_drive("d", m, o); });
  };
  EXPECT_EQ(message([](auto& o) { o.motor.efficiency = 1.2; }), "'d motor' has a gear efficiency of 1.2: expected above 0, to 1");
  EXPECT_EQ(message([](auto& o) { o.law.set_points = {0.3}; }), "'d motor' has 1 set points for 2 feet");
  EXPECT_EQ(message([](auto& o) { o.stance.feet.pop_back(); }), "'d motor' watches 1 feet: expected two or more");
  EXPECT_EQ(message([](auto& o) { o.stance.first = 2; }), "'d motor' starts on foot 2: expected 0 to 1");
  EXPECT_EQ(message([](auto& o) { o.motor.constant = 0.0; }), "'d motor' has a motor constant of 0: expected a number above 0");
  EXPECT_EQ(message([](auto& o) { o.law.proportional = -1.0; }), "'d motor' has a proportional gain of -1: expected a number, not negative");
  EXPECT_NE(message([](auto& o) { o.joint = "hop"; }).find("hop"), std::string::npos);
  EXPECT_NE(message([](auto& o) { o.stance.feet[0].place = "toe"; }).find("toe"), std::string::npos);
  EXPECT_EQ(message_of([&] { knee_magnet("k", m, {.joint = "left_knee", .foot = 3, .stance = feet(0.01)}); }), "'k' is of foot 3: expected 0 to 1");
  EXPECT_EQ(message_of([&] { consumer("c", -1.0); }), "'c' has a power of -1: expected a number, not negative");
  OwnedVector q = m.neutral();
  q[place(m, "left_knee")] = -0.1;
  Simulator s(m, {knee_magnet("k", m, {.joint = "left_knee", .foot = 0, .stance = feet(0.01)})});
  EXPECT_EQ(message_of([&] { s.reset(q, OwnedVector(m.nv())); }), "'k' has its cap at 0, but the motion starts 0.1 beyond it");
}

}  // namespace
}  // namespace amble
