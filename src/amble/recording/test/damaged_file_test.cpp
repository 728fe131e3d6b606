#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "amble/base/error.hpp"
#include "amble/base/random.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/recording/hdf5/content.hpp"
#include "amble/recording/load_recording.hpp"
#include "amble/recording/recording_file.hpp"

namespace amble {
namespace {

class DamagedFiles : public testing::Test {
 protected:
  static void SetUpTestSuite() { skip_hdf5_tidying(); }
  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string path(const std::string& name) const { return (folder / name).string(); }

  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("amble_damaged_" + std::to_string(getpid()));
};

Recording sample() {
  Builder b("pendulum");
  b.body({.name = "bob", .inertia = Inertia<double>::from_com(1.0, {0, 0, -1}, Matrix3<double>::Identity())});
  b.joint({.name = "pin", .type = "revolute", .parent = "world", .child = "bob", .axis = {0, 1, 0}});
  Recording r(b.build());
  r.set_origin({.file = "pendulum.toml", .settings = {"a=1", "b=2"}, .version = "0.1.0", .command = "amble walk"});
  r.set_ground(description_of(*sine_ground({0.1, 2.0, 30.0})));
  for (int i = 0; i < 3; ++i) {
    r.add(0.1 * i, OwnedVector(1), OwnedVector(1), 0.0, -9.81);
    r.add_ledger(0.1 * i, {.entries = {{"damper", 0.0, -0.1 * i, 0.0, 0.1 * i}}}, {0.5});
    r.add_contacts(0.1 * i, std::vector{ContactForce{0, 1, {1, 2, 3}, {4, 5, 6}, {0, 0, 1}, 0.8}});
    r.add_event({0.1 * i, "passes the lowest point", 0.0});
  }
  return r;
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Outcome {
  int read = 0, refused = 0;
};

/// One bit of a byte is another than it was, at so many places.
Outcome try_bytes(const std::string& whole, const std::string& damaged, int places) {
  const std::string bytes = bytes_of(whole);
  std::ofstream(damaged, std::ios::binary) << bytes;
  std::fstream file(damaged, std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](std::size_t at, char byte) { file.seekp(static_cast<std::streamoff>(at)).put(byte).flush(); };
  Outcome out;
  Random random(1);
  for (int k = 0; k < places; ++k) {
    const auto i = static_cast<std::size_t>(random.uniform(0.0, static_cast<double>(bytes.size())));
    put(i, static_cast<char>(bytes[i] ^ (1 << static_cast<int>(random.uniform(0.0, 8.0)))));
    try {
      load_recording(damaged);
      ++out.read;
    } catch (const Error& e) {
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << "byte " << i << ": " << e.what();
      ++out.refused;
    }
    put(i, bytes[i]);
  }
  return out;
}

TEST_F(DamagedFiles, AreRefusedOrReadWhicheverByteIsWrong) {
  const Recording r = sample();
  r.save(path("saved.h5"));
  RecordingFile(path("streamed.h5"), r).finish(r);
  for (const char* name : {"saved.h5", "streamed.h5"}) {
    const Outcome outcome = try_bytes(path(name), path("damaged.h5"), 1500);
    EXPECT_GT(outcome.refused, 10) << name;
    EXPECT_GT(outcome.read, 10) << name;  // a bit of a number makes another number
    EXPECT_EQ(load_recording(path("damaged.h5")).rows(), 3);
  }
}

/// An attribute as version 1 had it: a text of variable length.
void make_variable(hid_t object, const char* name) {
  const std::string text = hdf5::text_attribute(object, name);
  hdf5::check(H5Adelete(object, name));
  const hdf5::Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  hdf5::check(H5Tset_size(type, H5T_VARIABLE)), hdf5::check(H5Tset_cset(type, H5T_CSET_UTF8));
  const hdf5::Handle made(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const char* const characters = text.c_str();
  hdf5::check(H5Awrite(made, type, &characters));
}

TEST_F(DamagedFiles, OfVersionOneAreStillRead) {
  sample().save(path("old.h5"));
  {
    const hdf5::Handle file(H5Fopen(path("old.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose),
        ground(H5Gopen2(file, "ground", H5P_DEFAULT), H5Gclose);
    for (const char* name : {"format", "amble", "instructions", "mechanism_name", "scenario_file"})
      make_variable(file, name);
    make_variable(ground, "kind");
    for (const char* name : {"command", "notes"}) hdf5::check(H5Ldelete(file, name, H5P_DEFAULT));
    hdf5::change_attribute(file, "version", 1);
  }
  const Recording old = load_recording(path("old.h5"));
  EXPECT_EQ(old.rows(), 3);
  EXPECT_EQ(old.origin().file, "pendulum.toml");
  EXPECT_EQ(old.ground().kind, "sine");
  EXPECT_EQ(old.origin().command, "");
}

TEST_F(DamagedFiles, WithTextsOfVariableLengthAreNotOfVersionTwo) {
  sample().save(path("mixed.h5"));
  {
    const hdf5::Handle file(H5Fopen(path("mixed.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    make_variable(file, "scenario_file");
  }
  try {
    load_recording(path("mixed.h5"));
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("'scenario_file' is not a text of fixed length"), std::string::npos);
  }
}

}  // namespace
}  // namespace amble
