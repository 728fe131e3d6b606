#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "amble/geometry/vector.hpp"

namespace amble {

/// A surface of triangles, as a mesh file describes it: vertices may be repeated or belong to no triangle. A
/// mesh without triangles is a cloud of points.
struct TriangleMesh {
  std::vector<Vector3<double>> vertices;
  std::vector<std::array<int, 3>> triangles;  ///< indices of vertices, counterclockwise seen from outside
  std::vector<std::size_t> objects;  ///< OBJ: the first triangle of each object of the file; else empty
};

/// Of each point, the first one at the same place.
std::vector<int> first_equal(const std::vector<Vector3<double>>& points);

}  // namespace amble
