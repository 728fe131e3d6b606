#pragma once

#include <limits>

#include "amble/geometry/line.hpp"

namespace amble {

/// What twists, wrenches and displacements have in common: a line, a pitch along it and a magnitude (>= 0).
///
/// | of            | magnitude         | pitch (m/rad)            | infinite pitch                         |
/// | twist         | angular speed     | speed along / turn rate  | pure translation, magnitude its speed  |
/// | wrench        | force             | moment along / force     | pure couple, magnitude its moment      |
/// | displacement  | angle in [0, pi]  | advance / angle          | pure translation, magnitude its length |
///
/// With infinite pitch only the axis' direction means something; screw_of() puts it through the origin.
/// Nothing at all (zero twist, zero wrench, no displacement) has magnitude 0, pitch 0 and the z axis. The
/// axis of an almost pure translation lies far away: that is its geometry, not an error, and pitch turns
/// infinite only where it cannot be represented.
struct Screw {
  static constexpr double kInfinitePitch = std::numeric_limits<double>::infinity();

  Line axis;
  double pitch = 0.0;
  double magnitude = 0.0;

  bool has_infinite_pitch() const { return pitch == kInfinitePitch; }
  /// Of a displacement: how far it turns about the axis and advances along it.
  double angle() const { return has_infinite_pitch() ? 0.0 : magnitude; }
  double translation() const { return has_infinite_pitch() ? magnitude : pitch * magnitude; }
};

/// Chasles, DS (2.18). Components in the frame of the twist.
Screw screw_of(const Twist<double>& V);
Twist<double> twist_of(const Screw& screw);

/// Poinsot: a force along the axis and a couple about it.
Screw screw_of(const Wrench<double>& F);
Wrench<double> wrench_of(const Screw& screw);

/// The helical axis of a finite displacement (Chasles, DS Thm 2.8): turning by angle() about the axis while
/// advancing by translation() along it takes frame A to B, for the pose X_AB; the axis has components in A
/// (and the same in B).
Screw screw_of(const Pose& X_AB);
/// Inverse for any magnitude, turns beyond pi included.
Pose pose_of(const Screw& screw);

/// The same screw seen from A, given it in B; pitch and magnitude do not depend on the frame.
Screw operator*(const Pose& X_AB, const Screw& screw);

}  // namespace amble
