#include "amble/io/mesh/mesh_helper.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>
#include <vector>

#include "amble/base/error.hpp"
#include "amble/base/library_part.hpp"
#include "amble/base/limits.hpp"
#include "amble/io/mesh/bytes.hpp"
#include "amble/io/mesh/mesh_message.hpp"

namespace amble {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// What a new process starts with: the pipe as its output, nothing else of ours, and the signals' defaults.
class SpawnSetup {
 public:
  explicit SpawnSetup(int output) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes_);
    set_signals();
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  int spawn(pid_t& pid, const std::string& program, std::vector<std::string> arguments) const {
    std::vector<char*> argv;
    for (std::string& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    return posix_spawn(&pid, program.c_str(), &files_, &attributes_, argv.data(), environ);
  }

 private:
  /// A process group of its own, so that Ctrl-C at a terminal does not look like a crash of the reader.
  void set_signals() {
    sigset_t all, none;
    sigfillset(&all), sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }

  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

/// One run of the helper program. Whatever happens, no process and no descriptor is left.
class HelperRun {
 public:
  explicit HelperRun(const std::string& file) : file_(file), deadline_(Clock::now() + allowed_time()) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      fail(fmt::format("no pipe to the mesh reader: {}", std::strerror(errno)));
    input_ = ends[0];
    start(ends[1]);
  }
  ~HelperRun() {
    if (input_ >= 0) close(input_);
    if (pid_ > 0) kill(pid_, SIGKILL), wait_for(0);
  }
  HelperRun(const HelperRun&) = delete;
  HelperRun& operator=(const HelperRun&) = delete;

  std::string message() {
    std::string out;
    if (!read_to(out, sizeof(MeshMessageHeader))) fail_by_end();
    const std::size_t size = message_size(number_at<MeshMessageHeader>(out, 0), file_);
    if (!read_to(out, size)) fail_by_end();
    reap();
    if (status_ && *status_ != 0) fail(reason_of_end());
    return out;
  }

 private:
  static Clock::duration allowed_time() {
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(limit(Limit::mesh_seconds)));
  }

  void start(int output) {
    const std::string program = mesh_helper_path();
    const std::vector<std::string> arguments{program, file_, fmt::format("{}", limit(Limit::mesh_seconds)),
                                             fmt::format("{}", limit(Limit::mesh_memory))};
    const int problem = SpawnSetup(output).spawn(pid_, program, arguments);
    close(output);
    if (problem == 0) return;
    pid_ = -1, close(input_);
    fail(fmt::format(
        "the program that reads this format, '{}', cannot be started: {}; AMBLE_MESH_HELPER can name "
        "another place",
        program, std::strerror(problem)));
  }

  /// Reads until `text` has that size. False when the helper ended before.
  bool read_to(std::string& text, std::size_t size) {
    std::array<char, 1 << 16> block;
    while (text.size() < size) {
      const std::size_t wanted = std::min(block.size(), size - text.size());
      const ssize_t got = wait_for_input() ? ::read(input_, block.data(), wanted) : 0;
      if (got == 0) return false;
      if (got > 0) text.append(block.data(), static_cast<std::size_t>(got));
      if (got < 0 && errno != EINTR) return false;
    }
    return true;
  }

  /// False when the time is up.
  bool wait_for_input() const {
    pollfd input{input_, POLLIN, 0};
    while (milliseconds_left() > 0) {
      const int ready = poll(&input, 1, milliseconds_left());
      if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
    }
    return false;
  }

  int milliseconds_left() const {
    const double left = std::chrono::duration<double, std::milli>(deadline_ - Clock::now()).count();
    return static_cast<int>(std::clamp(std::ceil(left), 0.0, 1e9));
  }

  /// Waits for the end of the helper, which its pipe may have announced; ends it where it stays.
  void reap() {
    using namespace std::chrono_literals;
    for (auto pause = 50us; pid_ > 0 && !wait_for(WNOHANG); pause = std::min(2 * pause, 5000us)) {
      if (milliseconds_left() == 0) {
        timed_out_ = kill(pid_, SIGKILL) == 0;
        wait_for(0);
        return;
      }
      std::this_thread::sleep_for(pause);
    }
  }

  /// True when it has ended. A program that ignores SIGCHLD, or waits for children elsewhere, hides how.
  bool wait_for(int options) {
    int status = 0;
    pid_t got;
    do got = waitpid(pid_, &status, options);
    while (got < 0 && errno == EINTR);
    if (got == 0) return false;
    if (got > 0) status_ = status;
    pid_ = -1;
    return true;
  }

  [[noreturn]] void fail_by_end() {
    reap();
    fail(reason_of_end());
  }

  std::string reason_of_end() const {
    const int status = status_.value_or(0);
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (timed_out_ || signal == SIGXCPU)
      return fmt::format("the mesh reader did not finish; it may take {}", limit_text(Limit::mesh_seconds));
    if (signal != 0) return fmt::format("the mesh reader crashed (signal {}, {})", signal, strsignal(signal));
    if (WIFEXITED(status) && WEXITSTATUS(status) == kOutOfMemoryExit)
      return fmt::format("the mesh reader ran out of memory; it may take {}", limit_text(Limit::mesh_memory));
    return "the mesh reader ended without a mesh";
  }

  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(fmt::format("{}: {}", file_, reason));
  }

  std::string file_;
  Clock::time_point deadline_;
  pid_t pid_ = -1;
  int input_ = -1;
  std::optional<int> status_;
  bool timed_out_ = false;
};

using Write = int (*)(void* to, const void* bytes, std::size_t count);
using ReadMesh = void (*)(const char* file, Write write, void* to);

/// The module stays loaded: Assimp leaves static objects behind.
ReadMesh mesh_module(const std::string& file) {
  const std::string path = detail::library_part("libamble_mesh.so");
  void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module)
    throw Error(fmt::format("{}: the module that reads this format cannot be loaded: {}", file, dlerror()));
  return reinterpret_cast<ReadMesh>(dlsym(module, "amble_read_mesh"));
}

int append(void* to, const void* bytes, std::size_t count) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), count);
  return 0;
}

}  // namespace

std::string mesh_helper_path() {
  const char* named = secure_getenv("AMBLE_MESH_HELPER");
  return named != nullptr && *named != '\0' ? named : detail::library_part("amble-mesh");
}

std::string run_mesh_helper(const std::string& file) { return HelperRun(file).message(); }

std::string run_mesh_module(const std::string& file) {
  std::string out;
  mesh_module(file)(file.c_str(), append, &out);
  return out;
}

}  // namespace amble
