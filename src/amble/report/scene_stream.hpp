#pragma once

#include <limits>

#include "amble/recording/recording.hpp"

namespace amble {

/// How much of a recording goes into a scene.
struct SceneSettings {
  double frame_rate = 120.0;  ///< poses per second at most
  std::size_t state_bytes =
      12u << 20;  ///< for signals: more than that and rows are gathered, with their extremes
  std::size_t frame_bytes = 6u << 20;  ///< for poses: more than that and the rate falls
  double after =
      -std::numeric_limits<double>::infinity();  ///< only what is later (s): for a page that has the rest
  std::size_t stride = 0;                        ///< rows that are gathered into one; 0: as few as fit
  std::string file;                              ///< where the recording is, for the page's title
};

/// A recording as the page reads it: a head in JSON (what there is to draw, names, units, events, where each
/// list of numbers begins), then the lists. docs/viewer.md tells the format. Poses are computed here, so that
/// a page draws any mechanism. Numbers are double where all of them fit, float otherwise.
std::string scene_stream(const Recording& recording, const SceneSettings& settings = {});

}  // namespace amble
