#pragma once

#include <optional>
#include <string>
#include <vector>

#include "amble/mechanism/mechanism.hpp"
#include "command.hpp"

namespace amble::app {

/// Which model the page shows, and in which posture first.
struct ModelChoice {
  std::string file;
  LoadOptions load;
  std::string keyframe;          ///< empty: the nominal posture
  std::vector<std::string> set;  ///< JOINT=VALUE
};

/// The model as the page reads it. URDF, SDFormat, MJCF, a mechanism in JSON, or the mechanism of a scenario
/// where it starts.
std::string model_scene(const ModelChoice& choice);

}  // namespace amble::app
