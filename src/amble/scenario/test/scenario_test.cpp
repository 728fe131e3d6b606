#include "amble/scenario/scenario.hpp"

#include <gtest/gtest.h>

namespace amble {
namespace {

std::string refusal(const std::string& text) {
  try {
    read_scenario(text, "s.toml");
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
  EXPECT_NE(refusal("").find("'model': is missing"), std::string::npos);
}

TEST(Scenario, IsSetUpWithItsModelAndState) {
  const Stage stage = set_up(load_scenario(AMBLE_SOURCE_DIR "/scenarios/quadruped_stand.toml"));
  EXPECT_EQ(stage.mechanism.nv(), 18);
  EXPECT_EQ(stage.q[2], 0.4);
  EXPECT_EQ(stage.v.norm(), 0.0);
}

}  // namespace
}  // namespace amble
