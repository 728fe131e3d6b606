#pragma once

#include <string>

#include "amble/geometry/triangle_mesh.hpp"

// What every source of a mesh has to check. `where` is the start of a message: a file, and a line or byte.
namespace amble {

/// Finite, and within Limit::length: the quick answer, and the Error.
bool is_usable(const Vector3<double>& vertex);
void check_vertex(const Vector3<double>& vertex, const std::string& where);
/// How many vertices or triangles one mesh may have: Limit::mesh_vertices, and what an int can count.
std::size_t most_mesh_items();
void check_vertex_count(double count, const std::string& where);
void check_triangle_count(double count, const std::string& where);

}  // namespace amble
