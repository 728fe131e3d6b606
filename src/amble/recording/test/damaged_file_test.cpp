#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "amble/base/error.hpp"
#include "amble/base/random.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/recording/hdf5/content.hpp"
#include "amble/recording/hdf5/lookup3.hpp"
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
  r.set_origin(
      {.file = "pendulum.toml", .settings = {"a=1", "b=2"}, .version = "0.1.0", .command = "amble walk"});
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
  const auto put = [&](std::size_t at, char byte) {
    file.seekp(static_cast<std::streamoff>(at)).put(byte).flush();
  };
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

/// A block of metadata: `size` bytes, the last four of which are the checksum of those before.
struct Block {
  std::size_t start, size;
};

std::uint32_t stored(const std::string& bytes, std::size_t at) {
  std::uint32_t out = 0;
  std::memcpy(&out, &bytes[at], sizeof out);
  return out;
}

std::uint32_t checksum(const std::string& bytes, const Block& block) {
  return hdf5::lookup3(reinterpret_cast<const unsigned char*>(&bytes[block.start]), block.size - 4);
}

/// Found by their names and by what their checksums confirm.
std::vector<Block> blocks_of(const std::string& bytes) {
  std::vector<Block> out;
  for (const char* name :
       {"\x89HDF", "OHDR", "OCHK", "FRHP", "FHDB", "FHIB", "BTHD", "BTLF", "BTIN", "EAHD", "EAIB"})
    for (std::size_t at = bytes.find(name); at != bytes.npos; at = bytes.find(name, at + 1))
      for (std::size_t size = 8; size <= 4096 && at + size <= bytes.size(); ++size)
        if (stored(bytes, at + size - 4) == checksum(bytes, {at, size})) {
          out.push_back({at, size});
          break;
        }
  return out;
}

/// Damage on purpose: a few bytes of a block are others than they were, and its checksum is right.
Outcome try_blocks(const std::string& whole, const std::string& damaged, int tries) {
  const std::string bytes = bytes_of(whole);
  const std::vector<Block> blocks = blocks_of(bytes);
  EXPECT_GT(blocks.size(), 20u);
  Outcome out;
  Random random(2);
  const auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(random.uniform(0.0, static_cast<double>(n)));
  };
  for (int k = 0; k < tries; ++k) {
    std::string changed = bytes;
    const Block& block = blocks[below(blocks.size())];
    for (std::size_t i = 0; i <= below(3); ++i)
      changed[block.start + 4 + below(block.size - 8)] =
          static_cast<char>(below(4) == 0 ? 255 * below(2) : below(256));
    const std::uint32_t sum = checksum(changed, block);
    std::memcpy(&changed[block.start + block.size - 4], &sum, sizeof sum);
    std::ofstream(damaged, std::ios::binary) << changed;
    try {
      load_recording(damaged);
      ++out.read;
    } catch (const Error&) {
      ++out.refused;
    }
  }
  return out;
}

TEST_F(DamagedFiles, AreRefusedOrReadAlsoWhenTheirChecksumsAreRight) {
  const Recording r = sample();
  r.save(path("saved.h5"));
  RecordingFile(path("streamed.h5"), r).finish(r);
  for (const char* name : {"saved.h5", "streamed.h5"}) {
    const Outcome outcome = try_blocks(path(name), path("damaged.h5"), 1500);
    EXPECT_GT(outcome.refused, 300) << name;
    EXPECT_GT(outcome.read, 10) << name;
  }
}

/// What is said of the recording when a number in the first block of that name is another, and its checksum right.
std::string words_of_changed(const std::string& path, const char* block, std::size_t at, std::uint64_t number,
                             std::size_t size) {
  std::string bytes = bytes_of(path);
  for (const Block& b : blocks_of(bytes)) {
    if (bytes.compare(b.start, 4, block) != 0) continue;
    std::memcpy(&bytes[b.start + at], &number, size);
    const std::uint32_t sum = checksum(bytes, b);
    std::memcpy(&bytes[b.start + b.size - 4], &sum, sizeof sum);
    break;
  }
  std::ofstream(path, std::ios::binary) << bytes;
  return message_of([&] { load_recording(path); });
}

