#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/base/test/source_dir.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/io/test/temporary_folder.hpp"
#include "amble/scenario/run.hpp"
#include "amble/scenario/stage.hpp"

// [[objects]]: models beside the model, one equation of motion.
namespace amble {
namespace {

Scenario scenario(const std::string& objects) {
  return read_scenario(R"(
[model]
file = "objects/parcel.urdf"
base = "floating"
[simulation]
duration = 0.6
integrator = "time_stepping"
step = 1e-3
interval = 0.01
[[elements]]
type = "contacts"
friction = 0.8
)" + objects, source_dir() + "/scenarios/test.toml");
}

std::string refusal(const std::string& objects) {
  return message_of([&] { ScenarioRun run(scenario(objects)); });
}

constexpr const char* kStool = R"(
[[objects]]
file = "objects/stool.urdf"
name = "stool"
base = "fixed"
place = [3, 1, 0, 0, 0, 0]
)";
constexpr const char* kParcels = R"(
[[objects]]
file = "objects/parcel.urdf"
name = "first"
[[objects]]
file = "objects/parcel.urdf"
name = "second"
[initial.q]
root_joint = [0, 0, 0.1, 0, 0, 0, 1]
first_root_joint = [3, 1, 0.6, 0, 0, 0, 1]
second_root_joint = [3, 5, 0.2, 0, 0, 0, 1]
)";

TEST(ScenarioObjects, FallOntoEachOtherAndOntoTheFloor) {
  ScenarioRun run(scenario(std::string(kStool) + kParcels));
  ASSERT_TRUE(run.run());
  const Recording& r = run.recording();
  const Mechanism& m = r.mechanism();
  const Eigen::VectorXd last = r.q().row(r.rows() - 1).transpose();
  Workspace work(m);
  EXPECT_NEAR(pose(m, work, last, "parcel").translation()[2], 0.0, 1e-6);
  EXPECT_NEAR(pose(m, work, last, "first_parcel").translation()[2], 0.55, 1e-6);  // the stool's height; its own name was taken
  EXPECT_NEAR(pose(m, work, last, "second_parcel").translation()[2], 0.0, 1e-6);
  EXPECT_NEAR(pose(m, work, last, "stool").translation()[0], 3.0, 1e-12);
  EXPECT_NEAR(m.mass(), 15.0, 1e-12);  // the stool has none
  // In the air they fall as anything does: 0.1 s, by half g t^2 up to half a step.
  const double fallen = 0.6 - r.q()(10, m.q_slice("first_root_joint").start + 2);
  EXPECT_NEAR(fallen, 0.5 * 9.81 * 0.01, 0.5 * 9.81 * 0.1 * 1.1e-3);
}

TEST(ScenarioKeyframe, IsWhereTheModelStartsButForJointsThatAreNamed) {
  const TemporaryFolder folder;
  folder.write("arm.xml", R"(<mujoco><worldbody><body><freejoint name="root"/><geom size="0.1"/><body pos="1 0 0"><joint name="knee"/><geom size="0.1"/>
    </body></body></worldbody><keyframe><key name="home" qpos="1 2 3 1 0 0 0 0.5" qvel="0 0 0.1 0 0 0 0.2"/><key name="low"/></keyframe></mujoco>)");
  const std::string model = "[model]\nfile = \"arm.xml\"\n[initial]\n", file = folder.path() + "/scenario.toml";
  const Stage home = set_up(read_scenario(model + "keyframe = \"home\"\n", file));
  const Mechanism& m = home.mechanism;
  EXPECT_EQ(home.q, m.keyframe("home").q);
  EXPECT_EQ(home.v, m.keyframe("home").v);
  EXPECT_EQ(home.q[m.q_slice("knee").start], 0.5);
  const Stage bent = set_up(read_scenario(model + "keyframe = \"home\"\nq = { knee = 0.7 }\n", file));
  EXPECT_EQ(bent.q[m.q_slice("knee").start], 0.7);
  EXPECT_EQ(bent.q[m.q_slice("root").start], 1.0);
  EXPECT_EQ(bent.v, home.v);
  const Stage low = set_up(read_scenario(model + "keyframe = \"home\"\n", file, {"initial.keyframe=low"}));
  EXPECT_EQ(low.q, m.keyframe("low").q);
  const std::string said = message_of([&] { set_up(read_scenario(model + "keyframe = \"hame\"\n", file)); });
  EXPECT_NE(said.find("scenario.toml: there is no keyframe 'hame' (did you mean 'home'?); there are home, low"), std::string::npos) << said;
}

TEST(ScenarioObjects, WhatCannotBeMeantIsRefused) {
  const auto says = [](const std::string& objects, const std::string& words) {
    const std::string said = refusal(objects);
    EXPECT_NE(said.find(words), std::string::npos) << "expected: " << words << "\nsaid: " << said;
    EXPECT_NE(said.find("test.toml"), std::string::npos) << said;
  };
  says("[[objects]]\nname = \"a\"\n", "file");
  says("[[objects]]\nfile = \"objects/stool.urdf\"\n", "name");
  says("[[objects]]\nfile = \"objects/stool.urdf\"\nname = \"a\"\nbase = \"loose\"\n", "'loose'");
  says("[[objects]]\nfile = \"objects/stool.urdf\"\nname = \"a\"\nplace = [1, 2, 3]\n", "place");
  says("[[objects]]\nfile = \"objects/stool.urdf\"\nname = \"a\"\nplace = [1, 2, 3, 0, 0, \"x\"]\n", "place");
  says("[[objects]]\nfile = \"objects/stool.urdf\"\nname = \"a\"\nmass = 3\n", "mass");
  says("[[objects]]\nfile = \"objects/no_such.urdf\"\nname = \"a\"\n", "no_such.urdf");
  says("[[objects]]\nfile = \"objects/stool.urdf\"\nname = \"\"\n", "name");
  says(std::string(kStool) + kStool + kStool, "stool");
  says(std::string(kParcels) + "third_root_joint = [0, 0, 0, 0, 0, 0, 1]\n", "third_root_joint");
  const std::string builtin = message_of([] {
    read_scenario("[model]\nbuiltin = \"snakeboard\"\n[simulation]\nduration = 1\n" + std::string(kStool), "test.toml");
  });
  EXPECT_NE(builtin.find("objects"), std::string::npos) << builtin;
}

/// The motions of the humanoid, each with the checks of its file.
class Motions : public testing::TestWithParam<const char*> {};

TEST_P(Motions, HoldTheirChecks) {
  ScenarioRun run(load_scenario(source_dir() + "/scenarios/" + GetParam() + ".toml"));
  ASSERT_TRUE(run.run());
  EXPECT_GE(run.checks().size(), 5u);
  for (const CheckResult& check : run.checks()) EXPECT_TRUE(check.holds) << check.name << ": " << check.value;
}

const auto name_of_motion = [](const auto& info) { return std::string(info.param); };
INSTANTIATE_TEST_SUITE_P(Quick, Motions, testing::Values("squat", "single_support", "stepping", "handstand", "pushed_standing"), name_of_motion);
INSTANTIATE_TEST_SUITE_P(Long, Motions, testing::Values("crawl", "box_lift"), name_of_motion);

}  // namespace
}  // namespace amble
