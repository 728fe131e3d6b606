#pragma once

#include <string>

#include "amble/base/error.hpp"
#include "amble/io/source.hpp"
#include "amble/mechanism/description.hpp"

namespace amble {

/// Names meshes so that they are found from a model file at `path`: relative to it where they were found.
/// URDF keeps names of packages. MuJoCo reads neither those nor COLLADA: what it will not find or read is
/// noted in `left_out`.
void rename_meshes(ModelDescription& model, const std::string& path, Format format, Problems& left_out);

}  // namespace amble
