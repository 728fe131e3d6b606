#include "amble/scenario/walk_scenario.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/scenario/replay.hpp"
#include "amble/scenario/walk_run.hpp"

namespace amble {
namespace {

const std::string kStep = R"([variables]
height = 0.03
controller = "port"
[walker]
name = "compass"
parameters = { gravity = 9.8 }
steps = 7
[gait]
region = { q3 = [0.29, 0.31], dq3 = [-1.1, -1.05], dq4 = [0.69, 0.72] }
starts = 4
[[world.steps]]
footfall = 3
down = "$height"
[controller]
type = "$controller"
[[checks]]
quantity = "fell"
below = 0
[[checks]]
quantity = "relative_residual"
above = -1e-9
below = 1e-9
[[checks]]
quantity = "count:footfall"
above = 7
[[checks]]
quantity = "flat_torque"
below = 0.1
)";

TEST(WalkScenario, RunsWithItsBooksAndChecks) {
  const WalkResult r = run_walk_scenario(read_walk_scenario(kStep, "step.toml"));
  ASSERT_EQ(r.checks.size(), 4u);
  for (const CheckResult& c : r.checks) EXPECT_TRUE(c.holds) << c.name << ": " << c.value;
  const Ledger books = r.recording.ledger();
  EXPECT_EQ(books.entries.size(), 4u);
  for (const LedgerEntry& e : books.entries) EXPECT_NEAR(e.gap(), 0.0, 1e-12) << e.name;
  // They are kept along the way, too, with the forces under the feet.
  EXPECT_EQ(r.recording.ledgers().rows(), static_cast<std::size_t>(r.recording.rows()));
  EXPECT_GT(r.recording.contacts().rows(), r.walk.samples.size() / 2);
  EXPECT_GT(books.losses, 0.0);
  EXPECT_EQ(r.energies.size(), r.walk.samples.size());
  // The last foothold lies lower, and the energy in gravity knows it.
  EXPECT_NEAR(r.recording.q()(r.recording.rows() - 1, 1), -0.03, 1e-12);
}

TEST(WalkScenario, VariablesTakeOtherValues) {
  const WalkScenario s = read_walk_scenario(kStep, "step.toml", {"height=0.08", "controller=none", "walker.steps=9"});
  EXPECT_EQ(s.controller, "none");
  EXPECT_EQ(s.floor.at(0).height, 0.08);
  EXPECT_EQ(s.steps, 9);
  const WalkResult r = run_walk_scenario(s);
  EXPECT_TRUE(r.walk.fell);
  EXPECT_FALSE(r.checks[0].holds);
  EXPECT_NEAR(r.recording.ledger().residual(), 0.0, 1e-8);  // of the step that was not completed too
}

TEST(WalkScenario, IsReplayedToTheLastBit) {
  const Recording recording = run_walk_scenario(read_walk_scenario(kStep, "step.toml")).recording;
  EXPECT_TRUE(replay(recording).same);
}

TEST(WalkScenario, PlacementIsRead) {
  const WalkScenario s = read_walk_scenario(R"([walker]
name = "pointmass3d"
[placement]
path = { type = "circle", radius = 4 }
heading = "path"
speeds = [[0, 1.0], [10, 1.5]]
stop = 30
[[pushes]]
footfall = 6
impulse = [0, -0.1, 0]
)",
                                            "p.toml");
  EXPECT_TRUE(s.plan.path && s.plan.turns);
  EXPECT_EQ(s.plan.speeds.at(1).speed, 1.5);
  EXPECT_EQ(s.plan.stop, 30);
  EXPECT_EQ(s.plan.pushes.at(0).impulse.y(), -0.1);
}

TEST(WalkScenario, EveryProblemIsToldWithItsLine) {
  const std::string message = message_of([] {
    read_walk_scenario(R"([walker]
nam = "compass"
steps = 0
[[world.steps]]
down = "$hight"
[controller]
type = "prot"
[[pushes]]
footfall = 1
)",
                       "bad.toml", {"variables.height=1"});
  });
  for (const char* part : {"bad.toml:5: '$hight': is not among the variables (did you mean 'height'?)",
                           "'walker.name': is missing", "bad.toml:2: 'walker.nam'", "bad.toml:3: 'walker.steps': is 0",
                           "'controller.type': is 'prot'", "'pushes[0].impulse'"})
    EXPECT_NE(message.find(part), std::string::npos) << part << "\nnot in\n" << message;
  const auto settings = [](const std::string& setting) { return message_of([&] { read_walk_scenario(kStep, "step.toml", {setting}); }); };
  EXPECT_EQ(settings("height=-0.01"), "step.toml: 'world.steps[0].down': is -0.01, expected 0 or more: the floor goes down");
  EXPECT_EQ(settings("controller.pd.stifness=1"),  // though pd is not chosen
            "setting 'controller.pd.stifness=1': 'controller.pd.stifness': controller 'pd' has no parameter 'stifness' (did you "
            "mean 'stiffness'?); it has stiffness, damping");
  EXPECT_NE(settings("placement.heading=1").find("'placement.heading'"), std::string::npos);
  EXPECT_NE(settings("placement.speeds=[[1]]").find("has a row that is not [footfall, speed]"), std::string::npos);
  EXPECT_NE(settings("placement.path.type=spiral").find("expected one of line, sine, circle, points"), std::string::npos);
  EXPECT_NE(settings("gait.choose=best").find("expected one of stable, fastest, slowest"), std::string::npos);
  EXPECT_THROW(run_walk_scenario(read_walk_scenario(kStep, "step.toml", {"walker.parameters.slope_deg=-3"})), NoGaitFound);
  EXPECT_EQ(message_of([] {
              run_walk_scenario(read_walk_scenario("[walker]\nname = \"compass\"\n[gait]\nstart = { q9 = 1 }\n", "s.toml"));
            }),
            "s.toml: the state has no 'q9' (did you mean 'q3'?); it has q3, q4, dq3, dq4");
}

TEST(WalkScenario, AGaitThatWasSearchedForIsFollowed) {
  const std::string text = R"([walker]
name = "compass"
parameters = { slope_deg = 0.0 }
steps = 6
[gait]
speed = 0.6
[[world.steps]]
footfall = 3
down = 0.01
[controller]
type = "port"
[[checks]]
quantity = "fell"
below = 0
[[checks]]
quantity = "relative_residual"
above = -1e-8
below = 1e-8
)";
  const WalkResult r = run_walk_scenario(read_walk_scenario(text, "level.toml"));
  EXPECT_FALSE(r.gait);
  ASSERT_TRUE(r.searched);
  EXPECT_NEAR(r.searched->speed, 0.6, 1e-6);
  EXPECT_GT(r.walk.spent(), 1.0);
  for (const CheckResult& check : r.checks) EXPECT_TRUE(check.holds) << check.name << " " << check.value;
  const auto without = [&](const std::string& part) {
    std::string cut = text;
    cut.erase(cut.find(part), part.size());
    return cut;
  };
  EXPECT_EQ(message_of([&] {
              run_walk_scenario(read_walk_scenario(without("[controller]\ntype = \"port\"\n"), "level.toml"));
            }),
            "level.toml: 'gait.speed' asks for a gait that takes actuators: expected a [controller] that follows it, and no "
            "'gait.start'");
  std::string fast = text;
  fast.replace(fast.find("0.6"), 3, "30");
  EXPECT_THROW(run_walk_scenario(read_walk_scenario(fast, "level.toml")), NoGaitFound);
}

}  // namespace
}  // namespace amble
