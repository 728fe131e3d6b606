#pragma once

#include <string>
#include <vector>

#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// Contact geometry of a foot, in its sole frame S: origin at the center of the support, z up (away from the
/// ground), x forward.
struct Foot {
  enum class Shape {
    sole,   ///< a flat face: convex support polygon, 3 or more corners
    line,   ///< an edge: 2 corners
    point,  ///< 1 corner
    ball,   ///< a sphere of `radius` about `corners[0]`, which stands above the ground
  };
  std::string body;  ///< that carries it
  Pose X_BS;         ///< sole frame on that body
  Shape shape = Shape::sole;
  std::vector<Vector3<double>> corners;  ///< in S (m); counterclockwise seen from above, z = 0 but for a ball
  double radius = 0.0;                   ///< m, of a ball
};

/// A chain of joints from the base to a foot.
struct Leg {
  std::string name;         ///< by side: "left", "right" of bipeds; "left_front", "right_hind", ... of others
  std::vector<int> joints;  ///< indices in Mechanism::joints(), from the base to the foot
  Foot foot;
  int mirror = -1;      ///< index of the leg on the other side; -1: none
  double length = 0.0;  ///< hip to sole, leg stretched (m)
  Vector3<double> p_BaseHip =
      Vector3<double>::Zero();  ///< center of the hip joints in the neutral posture, base axes
  int knee = -1;                ///< index in Mechanism::joints(): bends the leg most; -1: there is none
  double knee_sense = 0.0;      ///< 1 or -1: the way it bends
};

/// Reflection in the robot's sagittal plane: joint i moves as joint `joint[i]`, velocity k as sign[k] times
/// velocity `v[k]`. The six of the free joint hold for a twist with components forward, left, up.
struct MirrorMap {
  std::vector<int> joint;    ///< nv-independent: by joint index; a joint on the plane is its own image
  std::vector<int> v;        ///< by velocity index
  std::vector<double> sign;  ///< by velocity index, 1 or -1
};

/// A legged robot as walking controllers see it: found from the model alone, or given.
struct LeggedRobot {
  Mechanism mechanism;
  std::string base;   ///< body with the free joint
  std::string torso;  ///< heaviest body above the hips that joints connect to the base; empty: the base
  Vector3<double> forward_Base =
      Vector3<double>::UnitX();  ///< in base axes, unit, horizontal in the nominal posture
  Vector3<double> up_Base = Vector3<double>::UnitZ();
  std::vector<Leg> legs;  ///< left before right, front before hind
  MirrorMap mirror;       ///< empty where the robot has no symmetry
  OwnedVector nominal;    ///< q: standing at rest on all feet over z = 0, looking along world x, CoM over the
                          ///< middle of the support
  OwnedVector effort;     ///< nv: effort limits, defaults where the file has none (N m, N)
  OwnedVector speed;      ///< nv: velocity limits (rad/s, m/s), infinite where the file has none
  std::vector<int> actuated;          ///< indices in Mechanism::joints() of those that a drive moves
  double hip_height = 0.0;            ///< of the nominal posture, over the soles (m)
  std::string refusal;                ///< why it cannot walk as it is, one sentence; empty: it can
  std::vector<std::string> evidence;  ///< what was found and why, a sentence each
  std::vector<std::string>
      warnings;  ///< what is doubtful: placeholders, limits that are not mirrored, defaults
};

}  // namespace amble
