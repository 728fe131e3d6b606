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

/// What a file holds, by its first bytes: HDF5 is a recording, anything else a model. A damaged recording is
/// known by its ending .h5.
bool is_recording(const std::string& path);

/// The model as the page reads it. URDF, SDFormat, MJCF, a mechanism in JSON, or the mechanism of a scenario
/// where it starts.
std::string model_scene(const ModelChoice& choice);

}  // namespace amble::app
