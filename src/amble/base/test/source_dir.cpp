#include "amble/base/test/source_dir.hpp"

namespace amble {

std::string source_dir() { return AMBLE_SOURCE_DIR; }

}  // namespace amble
