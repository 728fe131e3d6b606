#include "amble/io/mesh/mesh_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "amble/base/error.hpp"
#include "amble/base/limits.hpp"

namespace amble {

namespace {

constexpr double kMostItems =
    std::numeric_limits<int>::max() / 3;  // STL has three vertices for each triangle

void check_count(double count, const std::string& what) {
  check_limit(Limit::mesh_vertices, count, what);
  if (count > kMostItems)
    throw Error(fmt::format("{} is {:g}; at most {:g} can be counted", what, count, kMostItems));
}

}  // namespace

bool is_usable(const Vector3<double>& vertex) { return (vertex.array().abs() <= limit(Limit::length)).all(); }

std::size_t most_mesh_items() {
  return static_cast<std::size_t>(std::min(limit(Limit::mesh_vertices), kMostItems));
}

void check_vertex(const Vector3<double>& vertex, const std::string& where) {
  for (const double x : vertex) {
    if (!std::isfinite(x))
      throw Error(fmt::format("{}: a coordinate is {}; expected a finite number", where, x));
    check_limit(Limit::length, x, where + ": a coordinate");
  }
}

void check_vertex_count(double count, const std::string& where) {
  check_count(count, where + ": the number of vertices");
}

void check_triangle_count(double count, const std::string& where) {
  check_count(count, where + ": the number of triangles");
}

}  // namespace amble
