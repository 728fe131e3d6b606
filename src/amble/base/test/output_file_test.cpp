#include "amble/base/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "amble/base/test/message_of.hpp"
#include "amble/base/text_file.hpp"

namespace amble {
namespace {

namespace fs = std::filesystem;

class OutputFiles : public testing::TestWithParam<OutputFile::Aside> {
 protected:
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }
  std::string path(const std::string& name) const { return folder / name; }
  void write(const std::string& name, std::string_view text) const {
    OutputFile file(path(name), GetParam());
    file.write(text);
    file.finish();
  }
  /// What the folder has, hidden names too.
  int files() const { return static_cast<int>(std::distance(fs::directory_iterator(folder), {})); }

  fs::path folder = fs::temp_directory_path() / ("amble_output_" + std::to_string(getpid()));
};

INSTANTIATE_TEST_SUITE_P(Aside, OutputFiles,
                         testing::Values(OutputFile::Aside::unnamed, OutputFile::Aside::named),
                         [](const auto& which) {
                           return which.param == OutputFile::Aside::named ? "Named" : "Unnamed";
                         });

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

mode_t mode_of(const std::string& path) {
  struct stat s = {};
  EXPECT_EQ(stat(path.c_str(), &s), 0);
  return s.st_mode & 07777;
}

TEST_P(OutputFiles, HaveTheirNameOnlyWhenTheyAreWhole) {
  {
    OutputFile file(path("a.svg"), GetParam());
    file.write("wh");
    EXPECT_FALSE(fs::exists(path("a.svg")));
    EXPECT_EQ(content(file.unfinished_name()), "wh");
    file.write("ole");
    file.finish();
  }
  EXPECT_EQ(content(path("a.svg")), "whole");
  write("a.svg", "another");
  EXPECT_EQ(content(path("a.svg")), "another");
  EXPECT_EQ(files(), 1);
}

TEST_P(OutputFiles, LeaveTheOldOneAndNothingElseWhenTheyAreNotFinished) {
  write("a.svg", "old");
  {
    OutputFile file(path("a.svg"), GetParam());
    file.write("new");
  }
  EXPECT_EQ(content(path("a.svg")), "old");
  EXPECT_EQ(files(), 1);
}

TEST_P(OutputFiles, GetThePermissionsOfTheOldFileOrThoseOfAnyNewOne) {
  const mode_t before = umask(027);
  write("new", "1");
  std::ofstream(path("plain")) << "1";
  EXPECT_EQ(mode_of(path("new")), mode_of(path("plain")));
  EXPECT_EQ(mode_of(path("new")), 0640u);
  chmod(path("new").c_str(), 0606);
  write("new", "2");
  EXPECT_EQ(mode_of(path("new")), 0606u);
  umask(before);
}

TEST_P(OutputFiles, KeepTheOwnerOfTheOldFile) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  write("theirs", "1");
  ASSERT_EQ(chown(path("theirs").c_str(), 1234, 5678), 0);
  write("theirs", "2");
  struct stat s = {};
  ASSERT_EQ(stat(path("theirs").c_str(), &s), 0);
  EXPECT_EQ(s.st_uid, 1234u);
  EXPECT_EQ(s.st_gid, 5678u);
}

TEST_P(OutputFiles, GoWhereSymbolicLinksLead) {
  fs::create_directory(folder / "below");
  write("below/target", "old");
  fs::create_symlink("below/target", path("link"));
  fs::create_symlink(path("link"), path("far"));
  write("far", "new");
  EXPECT_TRUE(fs::is_symlink(path("far")) && fs::is_symlink(path("link")));
  EXPECT_EQ(content(path("below/target")), "new");
  fs::create_symlink("below/none", path("dangling"));
  write("dangling", "made");
  EXPECT_TRUE(fs::is_symlink(path("dangling")));
  EXPECT_EQ(content(path("below/none")), "made");
  fs::create_symlink("loop", path("loop"));
  EXPECT_EQ(message_of([&] { write("loop", "x"); }),
            path("loop") + ": cannot be written: Too many levels of symbolic links");
}

TEST_P(OutputFiles, AreWrittenThroughPipes) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = content(path("pipe")); });
  write("pipe", "through");
  reader.join();
  EXPECT_EQ(got, "through");
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
}

