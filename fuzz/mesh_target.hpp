#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "amble/base/error.hpp"
#include "amble/geometry/triangle_mesh.hpp"

// Any bytes either read as a mesh whose triangles and coordinates exist, or are refused with an amble::Error.
namespace amble {

using MeshReader = TriangleMesh (*)(std::string_view, const std::string&);

inline void check_mesh(const TriangleMesh& mesh) {
  for (const std::array<int, 3>& triangle : mesh.triangles)
    for (const int i : triangle)
      if (i < 0 || i >= static_cast<int>(mesh.vertices.size())) std::abort();
  for (const Vector3<double>& vertex : mesh.vertices)
    for (const double x : vertex)
      if (!(std::abs(x) <= 1e8)) std::abort();
}

inline int fuzz_mesh(MeshReader read, const std::uint8_t* data, std::size_t size) {
  try {
    check_mesh(read(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz"));
  } catch (const Error&) {
  }
  return 0;
}

}  // namespace amble
