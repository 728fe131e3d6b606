#include "amble/base/names.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace amble {

namespace {

/// Levenshtein distance: the fewest letters to add, drop or change.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view name, std::span<const std::string> candidates) {
  std::string_view best;
  std::size_t least = std::max<std::size_t>(2, name.size() / 3) + 1;
  std::size_t effort = 1'000'000;  // steps: a hostile file must not cost seconds
  for (const std::string& candidate : candidates) {
    const std::size_t cost = (name.size() + 1) * (candidate.size() + 1);
    if (cost > effort) break;
    effort -= cost;
    // The lengths alone make the distance at least their difference.
    if (std::max(name.size(), candidate.size()) - std::min(name.size(), candidate.size()) >= least) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < least) least = distance, best = candidate;
  }
  return best;
}

std::string suggestion(std::string_view name, std::span<const std::string> candidates) {
  const std::string_view nearest = nearest_name(name, candidates);
  return nearest.empty() ? "" : " (did you mean '" + std::string(nearest) + "'?)";
}

}  // namespace amble
