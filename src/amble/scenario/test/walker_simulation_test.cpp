#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "amble/base/test/source_dir.hpp"
#include "amble/contact/rigid_contact.hpp"
#include "amble/gait/cycles.hpp"
#include "amble/gait/walk.hpp"
#include "amble/ports/lock.hpp"
#include "amble/scenario/walker_file.hpp"
#include "amble/simulation/simulator.hpp"

// The analysis model holds a foot by its coordinates and takes impacts by its own formulas; the simulator
// lets the whole mechanism stand on contacts, with locks at its knees, and decides at each event what holds.
// Both walk alike.
namespace amble {
namespace {

constexpr double kAfter = 1e-9;  // s: a knee is let go when the strike, which it has to hold in, is over

struct Experiment {
  Walk walk;
  Mechanism full;
  std::vector<double> touchdowns;
};

Experiment walked(int steps) {
  const auto model =
      make_walker(load_walker(source_dir() + "/scenarios/walkers/kneed.toml"), {}, Scuffing::detect);
  const std::vector<Gait> cycles =
      find_cycles(*model, region_of(*model), {.starts = 60, .threads = 2}).cycles;
  EXPECT_FALSE(cycles.empty());
  ReturnMap map(*model);
  Experiment out{walk(map, cycles.front().x, steps), dynamic_cast<MechanismWalker&>(*model).spec().full, {}};
  double t = 0.0;
  for (const StepLedger& step : out.walk.steps) out.touchdowns.push_back(t += step.period);
  return out;
}

std::vector<ElementPtr> elements_of(const Experiment& e) {
  std::vector<ElementPtr> all =
      rigid_contacts(e.full, {{.body = "left_shank", .point = {0.0, 0.0, -0.43}, .name = "left foot"},
                              {.body = "right_shank", .point = {0.0, 0.0, -0.43}, .name = "right foot"}});
  for (const bool left : {true, false}) {
    LockOptions magnet{
        .joint = left ? "left_knee" : "right_knee", .angle = 0.0, .direction = -1, .engaged = left};
    for (std::size_t i = left ? 0 : 1; i < e.touchdowns.size(); i += 2)
      magnet.release_times.push_back(e.touchdowns[i] + kAfter);
    all.push_back(lock(magnet.joint + " magnet", e.full, magnet));
  }
  return all;
}

TEST(WalkerSimulation, TheWholeMechanismOnContactsWalksAsTheAnalysisModel) {
  const Experiment e = walked(3);
  ASSERT_FALSE(e.walk.fell) << e.walk.failure;
  Simulator s(e.full, elements_of(e), {}, {.integrator = {.tolerance = 1e-12}});
  s.reset(e.walk.samples.front().q, e.walk.samples.front().v);
  int compared = 0;
  for (const WalkSample& sample : e.walk.samples) {
    // Not in the moment of a strike, where one is before it and the other after.
    const auto near = [&](double t) { return std::abs(sample.t - t) < 1e-6; };
    if (sample.t <= s.t() || std::ranges::any_of(e.touchdowns, near)) continue;
    s.advance(sample.t);
    ++compared;
    ASSERT_LT((s.q() - sample.q).norm(), 1e-8) << sample.t << "\n"
                                               << s.q().transpose() << "\n"
                                               << sample.q.transpose();
    ASSERT_LT((s.v() - sample.v).norm(), 1e-7) << sample.t;
  }
  EXPECT_GT(compared, 50);
  std::vector<double> landings;
  int locked = 0;
  for (const RecordedEvent& event : s.events()) {
    if (event.name.ends_with("foot: lands")) landings.push_back(event.t);
    locked += event.name.ends_with("magnet: locks");
  }
  ASSERT_EQ(landings.size(), 2u);
  for (std::size_t i = 0; i < landings.size(); ++i) EXPECT_NEAR(landings[i], e.touchdowns[i], 1e-9);
  EXPECT_EQ(locked, 3);
  // What the impacts of the simulation took is what the analysis model lost in two steps and a knee's strike.
  EXPECT_GT(s.ledger().losses, e.walk.steps[0].lost + e.walk.steps[1].lost);
  EXPECT_LT(s.ledger().losses, 3.0 * e.walk.steps[0].lost);
  EXPECT_LT(std::abs(s.ledger().residual()), 1e-8);
}

}  // namespace
}  // namespace amble
