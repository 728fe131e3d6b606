#include "amble/base/test/source_dir.hpp"
#include "amble/scenario/replay.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "amble/base/test/message_of.hpp"
#include "amble/recording/load_recording.hpp"

namespace amble {
namespace {

constexpr const char* kPendulum = R"(
[model]
file = "../models/double_pendulum.urdf"
[world]
gravity = [0, 0, -3.7]
[initial.q]
shoulder = 1.0
[simulation]
duration = 1.0
interval = 0.1
)";

struct RecordedRun {
  explicit RecordedRun(const Scenario& scenario, double stop = 1e9) {
    ScenarioRun run(scenario);
    run.record_to(path);
    run.run([&](double t) { return t < stop; });
  }
  ~RecordedRun() { std::filesystem::remove(path); }
  Recording loaded() const { return load_recording(path); }

  std::string path =
      (std::filesystem::temp_directory_path() / ("amble_replay_" + std::to_string(getpid()) + ".h5")).string();
};

Scenario pendulum(const std::vector<std::string>& settings = {}) {
  return read_scenario(kPendulum, source_dir() + "/scenarios/test.toml", settings);
}

TEST(Replay, IsTheSameToTheLastBit) {
  for (const Scenario& s : {pendulum(), pendulum({"simulation.interval=0", "simulation.tolerance=1e-7"}),
                            load_scenario(source_dir() + "/scenarios/snakeboard.toml")}) {
    const RecordedRun run(s);
    const Recording r = run.loaded();
    EXPECT_TRUE(r.complete());
    const Replay again = replay(r);
    EXPECT_TRUE(again.same) << again.difference;
    EXPECT_EQ(again.rows, r.rows());
    EXPECT_GT(r.ledgers().rows(), 5u);
  }
}

TEST(Replay, NeedsTheModelFileNoMore) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("amble_replay_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "models"), std::filesystem::create_directories(folder / "scenarios");
  const std::filesystem::path model = folder / "models/double_pendulum.urdf";
  std::filesystem::copy_file(source_dir() + "/models/double_pendulum.urdf", model);
  const RecordedRun run(read_scenario(kPendulum, (folder / "scenarios/test.toml").string()));
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(replay(run.loaded()).same);
}

TEST(Replay, OfARunThatWasStoppedGoesAsFar) {
  const RecordedRun run(pendulum({"simulation.duration=1000"}), 2.0);
  const Recording r = run.loaded();
  EXPECT_FALSE(r.complete());
  EXPECT_GE(r.rows(), 20);
  EXPECT_LT(r.rows(), 40);
  const Replay again = replay(r);
  EXPECT_TRUE(again.same) << again.difference;
  EXPECT_EQ(again.rows, r.rows());
}

/// The same but for one number.
Recording forged(const Recording& r, Eigen::Index row, double change) {
  Recording out(r.mechanism());
  out.set_origin(r.origin());
  for (Eigen::Index i = 0; i < r.rows(); ++i) {
    OwnedVector q = r.q().row(i).transpose();
    if (i == row) q[1] += change;
    out.add(r.t()[i], q, r.v().row(i).transpose(), r.kinetic()[i], r.potential()[i]);
  }
  for (std::size_t i = 0; i < r.ledgers().rows(); ++i) out.add_ledger(r.ledgers().t()[i], r.ledgers().at(i));
  return out;
}

TEST(Replay, TellsWhereItDiffersFirst) {
  const RecordedRun run(pendulum());
  const Recording r = run.loaded();
  EXPECT_TRUE(replay(forged(r, 4, 0.0)).same);
  const Replay other = replay(forged(r, 4, 1e-15));
  EXPECT_FALSE(other.same);
  EXPECT_NE(other.difference.find("q:"), std::string::npos) << other.difference;
  EXPECT_NE(other.difference.find(" at 0.4 s: "), std::string::npos) << other.difference;
  Recording nameless = r;
  nameless.set_origin({});
  EXPECT_NE(message_of([&] { replay(nameless); }).find("comes from no scenario"), std::string::npos);
}

TEST(ScenarioRun, RecordsOnTheDiskWhatItRecordsInMemory) {
  ScenarioRun in_memory(pendulum());
  in_memory.run();
  const RecordedRun on_disk(pendulum());
  const Recording a = in_memory.recording(), b = on_disk.loaded();
  EXPECT_EQ(a.t(), b.t());
  EXPECT_EQ(a.q(), b.q());
  EXPECT_EQ(a.v(), b.v());
  EXPECT_EQ(a.ledger().residual(), b.ledger().residual());
  EXPECT_EQ(b.origin().scenario, kPendulum);
}

}  // namespace
}  // namespace amble
