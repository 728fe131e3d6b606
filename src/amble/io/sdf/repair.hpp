#pragma once

#include <string>

#include "amble/base/error.hpp"

namespace tinyxml2 {
class XMLDocument;
}

namespace amble {

/// The root's name before SDFormat was called so: <gazebo> becomes <sdf>.
void rename_sdf_root(tinyxml2::XMLDocument& document);

enum class SdfRole { main, included };

/// Rewrites what libsdformat refuses although it can be read in one way, each with a warning: several models
/// beside each other become a world, or the first one where only one can be included; a link named `world` is
/// the world or gets another name; collisions, visuals and models of a world whose name is taken get another;
/// models of a world without any link are left out.
Problems repair_sdf(tinyxml2::XMLDocument& document, const std::string& file, SdfRole role);

/// `name`, or that with a number after it, whatever `is_taken` accepts first.
template <class IsTaken>
std::string free_name(const std::string& name, IsTaken is_taken) {
  std::string out = name;
  for (int i = 2; is_taken(out); ++i) out = name + "_" + std::to_string(i);
  return out;
}

}  // namespace amble
