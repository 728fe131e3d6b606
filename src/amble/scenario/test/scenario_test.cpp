#include "amble/base/test/source_dir.hpp"
#include "amble/scenario/stage.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"

namespace amble {
namespace {

std::string refusal(const std::string& text, const std::vector<std::string>& settings = {}) {
  try {
    read_scenario(text, "s.toml", settings);
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Scenario, ReadsWhatTheFileSays) {
  const Scenario s = read_scenario(R"(
[model]
file = "robot.urdf"
base = "floating"
mimic = "free"
[world]
gravity = [0, 0, -1.62]
[initial.q]
knee = 0.5
root_joint = [0, 0, 1, 0, 0, 0, 1]
[initial.v]
knee = -1
)", "s.toml");
  EXPECT_EQ(s.model, "robot.urdf");
  EXPECT_EQ(s.load.base, Base::floating);
  EXPECT_FALSE(s.load.mimic);
  EXPECT_EQ((*s.gravity)[2], -1.62);
  EXPECT_EQ(s.initial_q.at("knee"), std::vector<double>{0.5});
  EXPECT_EQ(s.initial_q.at("root_joint").size(), 7u);
  EXPECT_EQ(s.initial_v.at("knee"), std::vector<double>{-1.0});
}

TEST(Scenario, AnUnknownKeyIsNamedWithItsLineAndTheNearestOne) {
  EXPECT_EQ(refusal("[model]\nfile = 'a'\nbse = 'fixed'\n"),
            "s.toml:3: 'model.bse': is not a key that is known here (did you mean 'base'?)");
}

TEST(Scenario, ReportsEveryProblemAtOnce) {
  const std::string message = refusal("[model]\nbase = 'flying'\nstrict = 1\n[world]\ngravity = [0, 1]\n[wrld]\n");
  for (const char* part : {"'model.file': is missing", "s.toml:2: 'model.base': is 'flying'", "s.toml:3: 'model.strict'",
                           "s.toml:5: 'world.gravity': has 2 numbers, expected 3", "'wrld'", "did you mean 'world'"})
    EXPECT_NE(message.find(part), std::string::npos) << part << " not in " << message;
}

TEST(Scenario, BrokenTomlAndNumbersThatAreNotFiniteAreRefused) {
  EXPECT_NE(refusal("[model\n").find("s.toml:1: "), std::string::npos);
  EXPECT_NE(refusal("[model]\nfile='a'\n[initial.q]\nknee = nan\n").find("not a finite number"), std::string::npos);
  EXPECT_EQ(refusal("[model]\nfile='a'\n[simulation]\nduration = inf\n"),
            "s.toml:4: 'simulation.duration': has something that is not a finite number");
  EXPECT_EQ(refusal(""), "s.toml: 'model': is missing");
}

TEST(Scenario, WhatIsMissingHasTheLineOfItsTable) {
  EXPECT_EQ(refusal("[model]\nfile='a'\n[[elements]]\njoint = 'knee'\n"), "s.toml:3: 'elements[0].type': is missing");
}

TEST(Scenario, ASettingThatIsWrongIsNamedItself) {
  const std::string text = "[model]\nfile='a'\n[simulation]\nduration = 1\n";
  EXPECT_EQ(refusal(text, {"simulation.duration=-1"}),
            "setting 'simulation.duration=-1': 'simulation.duration': is -1 s, expected more than 0");
  EXPECT_EQ(refusal(text, {"simulation.durtion=1"}),
            "setting 'simulation.durtion=1': 'simulation.durtion': is not a key that is known here (did you mean "
            "'duration'?)");
  EXPECT_EQ(refusal(text + "step = 0\n", {"simulation.interval=0.1"}),
            "s.toml:5: 'simulation.step': is 0 s, expected more than 0");
}

TEST(Scenario, WhatDoesNotFitTheModelIsRefusedWithTheFile) {
  const auto set_up_error = [](const std::string& initial) -> std::string {
    const std::string model = source_dir() + "/models/rover.sdf";
    try {
      set_up(read_scenario("[model]\nfile = '" + model + "'\n[initial.q]\n" + initial, "s.toml"));
    } catch (const Error& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(set_up_error("lift_screw = 0.1"), "accepted");
  EXPECT_NE(set_up_error("rear_axle = 0.1").find("s.toml: 'initial.q.rear_axle' cannot be given: the joint follows"), std::string::npos);
  EXPECT_NE(set_up_error("lift = 0.1").find("s.toml: there is no joint 'lift'"), std::string::npos);
  EXPECT_NE(set_up_error("neck = [0, 0, 0, 2]").find("s.toml: the quaternion of joint 'neck'"), std::string::npos);
  EXPECT_NE(refusal("[model]\nfile = ''\n").find("'model.file': is empty"), std::string::npos);
}

TEST(Scenario, WhatABuiltInMechanismRefusesIsToldWithTheFile) {
  const auto set_up_error = [](const std::string& more) {
    return message_of([&] { set_up(read_scenario("[model]\nbuiltin = 'snakeboard'\n" + more, "s.toml")); });
  };
  EXPECT_EQ(set_up_error("parameters = { torso_mas = 1 }\n"),
            "s.toml: 'snakeboard' has no parameter 'torso_mas' (did you mean 'torso_mass'?)");
  EXPECT_EQ(set_up_error("[world]\ngravity = [0, 0, -1]\n"),
            "s.toml: 'world.gravity' is given, but a built-in mechanism has its own");
}

TEST(Scenario, IsSetUpWithItsModelAndState) {
  const Stage stage = set_up(load_scenario(source_dir() + "/scenarios/quadruped_stand.toml"));
  EXPECT_EQ(stage.mechanism.nv(), 18);
  EXPECT_EQ(stage.q[2], 0.4);
  EXPECT_EQ(stage.v.norm(), 0.0);
}

}  // namespace
}  // namespace amble
