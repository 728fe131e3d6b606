#pragma once

#include <optional>

#include "amble/walkers/legged/legged_robot.hpp"
#include "amble/walkers/legged/posed_links.hpp"

namespace amble {

/// A plane in the world: normal . p = offset.
struct MirrorPlane {
  Vector3<double> normal;  ///< unit
  double offset = 0.0;

  Vector3<double> reflect(const Vector3<double>& p) const {
    return p - 2.0 * (normal.dot(p) - offset) * normal;
  }
  /// Of a free vector; an axial one (an axis of rotation) changes sign besides.
  Vector3<double> turn(const Vector3<double>& a) const { return a - 2.0 * normal.dot(a) * normal; }
};

/// Which link is the image of which one, in the posture given, and how well they match.
struct LinkImages {
  std::vector<int> image;  ///< by link; -1: none
  int unmatched = 0;       ///< links without an image
  double error = 0.0;  ///< the largest mismatch of an axis and its image (rad, and m over the robot's size)
};

/// Matches the links that `base_link` carries with each other, from the base outwards: a link's image hangs
/// on the image of its parent, is held by the same type of joint, and its joint moves it along the reflected
/// twists. Two links that both match are told apart by the mass they carry. `size` of the robot (m).
LinkImages link_images(const PosedLinks& at, int base_link, const MirrorPlane& plane, double size);

/// The map of joints and signs that these images say, both ways the same. Joints without image are their own,
/// with sign 1.
MirrorMap mirror_map(const PosedLinks& at, int base_link, const MirrorPlane& plane, const LinkImages& images);

}  // namespace amble
