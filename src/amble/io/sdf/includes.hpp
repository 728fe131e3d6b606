#pragma once

#include <string>
#include <vector>

#include "amble/base/error.hpp"
#include "amble/io/options.hpp"
#include "amble/io/sdf/copies.hpp"

namespace tinyxml2 {
class XMLDocument;
}

namespace amble {

/// A file that another one includes.
struct SdfIncluded {
  std::string file;
  std::string copy;  ///< the path from which libsdformat reads it
  std::string text;  ///< what is in the copy
};

/// What `<include>` pulls into an SDFormat file, directly or through other files.
struct SdfIncludes {
  std::vector<SdfIncluded> files;  ///< each after those it includes
  SdfCopies copies;
  Problems errors;    ///< includes that cannot be followed
  Problems left_out;  ///< warnings: what is not there and what goes with it
  Problems findings;  ///< what else there is to say on the included files
};

/// Follows every include before libsdformat does, so that each file passes the checks of parse_xml() first,
/// and points the uris of `document` to copies of what the reader uses of them. What is not there, on a
/// network or no model of SDFormat is taken out of `document`, with the joints and frames that hold it.
/// Nothing is ever fetched from a network. Throws an Error when an included file is not XML.
void follow_sdf_includes(tinyxml2::XMLDocument& document, const std::string& file, const LoadOptions& options,
                         SdfIncludes& out);

}  // namespace amble
