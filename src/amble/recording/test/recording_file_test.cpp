#include "amble/recording/recording_file.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "amble/base/random.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "amble/mechanism/serialize.hpp"
#include "amble/recording/hdf5/content.hpp"
#include "amble/recording/load_recording.hpp"

namespace amble {
namespace {

class RecordingFiles : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string path(const std::string& name) const { return (folder / name).string(); }

  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("amble_recording_" + std::to_string(getpid()));
};

Mechanism floating_arm() {
  const Inertia<double> unit = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity());
  Builder b("arm");
  b.body({.name = "base", .inertia = unit}).body({.name = "hand", .inertia = unit});
  b.joint({.name = "root", .type = "free", .parent = "world", .child = "base"});
  b.joint({.name = "elbow", .type = "revolute", .parent = "base", .child = "hand"});
  return b.build();
}

Ledger books_at(int row) {
  return {
      .initial = 1.0 / 3.0,
      .final = row / 7.0,
      .entries = {{"spring", 0.0, row / 3.0, -row / 3.0, 0.0}, {"motor", row * 0.1, row * 0.05, 1e-300, row * 0.05}},
      .losses = row * 1e-5,
      .exchanged = row * 0.3};
}

/// Numbers without meaning, of all sizes, up to a row.
void grow(Recording& r, int rows) {
  const Mechanism& m = r.mechanism();
  for (int i = static_cast<int>(r.rows()); i < rows; ++i) {
    Random random(i);
    const OwnedVector q = m.random(random);
    OwnedVector v(m.nv());
    for (double& x : v) x = random.normal() * std::exp(20 * random.normal());
    r.add(0.1 * i, q, v, random.normal(), random.normal());
    r.add_ledger(0.1 * i + 0.01, books_at(i), {i + 0.5, -i / 9.0});
    if (i % 5 == 3) r.add_event({0.1 * i, "step " + std::to_string(i), i / 11.0});
  }
}

Recording sample(int rows) {
  Recording r(floating_arm());
  r.set_origin({"[model]\nfile = 'arm.urdf'  # ü\n",
                "runs/arm.toml",
                {"simulation.duration=3", "a=\"b c\""},
                42,
                "0.1.0",
                "avx2",
                "amble walk 'my walker.toml'",
                {"no scuffing does not hold", "ü"}});
  grow(r, rows);
  return r;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}
