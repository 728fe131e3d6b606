#pragma once

#include <cstddef>

/// Reads a mesh file with Assimp and writes one message of amble/io/mesh/pipe_format.hpp: the triangles of
/// all its objects in the axes of the file, or the reason why there are none. Stops when `write` returns
/// anything but 0.
extern "C" void amble_read_mesh(const char* file,
                                int (*write)(void* to, const void* bytes, std::size_t count), void* to);
