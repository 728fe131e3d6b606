#pragma once

#include <string>

#include "amble/geometry/triangle_mesh.hpp"
#include "amble/io/mjcf/source.hpp"

// MuJoCo 2.2 crashes on damaged mesh files, so it gets none: our readers read them, and what it compiles are
// files in memory that hold what was read and checked.
namespace amble {

/// The vertices and faces that stand in a <mesh> itself. Throws an Error at its line for lists that cannot
/// be.
TriangleMesh mjcf_inline_mesh(const MjcfElement& asset);

/// The content of an MSH file for MuJoCo: of the file at `path`, or of the element where `path` is empty.
/// Scaled coordinates are within Limit::length. Throws an Error at the element for what MuJoCo does not take:
/// formats other than OBJ, STL and MSH, fewer than 4 vertices, and, as it checks for OBJ files and lists in
/// the model only, faces of inconsistent orientation. Of an OBJ file with several objects it uses the first,
/// which is a warning.
std::string mjcf_mesh_file(const MjcfElement& asset, const std::string& path, const Vector3<double>& scale,
                           Problems& findings);

}  // namespace amble
