#include "amble/io/xml/tally.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace amble {

namespace {

constexpr std::size_t kMostNamed = 4;

std::string others(const std::vector<std::string>& elements, int count) {
  if (count <= 1) return {};
  if (std::all_of(elements.begin(), elements.end(), [&](const auto& e) { return e == elements.front(); }))
    return fmt::format(" ({} times, first here)", count);
  const std::size_t more = static_cast<std::size_t>(count) - elements.size();
  const std::string tail = more > 0 ? fmt::format(" and {} more", more) : "";
  return fmt::format(" (also {}{})", fmt::join(elements.begin() + 1, elements.end(), ", "), tail);
}

}  // namespace

void Tally::add(Severity severity, const std::string& reason, int line, const std::string& element,
                const std::string& group) {
  const std::string key = fmt::format("{}|{}|{}", static_cast<int>(severity), reason, group);
  const auto [place, is_new] = index_.try_emplace(key, entries_.size());
  if (is_new) entries_.push_back({severity, reason, line, 0, {}});
  Entry& entry = entries_[place->second];
  ++entry.count;
  if (entry.elements.size() < kMostNamed) entry.elements.push_back(element);
}

Problems Tally::problems(const std::string& file) const {
  Problems out;
  for (const Entry& e : entries_)
    out.push_back({e.severity, file, e.line, e.elements.front(), e.reason + others(e.elements, e.count)});
  return out;
}

}  // namespace amble
