#include "amble/recording/hdf5/living_file.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "amble/recording/hdf5/content.hpp"
#include "amble/recording/hdf5/lookup3.hpp"

// What the library writes to files goes through here, so that a test has every state in which a file ever was.
namespace {

struct Change {
  off_t at;  // or the new length
  std::string bytes;
  bool is_length;
};
std::vector<Change> changes;
bool watching = false;

}  // namespace

extern "C" ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  if (watching) changes.push_back({at, std::string(static_cast<const char*>(bytes), size), false});
  return syscall(SYS_pwrite64, file, bytes, size, at);
}
extern "C" int ftruncate(int file, off_t length) noexcept {
  if (watching) changes.push_back({length, "", true});
  return static_cast<int>(syscall(SYS_ftruncate, file, length));
}

namespace amble::hdf5 {
namespace {

constexpr int kLists = 4, kBlock = 7;

struct Paths {
  std::string file =
      (std::filesystem::temp_directory_path() / ("living_" + std::to_string(getpid()) + ".h5")).string();
  std::string copy = file + ".copy";
  ~Paths() { std::filesystem::remove(file), std::filesystem::remove(copy); }
};

std::string list_name(int k) { return "list" + std::to_string(k); }

enum class Mode { living, as_hdf5_is };

Handle new_file(const std::string& path, Mode mode) {
  const Handle create(H5Pcreate(H5P_FILE_CREATE), H5Pclose), access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  check(H5Pset_file_space_strategy(create, H5F_FSPACE_STRATEGY_NONE, false, 1));
  check(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110));
  if (mode == Mode::living) use_living_file(access);
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, create, access), H5Fclose};
}

/// Lists of 1, 2, 3, ... that grow in turns; the copy is as the file was when it became readable.
void write_lists(const Paths& paths, int blocks, Mode mode) {
  Handle file = new_file(paths.file, mode);
  for (int k = 0; k < kLists; ++k) new_table(file, list_name(k).c_str(), {}, {.chunk = 8});
  write_attribute(file, "complete", std::int64_t{0});
  check(H5Fflush(file, H5F_SCOPE_GLOBAL));
  check(H5Fstart_swmr_write(file));
  std::filesystem::copy_file(paths.file, paths.copy);
  changes.clear();
  watching = true;
  std::vector<double> x(kBlock);
  for (int b = 0; b < blocks; ++b) {
    for (int i = 0; i < kBlock; ++i) x[i] = b * kBlock + i + 1;
    for (int k = 0; k < kLists; ++k) {
      const Handle list = open_table(file, list_name(k).c_str());
      append(list, 0, x.data(), kBlock);
      check(H5Dflush(list));
    }
  }
  change_attribute(file, "complete", 1);
  file.close();
  watching = false;
}

/// How long the last list is; none when the file cannot be read or has something else.
std::optional<std::size_t> length_of(const std::string& path) {
  try {
    const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    std::size_t length = 0;
    for (int k = 0; k < kLists; ++k) {
      const std::vector<double> x = read_numbers(file, list_name(k).c_str(), 0);
      for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i] != static_cast<double>(i + 1)) return std::nullopt;
      length = x.size();
    }
    return length;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

struct Tally {
  int states = 0, unreadable = 0, shrunk = 0;
  std::size_t length = 0;
  void look(const std::string& path) {
    const std::optional<std::size_t> now = length_of(path);
    ++states, unreadable += !now, shrunk += now && *now < length;
    length = std::max(length, now.value_or(0));
  }
};

/// Makes the changes once more, one by one and page by page, as a killed process would have left them, and looks.
Tally look_at_every_state(const std::string& copy) {
  Tally tally;
  FILE* const file = std::fopen(copy.c_str(), "r+b");
  for (const Change& change : changes) {
    if (change.is_length) {
      EXPECT_EQ(ftruncate(fileno(file), change.at), 0);
    }
    for (std::size_t done = 0; done < change.bytes.size();) {
      const off_t at = change.at + static_cast<off_t>(done);
      const std::size_t size = std::min<std::size_t>(change.bytes.size() - done, 4096 - at % 4096);
      EXPECT_EQ(pwrite(fileno(file), change.bytes.data() + done, size, at), static_cast<ssize_t>(size));
      done += size;
      if (done < change.bytes.size()) tally.look(copy);
    }
    tally.look(copy);
  }
  std::fclose(file);
  return tally;
}

Tally tally_of(int blocks, Mode mode) {
  const Quiet quiet;
  const Paths paths;
  write_lists(paths, blocks, mode);
  return look_at_every_state(paths.copy);
}

TEST(LivingFile, IsReadableInEveryStateThatItEverHas) {
  const Tally tally = tally_of(150, Mode::living);
  EXPECT_EQ(tally.unreadable, 0);
  EXPECT_EQ(tally.shrunk, 0);
  EXPECT_EQ(tally.length, 150u * kBlock);
  EXPECT_GT(tally.states, 1500);
}

TEST(LivingFile, WithoutItAFileThatIsBeingWrittenCannotBeRead) {
  const Tally tally = tally_of(20, Mode::as_hdf5_is);
  EXPECT_GT(tally.unreadable, tally.states / 2);
}

TEST(LivingFile, ChecksumsAreThoseOfHdf5) {
  const Paths paths;
  { const Handle file = new_file(paths.file, Mode::as_hdf5_is); }
  std::string head(48, '\0');
  std::ifstream(paths.file, std::ios::binary).read(head.data(), 48);
  std::uint32_t stored = 0;
  std::memcpy(&stored, head.data() + 44, 4);
  EXPECT_EQ(lookup3(reinterpret_cast<const unsigned char*>(head.data()), 44), stored);
  // From the author's own test of the hash.
  const std::string words = "Four score and seven years ago";
  EXPECT_EQ(lookup3(reinterpret_cast<const unsigned char*>(words.data()), words.size()), 0x17770551u);
  EXPECT_EQ(lookup3(nullptr, 0), 0xdeadbeefu);
}

TEST(LivingFile, ItsWriterIsSeen) {
  const Paths paths;
  EXPECT_FALSE(is_being_written(paths.file.c_str()));
  {
    const Handle file = new_file(paths.file, Mode::living);
    EXPECT_TRUE(is_being_written(paths.file.c_str()));
  }
  EXPECT_FALSE(is_being_written(paths.file.c_str()));
}

}  // namespace
}  // namespace amble::hdf5
