#pragma once

#include <string>

#include "amble/walkers/legged/legged_settings.hpp"

namespace amble {

/// What a person says about a legged robot where its model file does not (TOML); everything is optional:
///
///   [legs]
///   forward = [1, 0, 0]          # in base axes; up likewise
///   torso = "chest"              # body
///   hip_height = 0.75            # of the nominal posture, over the soles (m)
///   stance_width = 0.17          # between the soles of a biped (m)
///   unmirrored_limits = true     # accept limits of left and right that are no mirror images
///   posture = { left_elbow = -0.5 }   # joints of the nominal posture (rad, m)
///   [[feet]]                     # all of them, or none
///   body = "left_sole_link"      # or frame; everything below is in its axes (m)
///   corners = [[0.1, 0.065, 0], [-0.1, 0.065, 0], [-0.1, -0.065, 0], [0.1, -0.065, 0]]
///   length = 0.2                 # or a rectangle
///   width = 0.13
///   radius = 0.02                # or a ball
///   center = [0, 0, 0]           # its middle
///
/// Throws one Error with every problem and its line.
LeggedRobotSettings load_legged_settings(const std::string& path);
LeggedRobotSettings read_legged_settings(const std::string& text, const std::string& file);

}  // namespace amble
