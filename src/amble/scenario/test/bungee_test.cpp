#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "amble/base/test/source_dir.hpp"
#include "amble/mechanism/bungee.hpp"
#include "amble/scenario/run.hpp"

namespace amble {
namespace {

ScenarioRun jump(const std::string& name) {
  ScenarioRun run(load_scenario(source_dir() + "/scenarios/" + name));
  run.run();
  return run;
}

TEST(Bungee, TheLumpedJumpIsSafeAndTheDistributedOneIsNot) {
  for (const char* name : {"bungee_lumped.toml", "bungee_distributed.toml"}) {
    ScenarioRun run = jump(name);
    for (const CheckResult& check : run.checks()) EXPECT_TRUE(check.holds) << name << ", " << check.name << ": " << check.value;
  }
}

/// m x'' + d x' + k x = m g from rest, x downwards.
TEST(Bungee, TheLumpedJumpFollowsItsClosedForm) {
  const BungeeParameters p;
  const ScenarioRun run = jump("bungee_lumped.toml");
  const double m = p.person_mass, decay = p.damping / (2.0 * m), w = std::sqrt(p.stiffness / m - decay * decay);
  const Recording& r = run.recording();
  ASSERT_GT(r.rows(), 600);
  for (Eigen::Index i = 0; i < r.rows(); ++i) {
    const double t = r.t()[i];
    const double x = m * 9.81 / p.stiffness * (1.0 - std::exp(-decay * t) * (std::cos(w * t) + decay / w * std::sin(w * t)));
    EXPECT_NEAR(r.q()(i, 0), x, 1e-8);
  }
}

TEST(Bungee, TheMotionIsRecordedWhereSomethingHappens) {
  const ScenarioRun run = jump("bungee_lumped.toml");
  ASSERT_FALSE(run.recording().events().empty());
  for (const RecordedEvent& event : run.recording().events())
    EXPECT_TRUE(std::binary_search(run.recording().t().begin(), run.recording().t().end(), event.t));
}

}  // namespace
}  // namespace amble
