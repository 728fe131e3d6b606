#include "amble/gait/fate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "amble/base/random.hpp"
#include "amble/base/test/count_allocations.hpp"
#include "amble/gait/basin.hpp"
#include "amble/walkers/walkers.hpp"

namespace amble {
namespace {

struct Case {
  const char* walker;
  WalkerValues values;
  Scuffing scuffing = Scuffing::ignore;
};

std::vector<Case> cases() {
  return {{"compass", {}},
          {"compass",
           {{"leg_mass", 2.0},
            {"leg_com", 0.4},
            {"leg_inertia", 0.05},
            {"hip_stiffness", 1.0},
            {"hip_damping", 0.05}}},
          {"compass", {{"foot_radius", 0.2}}},
          {"dribbel", {}},
          {"dribbel", {}, Scuffing::detect},
          {"simplest", {}},
          {"rimless", {}}};
}

/// Starts all over a walker's region, the same for the same i.
OwnedVector start_of(const StepModel& model, std::size_t i) {
  const StepModel::Section& section = model.section();
  Random random(i);
  OwnedVector s(section.size());
  for (Eigen::Index k = 0; k < s.size(); ++k) s[k] = random.uniform(section.lower[k], section.upper[k]);
  return section.lift * s + section.offset;
}

struct Outcome {
  Fate fate;
  std::vector<double> x;
  bool operator==(const Outcome& other) const {
    return fate.cycle == other.fate.cycle && fate.steps == other.fate.steps && x == other.x;
  }
};

std::vector<Outcome> outcomes(const StepModel& model, LaneFates& fates, std::size_t begin, std::size_t end) {
  std::vector<Outcome> all(end - begin);
  const auto n = model.section().offset.size();
  fates.follow(
      begin, end, [&](std::size_t i, double* x) { Eigen::Map<Eigen::VectorXd>(x, n) = start_of(model, i); },
      [&](std::size_t i, const Fate& fate, const double* x) {
        all[i - begin] = {fate, {x, x + n}};
      });
  return all;
}

TEST(LaneFates, AStepIsThatOfTheReturnMap) {
  for (const Case& c : cases()) {
    const auto model = make_walker(c.walker, c.values, c.scuffing);
    LaneFates fates(*model, {.catches = {}, .most_steps = 1, .tolerance = 1e-12});
    ReturnMap map(*model);
    const std::vector<Outcome> all = outcomes(*model, fates, 0, 200);
    int completed = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Step step = map(start_of(*model, i));
      ASSERT_EQ(step.completed, all[i].fate.cycle == Fate::kWandered)
          << c.walker << " start " << i << " " << step.failure;
      if (!step.completed) continue;
      ++completed;
      const Eigen::Map<const Eigen::VectorXd> x(all[i].x.data(), step.x.size());
      EXPECT_LT((x - step.x).norm(), 1e-8 * (1.0 + step.x.norm())) << c.walker << " start " << i;
    }
    EXPECT_GT(completed, 10) << c.walker;
  }
}

TEST(LaneFates, AStartHasTheSameBitsInAnyCompany) {
  for (const char* walker : {"compass", "dribbel"}) {
    const auto model = make_walker(walker);
    LaneFates fates(*model, {.catches = {}, .most_steps = 5, .tolerance = 1e-7});
    const std::vector<Outcome> together = outcomes(*model, fates, 0, 300),
                               again = outcomes(*model, fates, 0, 300),
                               some = outcomes(*model, fates, 101, 118);
    EXPECT_EQ(together, again) << walker;
    for (std::size_t i = 0; i < some.size(); ++i)
      EXPECT_EQ(some[i], together[101 + i]) << walker << " start " << 101 + i;
    for (std::size_t i = 0; i < 300; i += 13)
      EXPECT_EQ(outcomes(*model, fates, i, i + 1).front(), together[i]) << walker << " start " << i;
  }
}

#ifdef AMBLE_COUNTS_ALLOCATIONS
TEST(LaneFates, AllocatesNothingOnTheWay) {
  for (const char* walker : {"compass", "dribbel"}) {
    const auto model = make_walker(walker);
    LaneFates fates(*model, {.catches = {}, .most_steps = 5, .tolerance = 1e-7});
    std::vector<OwnedVector> starts;
    for (std::size_t i = 0; i < 100; ++i) starts.push_back(start_of(*model, i));
    int fell = 0;
    const std::function<void(std::size_t, double*)> start = [&](std::size_t i, double* x) {
      std::copy_n(starts[i].data(), starts[i].size(), x);
    };
    const std::function<void(std::size_t, const Fate&, const double*)> done =
        [&](std::size_t, const Fate& fate, const double*) { fell += fate.cycle == Fate::kFell; };
    EXPECT_EQ(allocations_of([&] { fates.follow(0, starts.size(), start, done); }), 0) << walker;
    EXPECT_GT(fell, 0);
  }
}
#endif

/// Fates differ only where a start lies within the tolerance of the border of a basin: there one that is more
/// exact tells.
TEST(Basin, InLanesIsThatOfOneByOne) {
  struct Grid {
    Case walker;
    std::vector<int> cells;
  };
  for (const auto& [c, cells] : std::vector<Grid>{{{"compass", {}}, {12, 16, 16}},
                                                  {{"compass", {}, Scuffing::detect}, {6, 10, 10}},
                                                  {{"dribbel", {}}, {8, 10, 10}},
                                                  {{"simplest", {}}, {12, 12, 12}}}) {
    const auto model = make_walker(c.walker, c.values, c.scuffing);
    const Region region = region_of(*model);
    if (static_cast<Eigen::Index>(cells.size()) != region.lower.size()) continue;
    const std::vector<Gait> cycles = find_cycles(*model, region, {.starts = 100}).cycles;
    BasinOptions options{.cells = cells, .threads = 1};
    const Basin lanes = find_basin(*model, cycles, region, options);
    options.lanes = false;
    const Basin one_by_one = find_basin(*model, cycles, region, options);
    int differ = 0, steps_differ = 0;
    const auto fate_at = [&](std::size_t cell, bool in_lanes) {
      const OwnedVector s = lanes.middle(region, cell);
      return find_basin(*model, cycles, {s, s},
                        {.cells = std::vector<int>(cells.size(), 1),
                         .tolerance = 1e-12,
                         .threads = 1,
                         .lanes = in_lanes})
          .fate[0];
    };
    for (std::size_t i = 0; i < lanes.fate.size(); ++i) {
      steps_differ += lanes.steps[i] != one_by_one.steps[i];
      if (lanes.fate[i] == one_by_one.fate[i]) continue;
      ++differ;
      EXPECT_EQ(fate_at(i, true), fate_at(i, false)) << c.walker << " cell " << i;
    }
    const auto count = static_cast<double>(lanes.fate.size());
    EXPECT_LE(differ, 2 + 0.003 * count) << c.walker;
    EXPECT_LE(steps_differ, 2 + 0.01 * count) << c.walker;
    if (!std::isnan(one_by_one.volume)) {
      EXPECT_NEAR(lanes.volume, one_by_one.volume, 0.01 * one_by_one.volume + 1e-12) << c.walker;
    }
  }
}

}  // namespace
}  // namespace amble
