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
  double gravity_compensation = 0.0;  ///< share of its weight that is carried by a force from outside
};

/// This joint follows another: q = ratio q_leader + offset. It adds no coordinate. Both have one degree of freedom.
struct Mimic {
  std::string leader;
  double ratio = 1.0;
  double offset = 0.0;
};

/// Numbers of a joint that belong to single degrees of freedom. Every vector has one entry per velocity
/// coordinate, or is empty, which means the default given; polynomials and ranges have two entries, or none.
struct JointProperties {
  std::vector<double> lower, upper;          ///< default unlimited; one-axis and cylindrical, universal, planar joints
  std::vector<double> velocity, effort;      ///< largest magnitude; default unlimited
  std::vector<double> damping, friction;     ///< viscous (N s/m, N m s/rad) and dry (N, N m); default 0
  std::vector<double> armature;              ///< inertia of the drive as seen at the joint (kg, kg m^2); default 0
  std::vector<double> stiffness, reference;  ///< joint spring (N/m, N m/rad) and where it is at rest; default 0
  /// k1, k2 of a spring whose stiffness is k0 + k1 x + k2 x^2 at the displacement x, and d1, d2 of a damper
  /// with d0 + d1 |v| + d2 v^2, where k0 and d0 are `stiffness` and `damping`. Of a ball joint, x is the
  /// angle of its turn, and each component of v has its own damper.
  std::vector<double> stiffness_polynomial, damping_polynomial;
  /// A lower and an upper bound of what drives do to it together (N, N m); of joints with one axis.
  std::vector<double> drive_range;
  /// Whether gravity compensation of bodies acts on this joint as a part of what its drives do.
  bool compensated_by_drives = false;
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

/// A term of a tendon's length.
struct TendonJoint {
  std::string joint;  ///< of one degree of freedom
  double coefficient = 1.0;
};

/// A stop on the way of a tendon.
struct TendonPoint {
  enum class Kind {
    point,     ///< the tendon passes through the origin of X_BP
    sphere,    ///< it wraps round this one, centered there, if it has to
    cylinder,  ///< likewise, along z, of any length
    pulley,    ///< what follows counts 1 / divisor, and does not hang together with what was before
  };
  Kind kind = Kind::point;
  std::string body;
  Pose X_BP;
  double radius = 0.0;    ///< of a sphere or cylinder (m)
  double divisor = 1.0;   ///< of a pulley
  std::string side_body;  ///< of the side point; empty when there is none
  /// The tendon passes the sphere or cylinder on this point's side; when the point is inside, it touches the
  /// surface from inside.
  Vector3<double> side{0.0, 0.0, 0.0};
};

/// A tendon: its length is a sum over joints, offset + sum coefficient q, plus that of a path through points
/// of bodies. With x by which the length is out of `rest` (0 within), its tension is x (k0 + k1 x + k2 x^2),
/// and that of its damper l' (d0 + d1 |l'| + d2 l'^2).
struct TendonDescription {
  std::string name;
  std::vector<TendonJoint> joints;
  double offset = 0.0;
  std::vector<TendonPoint> path;
  std::array<double, 3> stiffness{0.0, 0.0, 0.0}, damping{0.0, 0.0, 0.0};
  std::array<double, 2> rest{0.0, 0.0};  ///< lengths between which the spring is slack
  double friction = 0.0;                 ///< dry, along the tendon (N)
  double armature = 0.0;                 ///< inertia along the tendon (kg); no part of the mass matrix
  std::vector<double> range;             ///< of its length, a lower and an upper bound, or empty
  std::vector<double> force;             ///< bounds of what drives do to it together, or empty
  int line = 0;
};

/// A constraint between the coordinates of two joints, or the lengths of two tendons:
///   y - y0 = c0 + c1 (x - x0) + ... + c4 (x - x0)^4.
/// Where y is not named, the left side is zero; where x is not named, the right one is c0.
struct CouplingDescription {
  std::string name;
  bool tendons = false;  ///< what y and x name
  std::string y, x;
  double y0 = 0.0, x0 = 0.0;
  std::array<double, 5> coefficients{0.0, 1.0, 0.0, 0.0, 0.0};
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

/// The curves of a muscle. With l its length, L = range0 + (l - length_range0) / L0 in units of its optimal
/// length L0 = (length_range1 - length_range0) / (range1 - range0), and V = l' / (L0 vmax): it pulls with
/// peak (a FL(L) FV(V) + FP(L)), where a is its activation and FL, FV, FP its active, velocity and passive
/// curves.
struct MuscleCurves {
  std::array<double, 2> length_range{0.0, 1.0};  ///< m; shortest and longest in use
  std::array<double, 2> range{0.75, 1.05};       ///< the same in units of the optimal length
  double peak = 1.0;                             ///< N
  double lmin = 0.5, lmax = 1.6;                 ///< FL is zero outside
  double vmax = 1.5;                             ///< largest speed of shortening (optimal lengths per second)
  double fpmax = 1.3;                            ///< passive force at lmax
  double fvmax = 1.2;                            ///< active force when lengthening fast
};

/// How the activation `a` of a drive follows its control u.
enum class DriveDynamics {
  none,        ///< a = u
  integrator,  ///< a' = u
  filter,      ///< a' = (u - a) / t0
  /// a' = (u - a) / tau, tau = t0 (1/2 + 3 a / 2) when it rises, else t1 / (1/2 + 3 a / 2), blended over
  /// |u - a| < t2 / 2.
  muscle,
};

/// What moves a mechanism by one number `u` that a program sets, its control. With its length l, the rate l'
/// and its activation a, its force is f = (gain . (1, l, l')) a + bias . (1, l, l'), clamped to `force`; it
/// acts along the length, with the power f l'. What it is attached to is one of:
///   joint of one axis   l = gear0 q
///   joint, spherical    l = gear . rotation vector of the joint; the torque is f gear, in the child's axes
///   joint, free         l = 0; the wrench is f gear: the force in world axes, the torque in those of the
///   body tendon              l = gear0 times its length frame               l = 0; the wrench is f gear in
///   the axes of the frame frame, reference    l = gear . (position, rotation vector) of the frame in the
///   other; joints that move both are left out frame, slider       l = gear0 s, where s is the coordinate
///   along z of `slider` at which a rod from there reaches the frame
struct DriveDescription {
  std::string name;
  std::string joint, tendon, frame, reference, slider;  ///< all empty for a drive that does nothing here
  bool in_parent = false;  ///< of ball and free joints: the torque is in the parent's axes
  double rod = 0.0;        ///< its length (m)
  std::array<double, 6> gear{1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  std::array<double, 3> gain{1.0, 0.0, 0.0}, bias{0.0, 0.0, 0.0};
  std::optional<MuscleCurves> muscle_gain, muscle_bias;  ///< in place of gain, of bias
  DriveDynamics dynamics = DriveDynamics::none;
  std::array<double, 3> time_constants{1.0, 1.0, 0.0};  ///< s
  std::vector<double> control, force, activation;       ///< each a lower and an upper bound, or empty
  int line = 0;

  bool acts() const { return !joint.empty() || !tendon.empty() || !frame.empty(); }
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
  std::vector<double> activation;  ///< one for each drive with dynamics, or empty
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
  std::vector<TendonDescription> tendons;
  std::vector<CouplingDescription> couplings;
  std::vector<DriveDescription> drives;
  std::vector<KeyframeDescription> keyframes;
  std::vector<PlacedShape> world_visuals, world_collisions;  ///< scenery: shapes that never move
  ContactRules contact;
  std::string file;   ///< where it was read from; empty when built in code
  Problems findings;  ///< what a reader noticed: unused content, doubtful values
};

}  // namespace amble
