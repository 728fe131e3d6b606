#pragma once

#include <string>
#include <vector>

namespace amble {

/// How the root of a model stands in the world.
enum class Base {
  from_file,  ///< as the file says; a URDF, which cannot say, is fixed
  fixed,
  floating,  ///< the root gets a free joint, named root_joint; of several roots, each one `LINK_free`
};

struct LoadOptions {
  Base base = Base::from_file;
  bool strict = false;                     ///< refuse what breaks the laws of physics instead of warning
  bool mimic = true;                       ///< false: joints that follow another get a coordinate of their own
  std::vector<std::string> package_path = {};  ///< where `package://name/...` and `model://name/...` are looked up
};

}  // namespace amble
