#pragma once

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "amble/base/error.hpp"
#include "amble/geometry/inertia.hpp"
#include "amble/geometry/shape.hpp"

// What a mechanism is, in the user's own names and frames: plain data that readers and the Builder fill, that writers
// write, and that Mechanism is compiled from. Nothing here has been checked yet; see compile.hpp.
namespace amble {

class CustomJoint;

inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();
/// The name of the inertial frame, a body that is always there.
inline constexpr const char* kWorld = "world";

struct BodyDescription {
  std::string name;
  Inertia<double> inertia;  ///< about the body frame's origin, in body axes
  std::vector<PlacedShape> visuals, collisions;
  bool auxiliary = false;  ///< a massless frame between joints that a file stacks on one body; in no list of bodies
  int line = 0;            ///< where the file says so; 0 when unknown
};

/// This joint follows another: q = ratio q_leader + offset. It adds no coordinate. Both have one degree of freedom.
struct Mimic {
  std::string leader;
  double ratio = 1.0;
  double offset = 0.0;
};

/// Numbers of a joint that belong to single degrees of freedom. Every vector has one entry per velocity coordinate, or
/// is empty, which means the default given.
struct JointProperties {
  std::vector<double> lower, upper;          ///< default unlimited; one-axis and cylindrical, universal, planar joints
  std::vector<double> velocity, effort;      ///< largest magnitude; default unlimited
  std::vector<double> damping, friction;     ///< viscous (N s/m, N m s/rad) and dry (N, N m); default 0
  std::vector<double> armature;              ///< inertia of the drive as seen at the joint (kg, kg m^2); default 0
  std::vector<double> stiffness, reference;  ///< joint spring (N/m, N m/rad) and where it is at rest; default 0
};

struct JointDescription {
  std::string name;
  std::string type;           ///< a name of joints/list.hpp, "continuous", or "custom"
  std::string parent, child;  ///< body names; parent may be "world"
  Pose X_PF;                  ///< the joint's frame F fixed in the parent body
  Pose X_CM;                  ///< the joint's frame M fixed in the child body; M = F when q is neutral
  Vector3<double> axis{0.0, 0.0, 1.0};   ///< in F: of turning, sliding; the normal of a planar joint
  Vector3<double> axis2{1.0, 0.0, 0.0};  ///< in F: second axis of a universal joint
  double pitch = 0.0;                    ///< helical: metres per radian
  JointProperties properties;
  std::optional<Mimic> mimic;
  std::shared_ptr<const CustomJoint> custom;  ///< type "custom" only
  int line = 0;
};

/// A joint that closes a loop: a constraint between two bodies, not a coordinate. Loops also arise from joints whose
/// child is already held by another joint.
struct LoopDescription {
  std::string name;
  std::string type;  ///< as JointDescription::type
  std::string body_a, body_b;
  Pose X_AF, X_BM;                       ///< the two frames that the closed joint relates
  Vector3<double> axis{0.0, 0.0, 1.0};   ///< in F
  Vector3<double> axis2{1.0, 0.0, 0.0};  ///< in F
  double pitch = 0.0;
  std::shared_ptr<const CustomJoint> custom;
  int line = 0;
};

/// A straight spring and damper between points of two bodies. It pulls them together by
/// stiffness (d - length) + damping d', where d is their distance.
struct SpringDescription {
  std::string name;
  std::string body_a, body_b;
  Vector3<double> point_a{0.0, 0.0, 0.0}, point_b{0.0, 0.0, 0.0};  ///< each in its body's frame
  double stiffness = 0.0;                                          ///< N/m
  double length = 0.0;                                             ///< at rest (m)
  double damping = 0.0;                                            ///< N s/m
  int line = 0;
};

/// A wheel, a thin disc fixed to a body, that rolls without slip on the ground plane z = 0 of the world.
struct RollingDescription {
  std::string name;
  std::string body;
  double radius = 0.0;                    ///< m
  Vector3<double> axis{0.0, 0.0, 1.0};    ///< of the wheel, in the body's frame
  Vector3<double> center{0.0, 0.0, 0.0};  ///< of the wheel, in the body's frame
  int line = 0;
};

/// A named place on a body: sensor, tool, contact site.
struct FrameDescription {
  std::string name;
  std::string body;
  Pose X_BF;
  int line = 0;
};

/// What moves a joint by one number `u` that a program sets, its control. With l = gear q and its rate l', the joint gets
/// gear clamp((gain . (1, l, l')) u + bias . (1, l, l')), where u is kept within `control` and the clamp is `force`.
struct DriveDescription {
  std::string name;
  std::string joint;  ///< of one degree of freedom; empty for a drive of something else, which only has its place
  double gear = 1.0;
  std::array<double, 3> gain{1.0, 0.0, 0.0}, bias{0.0, 0.0, 0.0};
  std::vector<double> control, force;  ///< each a lower and an upper bound, or empty
  int line = 0;
};

/// The coordinates and velocities of one joint in a keyframe; an empty list stands for the neutral ones.
struct KeyframeJoint {
  std::string joint;
  std::vector<double> q, v;
};

/// A state that a file names.
struct KeyframeDescription {
  std::string name;
  double time = 0.0;                  ///< s
  std::vector<KeyframeJoint> joints;  ///< any other joint is neutral and at rest
  std::vector<double> ctrl;           ///< one for each drive, or empty
  int line = 0;
};

/// One of the shapes of a body, by its name; of the scenery where the body is "world".
struct ShapeReference {
  std::string body, shape;
};

/// Two shapes that may touch whatever their surfaces say, and how. What is said here stands in place of what the two
/// surfaces would make of each other.
struct ContactPairDescription {
  std::string name;
  ShapeReference a, b;
  double friction = 1.0;  ///< Coulomb's coefficient
  double margin = 0.0;    ///< of the layer between them that neither enters (m)
  int line = 0;
};

/// Two bodies whose shapes do not touch, unless a pair names them.
struct ContactExclusion {
  std::string body_a, body_b;
  int line = 0;
};

/// What a file says about which shapes touch, beside the surfaces of the shapes.
struct ContactRules {
  std::vector<ContactPairDescription> pairs;
  std::vector<ContactExclusion> exclusions;
  bool neighbors_touch = false;  ///< also bodies that a joint connects
};

struct ModelDescription {
  std::string name;
  Vector3<double> gravity{0.0, 0.0, -9.81};
  /// In the file's order. A body that is no joint's child is fixed to the world. A body named "world" is the inertial
  /// frame itself, listed because the file lists it.
  std::vector<BodyDescription> bodies;
  std::vector<JointDescription> joints;
  std::vector<LoopDescription> loops;
  std::vector<SpringDescription> springs;
  std::vector<RollingDescription> rollings;
  std::vector<FrameDescription> frames;
  std::vector<DriveDescription> drives;
  std::vector<KeyframeDescription> keyframes;
  std::vector<PlacedShape> world_visuals, world_collisions;  ///< scenery: shapes that never move
  ContactRules contact;
  std::string file;   ///< where it was read from; empty when built in code
  Problems findings;  ///< what a reader noticed: unused content, doubtful values
};

}  // namespace amble