bool same_bits(const Eigen::Map<const Recording::Rows>& a, const Eigen::Map<const Recording::Rows>& b) {
  return a.size() == b.size() && (a.size() == 0 || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

void expect_same(const Recording& a, const Recording& b) {
  EXPECT_TRUE(same_bits(a.t(), b.t()) && same_bits(a.q(), b.q()) && same_bits(a.v(), b.v()));
  EXPECT_TRUE(same_bits(a.kinetic(), b.kinetic()) && same_bits(a.potential(), b.potential()));
  const LedgerHistory &x = a.ledgers(), &y = b.ledgers();
  EXPECT_EQ(x.names(), y.names());
  EXPECT_EQ(x.initial(), y.initial());
  EXPECT_TRUE(same_bits(x.t(), y.t()) && same_bits(x.energy(), y.energy()) && same_bits(x.numbers(), y.numbers()));
  EXPECT_TRUE(same_bits(x.losses(), y.losses()) && same_bits(x.exchanged(), y.exchanged()));
  for (std::size_t k = 0; k < LedgerHistory::kParts.size(); ++k) EXPECT_TRUE(same_bits(x.part(k), y.part(k)));
  ASSERT_EQ(a.events().size(), b.events().size());
  for (std::size_t i = 0; i < a.events().size(); ++i) {
    EXPECT_EQ(a.events()[i].name, b.events()[i].name);
    EXPECT_EQ(a.events()[i].t, b.events()[i].t);
    EXPECT_EQ(a.events()[i].lost, b.events()[i].lost);
  }
  EXPECT_EQ(a.complete(), b.complete());
  EXPECT_EQ(serialize(a.mechanism().description()), serialize(b.mechanism().description()));
  EXPECT_EQ(a.origin().scenario, b.origin().scenario);
  EXPECT_EQ(a.origin().file, b.origin().file);
  EXPECT_EQ(a.origin().settings, b.origin().settings);
  EXPECT_EQ(a.origin().seed, b.origin().seed);
  EXPECT_EQ(a.origin().version, b.origin().version);
  EXPECT_EQ(a.origin().instructions, b.origin().instructions);
  EXPECT_EQ(a.origin().command, b.origin().command);
  EXPECT_EQ(a.origin().notes, b.origin().notes);
}

TEST_F(RecordingFiles, GiveBackTheSameBits) {
  Recording r = sample(1234);
  r.set_complete(true);
  r.save(path("saved.h5"));
  expect_same(r, load_recording(path("saved.h5")));
  RecordingFile file(path("streamed.hdf5"), r);
  file.finish(r);
  expect_same(r, load_recording(path("streamed.hdf5")));
  load_recording(path("saved.h5")).save(path("a.csv")), r.save(path("b.csv"));
  std::ifstream a(path("a.csv")), b(path("b.csv"));
  EXPECT_TRUE(std::equal(std::istreambuf_iterator<char>(a), {}, std::istreambuf_iterator<char>(b), {}));
}

TEST_F(RecordingFiles, KeepWhatTouchedAndTheGround) {
  Recording r(floating_arm());
  r.set_ground(description_of(*sine_ground({0.1, 2.0, 30.0})));
  grow(r, 3);
  r.add_contacts(0.5, std::vector{ContactForce{0, 1, {1, 2, 3}, {4, 5, 6}, {0, 0, 1}, 0.8}, ContactForce{1, 2, {0, 0, 0.1}, {1, 0, 0}, {1, 0, 0}, INFINITY}});
  ASSERT_EQ(r.contacts().rows(), 2u);
  EXPECT_EQ(std::vector<double>(r.contacts().row(0), r.contacts().row(0) + 13),
            (std::vector<double>{0.5, -1, 0, 1, 2, 3, 4, 5, 6, 0, 0, 1, 0.8}));
  r.save(path("touched.h5"));
  const Recording again = load_recording(path("touched.h5"));
  EXPECT_EQ(again.contacts().numbers, r.contacts().numbers);
  EXPECT_EQ(again.ground().kind, "sine");
  EXPECT_EQ(again.ground().numbers, r.ground().numbers);
}

TEST_F(RecordingFiles, RefuseContactsThatCannotBe) {
  Recording r(floating_arm());
  const std::vector<double> good = {0.5, -1, 0, 1, 2, 3, 4, 5, 6, 0, 0, 1, 0.8};
  const auto refused = [&](std::size_t at, double number) {
    std::vector<double> row = good;
    row[at] = number;
    return message_of([&] { r.add_contact_row(row); }).find("contact 0 of the recording") != std::string::npos;
  };
  EXPECT_TRUE(refused(0, NAN) && refused(1, 7.0) && refused(2, 0.5) && refused(2, -2.0) && refused(6, INFINITY) && refused(12, -1.0));
  EXPECT_FALSE(message_of([&] { r.add_contact_row(std::vector<double>(12)); }).empty());
  r.add_contact_row(good);
  EXPECT_FALSE(message_of([&] {
                 std::vector<double> earlier = good;
                 earlier[0] = 0.4;
                 r.add_contact_row(earlier);
               }).empty());
}

TEST_F(RecordingFiles, TakeMechanismsOfEveryKindAndMotionsOfNoLength) {
  for (int seed = 0; seed < 10; ++seed) {
    Recording r(random_mechanism(seed).mechanism);
    r.save(path("random.h5"));
    expect_same(r, load_recording(path("random.h5")));
    RecordingFile(path("random.h5"), r).finish(r);
    expect_same(r, load_recording(path("random.h5")));
  }
}

TEST_F(RecordingFiles, GrowWithTheMotionAndCanBeReadMeanwhile) {
  Recording r = sample(1);
  RecordingFile file(path("grows.h5"), r, {.rows = 10, .seconds = 1e9});
  EXPECT_EQ(load_recording(path("grows.h5")).rows(), 1);
  for (int rows = 2; rows <= 35; ++rows) {
    grow(r, rows);
    file.update(r);
    const Recording now = load_recording(path("grows.h5"));
    EXPECT_EQ(now.rows(), rows < 11 ? 1 : rows < 21 ? 11 : rows < 31 ? 21 : 31);
    EXPECT_FALSE(now.complete());
  }
  r.set_complete(true);
  file.finish(r);
  expect_same(r, load_recording(path("grows.h5")));
}

TEST_F(RecordingFiles, AreFlushedByTheClockToo) {
  Recording r = sample(1);
  RecordingFile file(path("clock.h5"), r, {.rows = 1000000, .seconds = 0.0});
  grow(r, 2);
  file.update(r);
  EXPECT_EQ(load_recording(path("clock.h5")).rows(), 2);
}

/// Records without end, telling through a pipe how many rows are safe.
[[noreturn]] void record_forever(const std::string& path, int pipe) {
  Recording r = sample(1);
  RecordingFile file(path, r, {.rows = 3, .seconds = 1e9});
  for (int rows = 1;; rows += 3) {
    grow(r, rows);
    file.flush(r);
    if (write(pipe, &rows, sizeof rows) != sizeof rows) _exit(1);
  }
}

/// The last number that came through a pipe.
int last_of(int pipe) {
  int out = 0;
  for (int x = 0; read(pipe, &x, sizeof x) == static_cast<ssize_t>(sizeof x);) out = x;
  return out;
}

TEST_F(RecordingFiles, OfKilledProcessesAreReadUpToTheLastFlush) {
  Random random(7);
  int most = 0;
  for (int attempt = 0; attempt < 60 || (most <= 3 && attempt < 600); ++attempt) {  // more where the machine is busy
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    std::filesystem::remove(path("killed.h5"));
    const pid_t child = fork();
    if (child == 0) close(ends[0]), record_forever(path("killed.h5"), ends[1]);
    close(ends[1]);
    usleep(static_cast<useconds_t>(random.uniform(0.0, 40e3) * (1 + attempt / 60)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const int safe = last_of(ends[0]);
    close(ends[0]);
    if (!std::filesystem::exists(path("killed.h5"))) {
      EXPECT_EQ(safe, 0);
      continue;
    }
    const Recording left = load_recording(path("killed.h5"));
    EXPECT_GE(left.rows(), safe) << "attempt " << attempt;
    EXPECT_FALSE(left.complete());
    const Recording whole = sample(static_cast<int>(left.rows()));
    EXPECT_TRUE(same_bits(whole.t(), left.t()) && same_bits(whole.q(), left.q()) && same_bits(whole.v(), left.v()));
    most = std::max(most, safe);
  }
  EXPECT_GT(most, 3);
}

TEST_F(RecordingFiles, KeepWhatWasFlushedWhenTheDiskIsFull) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before = {};
  getrlimit(RLIMIT_FSIZE, &before);
  Recording r = sample(100);
  std::string words;
  {
    RecordingFile file(path("full.h5"), r);
    rlimit small = before;
    small.rlim_cur = std::filesystem::file_size(path("full.h5")) + 100000;
    setrlimit(RLIMIT_FSIZE, &small);
    grow(r, 20000);
    words = message_of([&] { file.flush(r); });
  }
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_NE(words.find("full.h5: cannot be written: File too large"), std::string::npos) << words;
  EXPECT_GE(load_recording(path("full.h5")).rows(), 100);
}

TEST_F(RecordingFiles, SavedToAFullDiskLeaveNothing) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before = {};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  std::vector<std::string> words;
  const Recording r = sample(2000);
  for (const rlim_t size : {0, 100, 5000, 50000, 150000}) {
    small.rlim_cur = size;
    setrlimit(RLIMIT_FSIZE, &small);
    words.push_back(message_of([&] { r.save(path("full.h5")); }));
    words.push_back(message_of([&] { RecordingFile(path("full.h5"), r).finish(r); }));
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_TRUE(std::filesystem::is_empty(folder)) << size;
  }
  for (const std::string& each : words) EXPECT_EQ(each, path("full.h5") + ": cannot be written: File too large");
}

TEST_F(RecordingFiles, AreWrittenWhereLinksLeadAndNotToPipes) {
  std::filesystem::create_symlink("target.h5", path("link.h5"));
  sample(3).save(path("link.h5"));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.h5")));
  EXPECT_EQ(load_recording(path("target.h5")).rows(), 3);
  RecordingFile(path("link.h5"), sample(4)).finish(sample(4));
  EXPECT_EQ(load_recording(path("target.h5")).rows(), 4);
  ASSERT_EQ(mkfifo(path("pipe.h5").c_str(), 0600), 0);
  EXPECT_EQ(message_of([&] { sample(3).save(path("pipe.h5")); }),
            path("pipe.h5") + ": cannot be written: is not a regular file");
  EXPECT_EQ(message_of([&] { RecordingFile(path("pipe.h5"), sample(3)); }),
            path("pipe.h5") + ": cannot be written: is not a regular file");
}

TEST_F(RecordingFiles, ThatCannotBeWrittenAreToldByName) {
  const Recording r = sample(2);
  EXPECT_NE(message_of([&] {
              r.save(path("x.xyz"));
            }).find("x.xyz: a recording is written to a name that ends in .h5, .hdf5 or .csv"),
            std::string::npos);
  for (const char* name : {"/no/such/folder/x.h5", "/no/such/folder/x.csv"})
    EXPECT_NE(message_of([&] { r.save(name); }).find(name), std::string::npos);
  EXPECT_NE(message_of([&] { RecordingFile("/no/such/x.h5", r); }).find("/no/such/x.h5: cannot be written"),
            std::string::npos);
  const RecordingFile file(path("busy.h5"), r);
  EXPECT_NE(message_of([&] { RecordingFile(path("busy.h5"), r); }).find("another run is writing it"),
            std::string::npos);
}

TEST_F(RecordingFiles, OlderOnesStayUntilTheNewOneCanBeRead) {
  sample(3).save(path("kept.h5"));
  EXPECT_NE(message_of([&] { RecordingFile(path("kept.h5") + "/below.h5", sample(1)); }), "");
  EXPECT_EQ(load_recording(path("kept.h5")).rows(), 3);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);  // nothing is left beside it
}

TEST_F(RecordingFiles, ThatAreNoneAreRefusedWithTheReason) {
  const auto words = [&](const std::string& name) { return message_of([&] { load_recording(path(name)); }); };
  EXPECT_EQ(words("none.h5"), path("none.h5") + ": no such file");
  EXPECT_NE(words(".").find("is a folder"), std::string::npos);
  std::ofstream(path("text.h5")) << "t,q\n0,1\n";
  EXPECT_NE(words("text.h5").find("text.h5: is not a recording: not an HDF5 file"), std::string::npos);
  std::ofstream(path("empty.h5")).flush();
  EXPECT_NE(words("empty.h5").find("is not a recording: not an HDF5 file"), std::string::npos);
  {
    const hdf5::Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    hdf5::check(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
    const hdf5::Handle other(H5Fcreate(path("other.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
  }
  EXPECT_NE(words("other.h5").find("other.h5: is an HDF5 file, but not a recording of Amble"), std::string::npos);
}

TEST_F(RecordingFiles, CutOffOrOfANewerFormatAreRefusedWithTheReason) {
  const Recording r = sample(500);
  const auto words = [&](const std::string& name) { return message_of([&] { load_recording(path(name)); }); };
  for (const char* name : {"saved.h5", "streamed.h5"}) {
    name[1] == 'a' ? r.save(path(name)) : RecordingFile(path(name), r).finish(r);
    std::filesystem::resize_file(path(name), std::filesystem::file_size(path(name)) / 2);
    EXPECT_NE(words(name).find("is cut off or damaged"), std::string::npos) << words(name);
  }
  r.save(path("newer.h5"));
  {
    const hdf5::Handle file(H5Fopen(path("newer.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    hdf5::change_attribute(file, "version", 3);
  }
  EXPECT_NE(words("newer.h5").find("is of format 3, written by Amble 0.1.0; this one reads format 2"),
            std::string::npos);
}

}  // namespace
}  // namespace amble