TEST_P(OutputFiles, AreWrittenThroughDevices) {
  if (mknod(path("full").c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0)
    GTEST_SKIP() << "only root makes devices";
  const int works = open(path("full").c_str(), O_WRONLY);
  if (works < 0) GTEST_SKIP() << "devices do not work in this folder";
  close(works);
  fs::create_symlink("full", path("link"));
  for (const char* name : {"full", "link"}) {
    EXPECT_EQ(message_of([&] { write(name, "x"); }),
              path(name) + ": cannot be written: No space left on device");
    EXPECT_TRUE(fs::is_character_file(path("full")));
  }
}

TEST_P(OutputFiles, AreWrittenToDescriptorsWhereTheseStand) {
  const int descriptor = open(path("log").c_str(), O_CREAT | O_WRONLY, 0600);
  ASSERT_EQ(::write(descriptor, "before ", 7), 7);
  const std::string name = "/dev/fd/" + std::to_string(descriptor);
  {
    OutputFile file(name, GetParam());
    file.write("inside");
    file.finish();
  }
  ASSERT_EQ(::write(descriptor, " after", 6), 6);
  close(descriptor);
  EXPECT_EQ(content(path("log")), "before inside after");
  EXPECT_EQ(message_of([&] { OutputFile(name, GetParam()); }),
            name + ": cannot be written: Bad file descriptor");
}

TEST_P(OutputFiles, ThatCannotBeOpenedAreNamedWithTheReason) {
  const auto words = [&](const std::string& name) { return message_of([&] { write(name, "x"); }); };
  EXPECT_EQ(words("none/a"), path("none/a") + ": cannot be written: No such file or directory");
  EXPECT_EQ(words("."), path(".") + ": cannot be written: Is a directory");
  const std::string longest(300, 'n');
  EXPECT_EQ(words(longest), path(longest) + ": cannot be written: File name too long");
  write("file", "x");
  EXPECT_EQ(words("file/a"), path("file/a") + ": cannot be written: Not a directory");
  EXPECT_EQ(files(), 1);
  EXPECT_EQ(message_of([&] { OutputFile("", GetParam()); }),
            ": cannot be written: No such file or directory");
}

TEST_P(OutputFiles, OfOthersAreNotReplaced) {
  write("theirs", "x");
  chmod(path("theirs").c_str(), 0444);
  chmod(folder.c_str(), 0777);
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && setuid(65534) != 0) _exit(2);
    const std::string words = message_of([&] { write("theirs", "y"); });
    _exit(words == path("theirs") + ": cannot be written: Permission denied" ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(content(path("theirs")), "x");
}

TEST_P(OutputFiles, LeaveNothingWhenTheDiskIsFull) {
  std::signal(SIGXFSZ, SIG_IGN);
  write("a", "old");
  rlimit before = {};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 10000;
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(write("a", std::string(20000, 'x')), OutputFailed);
  EXPECT_EQ(message_of([&] { write("b", std::string(20000, 'x')); }),
            path("b") + ": cannot be written: File too large");
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(content(path("a")), "old");
  EXPECT_EQ(files(), 1);
}

TEST_P(OutputFiles, AreNamedWhenTheReaderOfAPipeLeaves) {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string name = "/dev/fd/" + std::to_string(ends[1]);
  close(ends[0]);
  OutputFile file(name, GetParam());
  EXPECT_EQ(message_of([&] { file.write("x"); }), name + ": cannot be written: Broken pipe");
  EXPECT_NE(message_of([&] { file.unfinished_name(); }).find("is not a regular file"), std::string::npos);
  close(ends[1]);
  std::signal(SIGPIPE, SIG_DFL);
}

TEST_P(OutputFiles, UnderAHiddenNameAreRemovedAtASignal) {
  OutputFile file(path("a"), GetParam());
  file.write("half");
  EXPECT_EQ(files(), GetParam() == OutputFile::Aside::named ? 1 : 0);
  remove_unfinished_outputs();
  EXPECT_EQ(files(), 0);
}

TEST(OutputFile, OfAKilledProcessLeavesNothing) {
  const fs::path folder = fs::temp_directory_path() / ("amble_killed_" + std::to_string(getpid()));
  fs::create_directory(folder);
  const pid_t child = fork();
  if (child == 0) {
    OutputFile file(folder / "a");
    file.write("half");
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(fs::is_empty(folder));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace amble
