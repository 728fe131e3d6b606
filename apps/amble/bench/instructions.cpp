#include "bench/instructions.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "amble/base/error.hpp"
#include "amble/dynamics/kernels/select.hpp"
#include "bench/counted.hpp"
#include "bench/interrupt.hpp"

namespace amble::bench {

namespace {

constexpr const char* kCounting = "AMBLE_BENCH_COUNTING";  ///< in the environment of the run under valgrind
constexpr int kKilled = -1;  ///< in place of an exit code
constexpr const char* kPlainKernels = "baseline";
constexpr int kCalls = 32, kFewestCalls = 2;
constexpr double kSeconds = 0.5;  ///< that many calls may take, under valgrind

/// A folder of its own, gone at the end.
struct TemporaryFolder {
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "amble-bench-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Error(fmt::format("cannot make a folder {}", name));
    path = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::filesystem::path path;
};

std::vector<std::string> own_command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  words.front() = std::filesystem::read_symlink("/proc/self/exe").string();
  return words;
}

std::vector<std::string> valgrind_command(const std::filesystem::path& folder) {
  std::vector<std::string> words{"valgrind",
                                 "--tool=callgrind",
                                 "--toggle-collect=amble_bench_counted",
                                 "--dump-after=amble_bench_counted",
                                 "--compress-strings=no",
                                 "--compress-pos=no",
                                 "--callgrind-out-file=" + (folder / "counts").string()};
  for (const std::string& word : own_command()) words.push_back(word);
  return words;
}

void redirect(int stream, const std::filesystem::path& file) {
  dup2(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), stream);
}

[[noreturn]] void become(std::vector<std::string> words, const std::filesystem::path& folder,
                         const std::string& kernels) {
  redirect(STDOUT_FILENO, folder / "keys");
  redirect(STDERR_FILENO, folder / "log");
  setenv(kCounting, "1", 1);
  setenv("AMBLE_INSTRUCTIONS", kernels.c_str(), 1);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

/// The exit code, or kKilled; Ctrl-C, which reaches the child too, ends both.
int run(const std::vector<std::string>& words, const std::filesystem::path& folder, const std::string& kernels) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) become(words, folder, kernels);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) kill(child, SIGTERM);
  check_interrupt();
  return WIFEXITED(status) ? WEXITSTATUS(status) : kKilled;
}

bool allocates(const std::string& function) {
  for (const char* name : {"malloc", "calloc", "realloc", "memalign", "aligned_alloc", "posix_memalign"})
    if (function == name) return true;
  return false;
}

/// The totals of one of callgrind's files: `totals: N`, and `calls=N` after a line `cfn=malloc`.
Count read_counts(const std::filesystem::path& path) {
  std::ifstream file(path);
  Count out;
  bool at_allocation = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("totals: ")) out.instructions = std::stod(line.substr(8));
    if (line.starts_with("cfn=")) at_allocation = allocates(line.substr(4));
    if (line.starts_with("calls=") && at_allocation) out.allocations += std::stod(line.substr(6));
  }
  return out;
}

/// Files are numbered in the order of the calls, three for each line of calls and key.
Counts read_all(const std::filesystem::path& folder) {
  std::ifstream keys(folder / "keys");
  Counts out;
  int number = 0, calls = 0;
  for (std::string name; keys >> calls && std::getline(keys >> std::ws, name);) {
    const Count once = read_counts(folder / fmt::format("counts.{}", number + 2));
    const Count twice = read_counts(folder / fmt::format("counts.{}", number + 3));
    number += 3;
    if (once.instructions == 0.0) return {};  // the program has lost its symbols
    out[name] = {(twice.instructions - once.instructions) / calls, (twice.allocations - once.allocations) / calls};
  }
  return out;
}

std::string last_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) last = line;
  return last;
}

/// How often to call a task: less often when one call takes long.
int calls_of(const Task& task) {
  task.run(0);  // the first call also waits for valgrind's translation
  const auto start = std::chrono::steady_clock::now();
  task.run(1);
  const std::chrono::duration<double> one = std::chrono::steady_clock::now() - start;
  return static_cast<int>(std::clamp<double>(kSeconds / one.count(), kFewestCalls, kCalls));
}

}  // namespace

std::string key(const std::string& area, int subject, const Task& task) {
  return fmt::format("{} {} {} {} {}", area, subject, task.library, task.what, task.states);
}

bool counting() { return std::getenv(kCounting) != nullptr; }

void count(const std::string& area, int subject, const std::vector<Task>& tasks) {
  for (const Task& task : tasks) {
    const int calls = calls_of(task);
    // The first is for what happens once, and for calls before, which callgrind puts into the next file.
    for (const int times : {1, 1, 2}) amble_bench_counted(task, times * calls);
    fmt::print("{} {}\n", calls, key(area, subject, task));
  }
}

Instructions count_instructions(Notes& notes) {
  const TemporaryFolder folder;
  const std::string own = kernels::kernels().name;
  std::string kernels = own == "avx512" ? "avx2" : own;
  int code = run(valgrind_command(folder.path), folder.path, kernels);
  if (code == kKilled && kernels != kPlainKernels) {  // by an instruction that this valgrind does not know
    kernels = kPlainKernels;
    code = run(valgrind_command(folder.path), folder.path, kernels);
  }
  const Counts counts = code == 0 ? read_all(folder.path) : Counts{};
  if (!counts.empty()) return {counts, kernels};
  add_note(notes, fmt::format("instructions are not counted: {}", code == 127  ? "valgrind is not installed"
                                                                  : code == 0 ? "callgrind gave no counts"
                                                                              : last_line(folder.path / "log")));
  return {};
}

}  // namespace amble::bench
