#pragma once

#include <map>
#include <string>
#include <vector>

#include "amble/base/error.hpp"
#include "amble/io/options.hpp"

namespace tinyxml2 {
class XMLDocument;
}

namespace amble {

/// What `<include>` pulls into an SDFormat file, directly or through other files.
struct SdfIncludes {
  std::map<std::string, std::string> path_of_uri;  ///< a file, or a folder with a model.config
  std::vector<std::string> model_folders;          ///< where `model://name` is looked up, in this order
  std::vector<std::string> folders;                ///< where plain file names are looked up, in this order
  std::vector<std::string> files;                  ///< the included files, each after those it includes
  Problems errors;                                 ///< includes that cannot be followed
  Problems findings;                               ///< what else there is to say on the included files
};

/// Follows every include before libsdformat does, so that each file passes the checks of parse_xml() first.
/// Nothing is ever fetched from a network. Throws an Error when an included file is not XML.
SdfIncludes find_sdf_includes(const tinyxml2::XMLDocument& document, const std::string& file,
                              const LoadOptions& options);

}  // namespace amble
