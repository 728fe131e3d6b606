#include "bench/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace amble::bench {

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::show(const std::string& text, double share) {
  if (terminal_)
    fmt::print(stderr, "\r\033[K{} {:3.0f}%", text, 100.0 * share);
  else if (text != last_)
    fmt::print(stderr, "{}\n", text);
  std::fflush(stderr);
  last_ = text;
}

void Progress::clear() {
  if (terminal_ && !last_.empty()) fmt::print(stderr, "\r\033[K");
  last_.clear();
}

}  // namespace amble::bench