TEST_F(DamagedFiles, WithNumbersThatHdf5WouldTrustAreRefused) {
  const Recording r = sample();
  const auto refused = [&](const char* reason, const char* block, std::size_t at, std::uint64_t number,
                           std::size_t size) {
    RecordingFile(path("odd.h5"), r).finish(r);
    const std::string words = words_of_changed(path("odd.h5"), block, at, number, size);
    EXPECT_NE(words.find(reason), std::string::npos) << block << " " << at << ": " << words;
  };
  refused("a tree of an unknown kind", "BTHD", 10, 0, 2);             // the size of a record, which it divides by
  refused("a tree with wrong counts", "BTHD", 24, 200, 2);            // more records than have room
  refused("a tree that is too deep", "BTHD", 12, 3, 2);
  refused("a heap of an unknown kind", "FRHP", 112, 0, 8);            // the size of a block
  refused("an array with wrong counts", "EAHD", 44, 1ull << 40, 8);   // chunks that are not there, one by one
  refused("an array of an unknown kind", "EAHD", 8, 0, 1);
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

/// A recording after `change` has had it.
std::string words_after(const std::string& path, const std::function<void(hid_t file)>& change) {
  sample().save(path);
  {
    const hdf5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    change(file);
  }
  return message_of([&] { load_recording(path); });
}

TEST_F(DamagedFiles, OfVersionOneAreRefusedBeforeTheirTextsAreRead) {
  const std::string words = words_after(path("old.h5"), [](hid_t file) {
    for (const char* name : {"format", "amble", "instructions", "mechanism_name", "scenario_file"})
      make_variable(file, name);
    hdf5::change_attribute(file, "version", 1);
  });
  EXPECT_NE(words.find("old.h5: is of format 1, whose texts HDF5 cannot read safely"), std::string::npos)
      << words;
  EXPECT_NE(words.find("docs/recordings.md has a script that converts it"), std::string::npos);
}

TEST_F(DamagedFiles, WithTextsOfVariableLengthAreNotOfVersionTwo) {
  const std::string words =
      words_after(path("mixed.h5"), [](hid_t file) { make_variable(file, "scenario_file"); });
  EXPECT_NE(words.find("'scenario_file' is not a text of fixed length"), std::string::npos) << words;
}

/// Puts something else in the place of the table 't'.
std::string words_with_another_t(const std::string& path,
                                 const std::function<void(hid_t file, hid_t space)>& make) {
  return words_after(path, [&](hid_t file) {
    hdf5::check(H5Ldelete(file, "t", H5P_DEFAULT));
    const hsize_t three = 3;
    make(file, hdf5::Handle(H5Screate_simple(1, &three, nullptr), H5Sclose));
  });
}

void new_dataset(hid_t file, hid_t type, hid_t space, hid_t how) {
  hdf5::Handle(H5Dcreate2(file, "t", type, space, H5P_DEFAULT, how, H5P_DEFAULT), H5Dclose);
}

void new_dataset_named(hid_t file, const char* name, hid_t space) {
  hdf5::Handle(H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
}

TEST_F(DamagedFiles, WhoseDataStandsElsewhereAreRefusedBeforeItIsLookedFor) {
  const std::string file_name = path("elsewhere.h5"), other = path("other.h5");
  sample().save(other);
  const auto refused = [&](const char* reason, const std::function<void(hid_t, hid_t)>& make) {
    const std::string words = words_with_another_t(file_name, make);
    EXPECT_NE(words.find(reason), std::string::npos) << words;
  };
  refused("'t' is a link to another place", [&](hid_t file, hid_t) {
    hdf5::check(H5Lcreate_external(other.c_str(), "t", file, "t", H5P_DEFAULT, H5P_DEFAULT));
  });
  refused("'t' is a link to another place", [](hid_t file, hid_t) {
    hdf5::check(H5Lcreate_soft("kinetic", file, "t", H5P_DEFAULT, H5P_DEFAULT));
  });
  refused("has a compressed table", [](hid_t file, hid_t space) {
    const hdf5::Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const hsize_t chunk = 3;
    hdf5::check(H5Pset_chunk(how, 1, &chunk)), hdf5::check(H5Pset_deflate(how, 1));
    new_dataset(file, H5T_IEEE_F64LE, space, how);
  });
  refused("has a table that stands in another file", [&](hid_t file, hid_t space) {
    const hdf5::Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    hdf5::check(H5Pset_external(how, other.c_str(), 0, 24));
    new_dataset(file, H5T_IEEE_F64LE, space, how);
  });
}

TEST_F(DamagedFiles, WithTablesOfAnotherTypeOrShapeAreRefused) {
  const std::string file_name = path("shape.h5");
  const auto refused = [&](const char* reason, const std::function<void(hid_t, hid_t)>& make) {
    const std::string words = words_with_another_t(file_name, make);
    EXPECT_NE(words.find(reason), std::string::npos) << words;
  };
  refused("'t' is not a table of numbers",
          [](hid_t file, hid_t space) { new_dataset(file, H5T_IEEE_F32LE, space, H5P_DEFAULT); });
  refused("'t' is not a table of numbers", [](hid_t file, hid_t space) {
    const hdf5::Handle lists(H5Tvlen_create(H5T_IEEE_F64LE), H5Tclose);
    new_dataset(file, lists, space, H5P_DEFAULT);
  });
  refused("'t' does not have 1 columns", [](hid_t file, hid_t) {
    const hsize_t size[] = {3, 2};
    const hdf5::Handle space(H5Screate_simple(2, size, nullptr), H5Sclose);
    new_dataset(file, H5T_IEEE_F64LE, space, H5P_DEFAULT);
  });
  refused("the number of rows of 't' is 1e+12; at most", [](hid_t file, hid_t) {
    const hsize_t size = 1'000'000'000'000;
    const hdf5::Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    new_dataset(file, H5T_IEEE_F64LE, space, H5P_DEFAULT);
  });
  EXPECT_NE(words_after(file_name,
                        [](hid_t file) {
                          hdf5::check(H5Ldelete(file, "ledger/numbers", H5P_DEFAULT));
                          hdf5::write_text(file, "ledger/numbers", "text");
                        })
                .find("'ledger/numbers' does not have columns"),
            std::string::npos);
}

/// So many that HDF5 keeps them in heaps of several blocks.
TEST_F(DamagedFiles, OthersMayAddTablesAndAttributesOfTheirOwn) {
  sample().save(path("added.h5"));
  {
    const hdf5::Handle file(H5Fopen(path("added.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    const hdf5::Handle one(H5Screate(H5S_SCALAR), H5Sclose);
    for (int i = 0; i < 25; ++i) {
      const std::string name = "something_of_somebody_else_with_a_long_name_" + std::to_string(i);
      new_dataset_named(file, name.c_str(), one);
      hdf5::Handle(H5Acreate2(file, name.c_str(), H5T_IEEE_F64LE, one, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    }
  }
  EXPECT_EQ(load_recording(path("added.h5")).rows(), 3);
}

TEST_F(DamagedFiles, WithMoreColumnsThanCanBeAreRefused) {
  const std::string words = words_after(path("wide.h5"), [](hid_t file) {
    hdf5::check(H5Ldelete(file, "ledger/numbers", H5P_DEFAULT));
    const hsize_t size[] = {0, hsize_t{1} << 61};
    const hdf5::Handle space(H5Screate_simple(2, size, nullptr), H5Sclose);
    hdf5::Handle(H5Dcreate2(file, "ledger/numbers", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                 H5Dclose);
  });
  EXPECT_NE(words.find("the number of columns of 'ledger/numbers' is"), std::string::npos) << words;
}

TEST_F(DamagedFiles, OfAnOlderKindOfHdf5AreRefusedUnread) {
  {
    const hdf5::Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    hdf5::check(H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18));
    const hdf5::Handle file(H5Fcreate(path("old.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
  }
  EXPECT_NE(message_of([&] {
              load_recording(path("old.h5"));
            }).find("not an HDF5 file of the kind that Amble writes"),
            std::string::npos);
}

TEST_F(DamagedFiles, ThatAreNoFilesAreRefusedWithoutWaiting) {
  ASSERT_EQ(mkfifo(path("pipe.h5").c_str(), 0600), 0);
  EXPECT_NE(message_of([&] { load_recording(path("pipe.h5")); }).find("is not a regular file"),
            std::string::npos);
}

}  // namespace
}  // namespace amble
