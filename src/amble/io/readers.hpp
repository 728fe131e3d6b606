#pragma once

#include <string>

#include "amble/io/options.hpp"
#include "amble/mechanism/description.hpp"

// One reader per format: text in, description out. `file` is the name for messages and the folder that relative mesh
// names start from. Each throws an Error listing everything that makes the text unusable, and puts everything else it
// noticed (unused elements, doubtful values, missing meshes) into `findings` with its line.
// What breaks the laws of physics is not the readers' business: compile() finds it, for every source alike.
namespace amble {

ModelDescription read_urdf(const std::string& text, const std::string& file, const LoadOptions& options = {});
ModelDescription read_sdf(const std::string& text, const std::string& file, const LoadOptions& options = {});
ModelDescription read_mjcf(const std::string& text, const std::string& file, const LoadOptions& options = {});

}  // namespace amble
