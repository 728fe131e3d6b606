#pragma once

#include <string>
#include <string_view>

#include "amble/geometry/triangle_mesh.hpp"
#include "amble/io/mesh/pipe_format.hpp"

// The reading side of pipe_format.hpp. The writer may have been taken over by the file it read, so nothing is
// believed.
namespace amble {

/// How many bytes a message has, header included. Throws an Error naming `file` for a header that cannot be,
/// or that announces more than the limits allow.
std::size_t message_size(const MeshMessageHeader& header, const std::string& file);

/// A whole message. Throws an Error naming `file`: with the reason that the message gives, or because its
/// size, an index or a coordinate cannot be.
TriangleMesh decode_mesh_message(std::string_view message, const std::string& file);

}  // namespace amble
