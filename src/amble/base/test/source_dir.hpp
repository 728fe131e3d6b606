#pragma once

#include <string>

namespace amble {

/// Where the project's own models and scenarios are. Only its definition knows the path, so that tests compiled in
/// one copy of the project serve every other from the compiler's cache.
std::string source_dir();

}  // namespace amble
