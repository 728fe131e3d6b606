#pragma once

#include <string>

namespace amble::detail {

/// The path of a part that is loaded or started when it is needed, such as the mesh helper or a module of the
/// program: it is in the folder `amble` beside this library, in the build tree as in an installation.
std::string library_part(const std::string& name);

}  // namespace amble::detail
