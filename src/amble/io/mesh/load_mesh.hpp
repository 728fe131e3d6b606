#pragma once

#include <string>

#include "amble/geometry/shape.hpp"
#include "amble/geometry/triangle_mesh.hpp"
#include "amble/io/mesh/polygon.hpp"

namespace amble {

/// Reads a mesh file by its ending: OBJ, STL and MuJoCo's MSH here, every other format that Assimp knows
/// (COLLADA, glTF, PLY, ...) in a helper program, so that a crash there is an Error here. Throws an Error
/// naming the file when it cannot be read or is beyond a limit. `cut` is for the faces of OBJ files.
TriangleMesh load_mesh(const std::string& path, PolygonCut cut = PolygonCut::fair);

/// The mesh of a shape, each coordinate times its scale, from the file that was found when the model was
/// loaded. Throws an Error that names the mesh as the model does.
TriangleMesh load_mesh(const Shape& shape);

/// A shape of a mesh file for models built in code; a relative name starts from the current directory.
Shape mesh_file_shape(const std::string& file, const Vector3<double>& scale = Vector3<double>::Ones());

/// True for .obj, .stl and .msh, in upper or lower case.
bool has_own_reader(const std::string& path);

/// Where files of other formats are read. A policy of the process: `helper` unless the environment variable
/// AMBLE_MESH_READING is `in_process`, which saves the start of a program for each file and trusts the files.
enum class MeshReading { helper, in_process };
MeshReading mesh_reading();
void set_mesh_reading(MeshReading reading);

}  // namespace amble
