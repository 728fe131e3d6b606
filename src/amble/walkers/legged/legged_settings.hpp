#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "amble/geometry/vector.hpp"

namespace amble {

/// A foot stated by hand: its corners, or a rectangle or a ball about `center`; what is not given is found.
struct FootSettings {
  std::string body;  ///< or frame that carries it
  std::vector<Vector3<double>> corners =
      {};                            ///< in the axes of `body` (m): 1 a point, 2 a line, 3 or more a sole
  double length = 0.0, width = 0.0;  ///< of a rectangle (m)
  double radius = 0.0;               ///< of a ball (m)
  std::optional<Vector3<double>> center =
      {};  ///< middle of the rectangle or of the ball, in the axes of `body` (m)
};

/// What a person may say about a robot where its file does not, or where it is read wrongly.
struct LeggedRobotSettings {
  std::vector<FootSettings> feet = {};                   ///< all of them; none: found from the model
  std::optional<Vector3<double>> forward = {}, up = {};  ///< in base axes
  std::string torso = {};                                ///< body; empty: found
  std::map<std::string, double> posture =
      {};  ///< joints of the nominal posture, from which the search starts (rad, m)
  std::optional<double> hip_height = {};    ///< of the nominal posture, over the soles (m)
  std::optional<double> stance_width = {};  ///< between the soles' centers of a biped (m)
  bool unmirrored_limits = false;  ///< accept limits of left and right legs that are no mirror images

  /// Throws an Error naming what cannot be used.
  void validate() const;
};

}  // namespace amble
