#include "amble/base/test/source_dir.hpp"
#include "amble/scenario/run.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"

namespace amble {
namespace {

Scenario scenario(const std::string& text, const std::vector<std::string>& settings = {}) {
  return read_scenario(text, source_dir() + "/scenarios/test.toml", settings);
}

constexpr const char* kPendulum = R"(
[model]
file = "../models/double_pendulum.urdf"
[simulation]
duration = 1.0
interval = 0.1
)";

TEST(ScenarioRun, KeepsTheBooksAndChecksThem) {
  ScenarioRun run(scenario(std::string(kPendulum) + R"(
[[checks]]
quantity = "residual"
below = 1e-8
above = -1e-8
[[checks]]
name = "gained"
quantity = "energy_change"
above = 1.0
)"));
  EXPECT_TRUE(run.run());
  EXPECT_EQ(run.recording().rows(), 11);
  const std::vector<CheckResult> checks = run.checks();
  ASSERT_EQ(checks.size(), 2u);
  EXPECT_EQ(checks[0].name, "residual");
  EXPECT_TRUE(checks[0].holds);
  EXPECT_EQ(checks[1].name, "gained");
  EXPECT_FALSE(checks[1].holds);
}

TEST(ScenarioRun, TheSnakeboardGainsSpeed) {
  ScenarioRun run(load_scenario(source_dir() + "/scenarios/snakeboard.toml"));
  EXPECT_TRUE(run.run());
  for (const CheckResult& check : run.checks()) EXPECT_TRUE(check.holds) << check.name << ": " << check.value;
}

TEST(ScenarioRun, TheIntegratorAndItsStepAreChosen) {
  ScenarioRun run(scenario(kPendulum, {"simulation.integrator='rkmk4'", "simulation.step=0.25"}));
  EXPECT_TRUE(run.run());
  EXPECT_EQ(run.report().steps, 4);
  const std::string unknown = message_of([] { ScenarioRun(scenario(kPendulum, {"simulation.integrator='rk5'"})); });
  EXPECT_NE(unknown.find("'simulation.integrator' is 'rk5'"), std::string::npos) << unknown;
  EXPECT_NE(message_of([] { scenario(kPendulum, {"simulation.step=0"}); }).find("'simulation.step': is 0 s"), std::string::npos);
}

TEST(ScenarioRun, SettingsTakeThePlaceOfTheFile) {
  const Scenario s = scenario(kPendulum, {"simulation.duration=0.25", "world.gravity=[0,0,-1]"});
  EXPECT_EQ(s.duration, 0.25);
  EXPECT_EQ(s.gravity->z(), -1.0);
  EXPECT_EQ(s.interval, 0.1);
  EXPECT_NE(message_of([&] { scenario(kPendulum, {"duration"}); }).find("KEY=VALUE"), std::string::npos);
  EXPECT_NE(message_of([&] { scenario(kPendulum, {"simulation.duraton=1"}); }).find("'duration'"), std::string::npos);
}

TEST(ScenarioRun, WrongNamesAreToldBeforeTheRun) {
  const auto words = [](const std::string& more) {
    return message_of([&] { ScenarioRun run(scenario(kPendulum + more)); });
  };
  EXPECT_NE(words("[[checks]]\nquantity = 'q:elbw'\nbelow = 1\n").find("test.toml: a check is about 'elbw'"), std::string::npos);
  EXPECT_NE(words("[[checks]]\nquantity = 'residul'\nbelow = 1\n").find("residul"), std::string::npos);
  EXPECT_NE(words("[[checks]]\nquantity = 'residual'\n").find("no bound"), std::string::npos);
  EXPECT_NE(words("[[elements]]\ntype = 'joint_spring'\njoint = 'nosuch'\nstiffness = 1\n").find("nosuch"), std::string::npos);
  EXPECT_NE(words("[[elements]]\ntype = 'joint_spring'\njoint = 'x'\n").find("stiffness"), std::string::npos);
  EXPECT_NE(words("[elements]\n").find("[[elements]]"), std::string::npos);
}

TEST(ScenarioRun, AnIntegratorThatIsRefusedIsToldWithTheFile) {
  const std::string text = "[model]\nbuiltin = 'snakeboard'\n[simulation]\nintegrator = 'variational'\n";
  const std::string words = message_of([&] { ScenarioRun run(scenario(text)); });
  EXPECT_NE(words.find("test.toml: the motion of 'snakeboard' is under constraints"), std::string::npos) << words;
}

}  // namespace
}  // namespace amble
