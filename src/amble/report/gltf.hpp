#pragma once

#include "amble/recording/recording.hpp"

namespace amble {

struct GltfSettings {
  double frame_rate = 60.0;  ///< poses per second at most

  void validate() const;
};

/// The motion as a glTF 2.0 file (.glb), for Blender and other programs: a node for each link with its
/// shapes, and one animation that moves them. Springs, forces and the ground are not in it. y is up there, as
/// the format asks. Throws an Error when there is nothing to show.
std::string gltf_binary(const Recording& recording, const GltfSettings& settings = {});

}  // namespace amble
