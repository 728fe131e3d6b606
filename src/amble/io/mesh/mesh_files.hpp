#pragma once

#include <string>
#include <string_view>

#include "amble/geometry/triangle_mesh.hpp"
#include "amble/io/mesh/polygon.hpp"

// Readers of the mesh formats that are small enough to be read here. They take the bytes of a file, and its
// name for messages; every index, count and coordinate of the result has been checked. Each throws an Error
// `file:line: reason` or `file: byte N: reason`.
namespace amble {

/// Wavefront OBJ: vertices and faces; normals, texture coordinates and materials are left out. Faces of more
/// than three corners are cut into triangles.
TriangleMesh read_obj(std::string_view bytes, const std::string& file);
TriangleMesh read_obj(std::string_view bytes, const std::string& file, PolygonCut cut);

/// STL, binary or text. Vertices are not shared between triangles.
TriangleMesh read_stl(std::string_view bytes, const std::string& file);

/// MuJoCo's own binary format: four counts (vertices, normals, texture coordinates, triangles), then the
/// lists.
TriangleMesh read_msh(std::string_view bytes, const std::string& file);

/// The same format, in single precision.
std::string write_msh(const TriangleMesh& mesh);

}  // namespace amble
