#pragma once

#include <span>
#include <string>
#include <string_view>

#include "amble/base/error.hpp"

namespace tinyxml2 {
class XMLDocument;
}

namespace amble {

/// What a reader uses of a format. `path` is the end of an element's path from the root, as in "joint/limit";
/// it stands for that element wherever its path ends so. `attributes` are those that are used, separated by
/// blanks; "#text" among them means that the text between the tags is used, "*" that everything inside the
/// element is.
struct KnownElement {
  std::string_view path;
  std::string_view attributes;
};

/// The row for the element at the end of this path; null when there is none.
const KnownElement* find_known(std::span<const KnownElement> known, std::string_view path);

/// One note for each kind of element, attribute or text that `known` does not list, with the line of the
/// first and how many there are. Nothing inside an unused element is listed: it goes with it. Namespace
/// declarations are no content. When several rows fit an element the last one counts.
Problems unread(const tinyxml2::XMLDocument& document, const std::string& file,
                std::span<const KnownElement> known);

}  // namespace amble
