#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/base/test/source_dir.hpp"
#include "amble/scenario/run.hpp"
#include "amble/scenario/stage.hpp"

namespace amble {
namespace {

const std::string kModel = "[model]\nfile = '" + source_dir() +
                           "/models/quadruped.urdf'\nbase = 'fixed'\n"
                           "[initial.q]\nfront_left_knee = -1.2\nfront_right_knee = -1.2\nrear_left_knee = -1.2\n"
                           "rear_right_knee = -1.2\n[simulation]\nduration = 0.3\n";

std::string refusal(const std::string& element) {
  return message_of([&] { set_up(read_scenario(kModel + "[[elements]]\n" + element, "s.toml")); });
}

TEST(ScenarioElements, OfEveryTypeActAndCloseTheirBooks) {
  const std::string text = kModel + R"(
[[elements]]
type = "sine_force"
joint = "front_left_hip_roll"
amplitude = 2.0
frequency = 1.0
[[elements]]
type = "joint_spring"
joint = "front_left_hip_pitch"
stiffness = 20.0
rest = 0.3
[[elements]]
type = "joint_damper"
joint = "front_left_hip_pitch"
damping = 0.5
[[elements]]
type = "joint_impedance"
joint = "front_left_knee"
stiffness = 30.0
damping = 1.0
set_point = { offset = -1.2, amplitude = 0.2, frequency = 2.0 }
[[elements]]
type = "joint_impedance"
name = "sampled"
joint = "front_right_knee"
stiffness = 30.0
damping = 0.5
set_point = -1.2
period = 0.01
delay = 0.015
[[elements]]
type = "spatial_spring"
body_b = "rear_left_shank"
pose_b = [0, 0, -0.1, 0, 0, 0.2]
stiffness = 50.0
rotational_stiffness = [1, 2, 3]
rest = [0.1, 0, -0.3, 0, 0, 0]
amplitude = [0.05, 0, 0]
frequency = 1.5
[[elements]]
type = "spatial_damper"
body_b = "rear_left_shank"
damping = 1.0
[[elements]]
type = "spatial_impedance"
body_b = "rear_right_shank"
stiffness = 80.0
damping = 2.0
target = [-0.2, -0.1, -0.3, 0, 0, 0]
[[elements]]
type = "end_stop"
stiffness = 1e4
[[elements]]
type = "lock"
joint = "front_right_hip_roll"
engage_times = [0.1]
release_times = [0.2]
[[elements]]
type = "motor"
joint = "rear_left_knee"
resistance = 1.0
inductance = 0.01
constant = 0.1
ratio = 20.0
voltage_limit = 24.0
voltage = { amplitude = 30.0, frequency = 3.0 }
[[elements]]
type = "actuator"
joint = "rear_left_hip_roll"
force = { amplitude = 50.0, frequency = 2.0 }
effort_limit = 10.0
velocity_limit = 20.0
[[elements]]
type = "prescribed_motion"
joint = "rear_right_hip_roll"
motion = { amplitude = 0.0, frequency = 1.0 }
)";
  const Scenario s = read_scenario(text, "s.toml");
  EXPECT_EQ(s.elements.size(), 13u);
  EXPECT_EQ(s.elements[0].name, "sine_force of front_left_hip_roll");
  ScenarioRun run(s);
  ASSERT_TRUE(run.run());
  const Ledger& books = run.recording().ledger();
  EXPECT_GT(books.exchanged, 0.1);
  EXPECT_LT(std::abs(books.residual()), 1e-7 * books.exchanged);
  for (const LedgerEntry& e : books.entries) EXPECT_LT(std::abs(e.gap()), 1e-7 * books.exchanged) << e.name;
}

TEST(ScenarioElements, ARigidStopIsOneElementForEachLimit) {
  const Stage stage =
      set_up(read_scenario(kModel + "[[elements]]\ntype = 'rigid_stop'\njoint = 'front_left_knee'\nlower = "
                                    "-2.0\nupper = 0.0\nrestitution = 0.3\n",
                           "s.toml"));
  ASSERT_EQ(stage.elements.size(), 2u);
  EXPECT_EQ(stage.elements[1]->name(), "rigid_stop of front_left_knee: front_left_knee above");
}

TEST(ScenarioElements, WhatAFileGetsWrongIsTold) {
  const auto says = [](const std::string& element, const char* words) {
    const std::string message = refusal(element);
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  says("type = 'motr'\n", "is 'motr', expected one of sine_force");
  says("joint = 'front_left_knee'\n", "'elements[0].type': is missing");
  says("type = 'joint_spring'\njoint = 'front_left_knee'\nstifness = 3\n", "did you mean 'stiffness'");
  says("type = 'joint_spring'\njoint = 'front_left_knee'\n", "'elements[0].stiffness': is missing");
  says("type = 'motor'\njoint = 'front_left_knee'\nresistance = 1\nconstant = 1\n",
       "'elements[0].voltage': is missing");
  says("type = 'motor'\njoint = 'front_left_knee'\nresistance = 1\nconstant = 1\nvoltage = { amplitde = 2 }\n",
       "did you mean 'amplitude'");
  says("type = 'end_stop'\nlower = 1.0\nstiffness = 1\n", "limits are given for one");
  says("type = 'spatial_spring'\nbody_b = 'front_left_foot'\nrest = [1, 2]\n", "has 2 numbers, expected 6");
  says("type = 'lock'\njoint = 'front_left_knee'\naxis = 0.5\nengaged = true\n", "expected a small whole number");
  says("type = 'lock'\njoint = 'front_left_knee'\naxis = 3\nangle = 0.0\n", "axis 3 of joint 'front_left_knee'");
  says("type = 'joint_damper'\njoint = 'front_left_kne'\ndamping = 1\n",
       "s.toml: there is no joint 'front_left_kne'");
}

}  // namespace
}  // namespace amble
