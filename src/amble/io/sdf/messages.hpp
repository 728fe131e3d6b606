#pragma once

#include <string>
#include <vector>

#include "amble/base/error.hpp"

namespace tinyxml2 {
class XMLDocument;
}

namespace amble {

/// One message of libsdformat, as it says it.
struct SdfMessage {
  std::string text;
  std::string xml_path;  ///< e.g. `/sdf/model[@name="m"]/link[@name="a"]/inertial/mass`
  int line = 0;
  bool duplicate_name = false;
};

/// The same as problems that a user can act on: one for each cause, with its element and line. libsdformat
/// reports the cause and then every step that fails because of it, and writes names as name[x]. When the
/// cause is `explained` already, mere consequences are left out; otherwise the first one stands for it.
Problems sdf_problems(const std::vector<SdfMessage>& messages, const tinyxml2::XMLDocument& document,
                      const std::string& file, bool explained);

}  // namespace amble
