#include "amble/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace amble {

std::string Problem::text() const {
  const std::string where = file.empty() ? "" : line > 0 ? fmt::format("{}:{}: ", file, line) : file + ": ";
  return fmt::format("{}{}{}{}", where, element, element.empty() ? "" : ": ", reason);
}

bool any_at_least(const Problems& problems, Severity least) {
  return std::any_of(problems.begin(), problems.end(), [&](const Problem& p) { return p.severity >= least; });
}

void throw_problems(const Problems& problems, Severity least) {
  constexpr std::size_t kMostShown = 20;
  std::vector<std::string> lines;
  int more = 0;
  for (const Problem& p : problems) {
    if (p.severity < least) continue;
    lines.size() < kMostShown ? lines.push_back(p.text()) : void(++more);
  }
  if (more > 0) lines.push_back(fmt::format("... and {} more problems", more));
  if (!lines.empty()) throw Error(fmt::format("{}", fmt::join(lines, "\n")));
}

}  // namespace amble
