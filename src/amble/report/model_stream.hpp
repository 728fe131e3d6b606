#pragma once

#include <optional>

#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// What goes into the page of a model.
struct ModelStreamSettings {
  std::optional<OwnedVector> q = {};     ///< the posture shown first; not given: nominal_posture()
  std::string file = {};                 ///< where the model is, for the page's title
  std::size_t most_triangles = 500'000;  ///< of meshes: beyond that they are simplified
};

/// The keyframe "home", else the first keyframe, else the neutral posture; joints moved to close its loops
/// where they can be.
OwnedVector nominal_posture(const Mechanism& mechanism);

/// A model as the page reads it, as scene_stream() is a recording: shapes, bodies with their inertia, joints
/// as chains of elementary motions, limits, keyframes, loops, and where the posture shown first touches the
/// ground or itself. The page computes poses of other postures; for a check of that, the stream has poses of
/// a few postures as pose() gives them. docs/viewer.md describes the format. Throws an Error when `q` is not
/// a posture of the mechanism.
std::string model_stream(const Mechanism& mechanism, const ModelStreamSettings& settings = {});

}  // namespace amble
