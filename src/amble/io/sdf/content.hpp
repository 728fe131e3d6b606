#pragma once

#include <string>
#include <string_view>

#include <vector>

#include "amble/base/error.hpp"
#include "amble/io/xml/unread.hpp"

namespace tinyxml2 {
class XMLDocument;
class XMLElement;
}  // namespace tinyxml2

namespace amble {

/// What the reader uses of a document with this root, by its version.
std::vector<KnownElement> sdf_known(const tinyxml2::XMLElement& root);

/// What an SDFormat document says that the reader does not use: a note per kind, and a warning where leaving
/// it out changes how the mechanism moves.
Problems sdf_unused(const tinyxml2::XMLDocument& document, const std::string& file);

/// What libsdformat would not report, or only print: an error when there is no version, or when a name
/// contains the
/// "::" that separates names (since version 1.8); a note when the version is newer than the library (1.10
/// to 1.12 only added elements), a warning when there is no such version.
Problems check_sdf_text(const tinyxml2::XMLDocument& document, const std::string& file);

/// The line of the `occurrence`-th (from 0) element of this kind and name, or of the last one; 0 when there
/// is none.
int sdf_line(const tinyxml2::XMLDocument& document, std::string_view kind, std::string_view name,
             int occurrence = 0);

/// The text of the first element of this kind on this line, for messages; empty when there is none.
std::string sdf_text(const tinyxml2::XMLDocument& document, std::string_view kind, int line);

}  // namespace amble
