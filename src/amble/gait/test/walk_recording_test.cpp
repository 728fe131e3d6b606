#include "amble/gait/walk_recording.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "amble/dynamics/kinematics.hpp"
#include "amble/gait/cycles.hpp"
#include "amble/gait/efficient_walk.hpp"
#include "amble/report/scene_stream.hpp"
#include "amble/walkers/walkers.hpp"

namespace amble {
namespace {

struct Walked {
  explicit Walked(const char* name, const WalkerValues& values = {}, const StepDown& down = {}, int steps = 4)
      : model(make_walker(name, values)), map(*model) {
    const CyclesFound found = find_cycles(*model, region_of(*model), {.starts = 200, .seed = 1});
    if (found.cycles.empty()) throw Error("no gait");
    gait = *std::min_element(found.cycles.begin(), found.cycles.end(), [](const Gait& a, const Gait& b) {
      return std::abs(a.leading()) < std::abs(b.leading());
    });
    walked = walk(map, gait.x, steps, down);
  }
  Recording recording() { return walk_recording(*model, walked); }

  std::unique_ptr<StepModel> model;
  ReturnMap map;
  Gait gait;
  Walk walked;
};

/// The largest jump of a signal from one row to the next.
double largest_jump(const Recording& r, const auto& of_row) {
  double out = 0.0;
  for (Eigen::Index i = 1; i < r.rows(); ++i) out = std::max(out, (of_row(i) - of_row(i - 1)).norm());
  return out;
}

/// How far the foot that stands is from where it is said to touch the floor.
double worst_contact(const Recording& r, double foot_radius) {
  double worst = 0.0;
  const Mechanism& m = r.mechanism();
  Workspace work(m);
  for (Eigen::Index i = 0; i + 1 < r.rows(); ++i) {
    const double* const c = r.contacts().row(static_cast<std::size_t>(i));
    const Vector3<double> point(c[3], c[4], c[5]), normal(c[9], c[10], c[11]);
    double nearest = 1e9;
    const LinkPoses poses = forward_kinematics(m, work, r.q().row(i).transpose());
    for (const Frame& frame : m.frames())
      if (frame.body == static_cast<int>(c[2]))
        nearest = std::min(nearest, (poses[frame.link] * frame.X_LF.translation() - foot_radius * normal - point).norm());
    worst = std::max(worst, nearest);
  }
  return worst;
}

class WalkRecordings : public testing::TestWithParam<const char*> {};

TEST_P(WalkRecordings, TellTheWalkWithItsBooksFeetAndEvents) {
  Walked w(GetParam());
  const Recording r = w.recording();
  EXPECT_TRUE(r.complete());
  EXPECT_NEAR(r.t().back(), w.walked.duration(), 1e-12);
  // Energies are the figure's own, works and losses the walk's: they meet.
  EXPECT_LT(std::abs(r.ledger().residual()), 1e-9 * (1.0 + r.ledger().exchanged));
  double lost = 0.0;
  for (const StepLedger& s : w.walked.steps) lost += s.lost;
  EXPECT_NEAR(r.ledger().losses, lost, 1e-12 * (1.0 + lost));
  double told = 0.0;
  for (const RecordedEvent& e : r.events()) told += e.lost;
  EXPECT_NEAR(told, lost, 1e-12 * (1.0 + lost));
  // Nothing jumps but velocities at impacts. Legs without mass are put where they are to come down.
  if (std::string(GetParam()) != "pointmass3d") {
    EXPECT_LT(largest_jump(r, [&](Eigen::Index i) { return Eigen::VectorXd(r.q().row(i)); }), 0.1);
  }
  const double radius = std::string(GetParam()) == "human" ? 0.3 * (0.245 + 0.246 + 0.039) * 1.75 : 0.0;
  EXPECT_LT(worst_contact(r, radius), 1e-9);
  // It goes downhill by its floor: z is up.
  EXPECT_LT(r.mechanism().gravity().head<2>().norm(), 1e-12);
  EXPECT_GT(scene_stream(r).size(), 10000u);
}

INSTANTIATE_TEST_SUITE_P(Walkers, WalkRecordings, testing::Values("compass", "simplest", "rimless", "dribbel", "pointmass3d", "bisecting", "human"),
                         [](const auto& info) { return std::string(info.param); });

TEST(WalkRecording, NamesTheFootThatComesDown) {
  Walked w("compass");
  const Recording r = w.recording();
  ASSERT_EQ(r.events().size(), 4u);
  EXPECT_EQ(r.events()[0].name, "footfall (inner leg)");
  EXPECT_EQ(r.events()[1].name, "footfall (outer leg)");
}

TEST(WalkRecording, SpringsThatAreHungAnewAndDampersAreEntries) {
  Walked w("compass", {{"hip_stiffness", 0.5}, {"hip_rest", 0.05}, {"hip_damping", 0.002}});
  const Recording r = w.recording();
  EXPECT_EQ(r.ledgers().names(), (std::vector<std::string>{"springs", "dampers"}));
  EXPECT_LT(std::abs(r.ledger().residual()), 1e-9);
  EXPECT_NE(r.ledger().entries[0].supplied, 0.0);
  for (std::size_t i = 0; i < r.ledgers().rows(); i += 97)
    for (const LedgerEntry& e : r.ledgers().at(i).entries) EXPECT_NEAR(e.gap(), 0.0, 1e-9) << e.name;
}

TEST(WalkRecording, GoesDownAStepInTheFloor) {
  Walked w("compass", {}, {.height = 0.005, .footfall = 2});
  const Recording r = w.recording();
  EXPECT_EQ(r.ground().kind, "height_field");
  EXPECT_LT(std::abs(r.ledger().residual()), 1e-9);
  EXPECT_LT(worst_contact(r, 0.0), 1e-9);
}

TEST(WalkRecording, OfActuatorsClosesItsBooks) {
  const WalkerValues values{{"slope_deg", 0.0}, {"hip_damping", 0.2}, {"hip_stiffness", 3.0}, {"hip_rest", 0.1}};
  GaitSearchSettings settings{.starts = 1};
  settings.program.speed = 0.6;
  const GaitSearchResult found = search_gaits(search_problem("compass", values), settings);
  ASSERT_TRUE(found.found());
  const SearchFigures figures = figures_of("compass", values, {}, found.gaits[0]);
  const Walk walked = walk_of(walker_kind("compass"), figures, found.gaits[0], 3);
  const std::unique_ptr<StepModel> model = make_walker("compass", values);
  const Recording r = walk_recording(*model, walked);
  EXPECT_EQ(r.ledgers().names(), (std::vector<std::string>{"springs", "dampers", "actuators"}));
  EXPECT_NEAR(r.ledger().entries[2].supplied, 3.0 * figures.actuator_work, 1e-8);
  EXPECT_NEAR(r.ledger().residual(), 0.0, 1e-7);
  EXPECT_LT(worst_contact(r, 0.0), 1e-9);
}

}  // namespace
}  // namespace amble
