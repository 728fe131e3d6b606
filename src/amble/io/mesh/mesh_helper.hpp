#pragma once

#include <string>

namespace amble {

/// Has the helper program `amble-mesh` read a mesh file, and returns what it wrote, one message of
/// pipe_format.hpp. The program is bounded in time, memory and files. Throws an Error naming `file` when the
/// program is missing, crashes, or needs more than Limit::mesh_seconds or Limit::mesh_memory.
std::string run_mesh_helper(const std::string& file);

/// The same by a module that is loaded into this process: quicker, but a crash of the reader is one of the
/// process.
std::string run_mesh_module(const std::string& file);

/// Where the helper program is looked for: what the environment variable AMBLE_MESH_HELPER names, or else the
/// folder `amble` beside this library.
std::string mesh_helper_path();

}  // namespace amble
