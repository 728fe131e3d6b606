#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstring>
#include <memory>

#include "amble/base/error.hpp"
#include "amble/ports/bonds/layout.hpp"

extern char** environ;

namespace amble {

namespace {

using File = std::unique_ptr<FILE, int (*)(FILE*)>;

File temporary() {
  File out(std::tmpfile(), std::fclose);
  if (!out) throw Error(fmt::format("cannot make a temporary file: {}", std::strerror(errno)));
  return out;
}

void fill(FILE* file, const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size() || std::fflush(file) != 0)
    throw Error(fmt::format("cannot write a temporary file: {}", std::strerror(errno)));
  std::rewind(file);
}

std::string content(FILE* file) {
  std::string out;
  std::rewind(file);
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) out.append(buffer, n);
  return out;
}

/// Waits for the end; 127 when it could not begin.
int run(const std::vector<std::string>& command, FILE* in, FILE* out, FILE* errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in), 0);
  posix_spawn_file_actions_adddup2(&actions, fileno(out), 1);
  posix_spawn_file_actions_adddup2(&actions, fileno(errors), 2);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t process = 0;
  const int failed = posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (failed != 0) return 127;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

std::string output_of(const std::vector<std::string>& command, const std::string& input) {
  const File in = temporary(), out = temporary(), errors = temporary();
  fill(in.get(), input);
  const int code = run(command, in.get(), out.get(), errors.get());
  if (code == 127) throw Error(fmt::format("the program '{}' is not found", command[0]));
  if (code != 0)
    throw Error(fmt::format("'{}' failed with code {}: {}", fmt::join(command, " "), code, content(errors.get())));
  return content(out.get());
}

}  // namespace amble
