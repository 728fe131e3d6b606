#pragma once

#include <string>

namespace tinyxml2 {
class XMLDocument;
}

namespace amble {

/// The document as text for libsdformat: only the elements that the reader uses, each on the line where the
/// file has it. Sensors, plugins, lights and the like never reach the library, whatever is in them.
std::string sdf_library_text(const tinyxml2::XMLDocument& document);

}  // namespace amble
