#include "amble/geometry/charts.hpp"

#include "amble/base/error.hpp"

namespace amble {

namespace {

/// All twelve sequences: neighbours differ, otherwise two turns would be one.
std::vector<ChartPtr> euler_charts() {
  std::vector<ChartPtr> charts;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k)
        if (i != j && j != k)
          charts.push_back(euler_chart({"xyz"[i], "xyz"[j], "xyz"[k]}, {i, j, k}, {0, 1, 2}));
  return charts;
}

const std::vector<ChartPtr>& table() {
  static const std::vector<ChartPtr> charts = [] {
    std::vector<ChartPtr> all{euler_chart("rpy", {2, 1, 0}, {2, 1, 0}), quaternion_chart(), matrix_chart(),
                              exponential_chart()};
    for (ChartPtr& c : euler_charts()) all.push_back(std::move(c));
    return all;
  }();
  return charts;
}

}  // namespace

std::vector<std::string> chart_names() {
  std::vector<std::string> names;
  for (const ChartPtr& c : table()) names.push_back(c->name());
  return names;
}

ChartPtr chart(std::string_view name) {
  for (const ChartPtr& c : table())
    if (c->name() == name) return c;
  std::string valid;
  for (const std::string& n : chart_names()) valid += (valid.empty() ? "" : ", ") + n;
  throw Error("there is no chart '" + std::string(name) + "': expected one of " + valid);
}

}  // namespace amble
