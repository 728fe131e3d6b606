#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "amble/base/owned.hpp"
#include "amble/mechanism/description.hpp"
#include "amble/mechanism/joints/joint.hpp"

namespace amble {

/// Where something stands in q or v.
struct Slice {
  int start = 0, size = 0;
};

/// A body as the user knows it, on the link that carries it.
struct Body {
  std::string name;
  int link = 0;     ///< 0 is the world
  int joint = -1;   ///< the joint that holds it; -1 for a root fixed to the world
  int parent = -1;  ///< the body that joint starts from; -1 for the world
  Pose X_LB;        ///< the body's frame on its link
  Inertia<double> inertia;
  bool auxiliary = false;
  double gravity_compensation = 0.0;
};

/// A joint of the spanning tree as the user knows it.
struct Joint {
  std::string name;
  int kind = 0;  ///< place in joints/list.hpp
  std::string type;
  int parent = -1, child = -1;  ///< bodies; -1 is the world
  int link = -1;                ///< the link it moves; -1 when fixed
  Slice q, v;                   ///< of the leader when this joint follows another
  int leader = -1;              ///< the joint that it follows, or -1
  double ratio = 1.0, offset = 0.0;
  Pose X_PF, X_CM;   ///< the user's joint frames
  SO3<double> R_FN;  ///< the normalised frame in F
  JointParameters parameters;
  std::array<double, 2> stiffness_polynomial{0.0, 0.0},
      damping_polynomial{0.0, 0.0};                            ///< see JointProperties
  double spring_reference = 0.0;                               ///< its own, of one axis
  double drive_lower = -kUnlimited, drive_upper = kUnlimited;  ///< of what drives do to it together
  bool compensated_by_drives = false;
};

/// A rigid group of bodies and the joint that moves it: what the algorithms run over. Parents come before children.
/// The link's frame is the normalised M of its joint.
struct Link {
  int parent = -1;  ///< link; the world is link 0 and has none
  int kind = 0;
  JointParameters parameters;
  Slice q, v;
  double ratio = 1.0, offset = 0.0;  ///< the joint is at ratio q + offset; for one-axis joints that follow another
  Pose X_PN;                         ///< the joint's normalised frame on the parent link
  Inertia<double> inertia;           ///< of all its bodies, in the link's frame
  int joint = -1;
};

/// A joint that closes a loop: X_FM between the two frames must be a pose of that joint.
struct Loop {
  std::string name;
  int kind = 0;
  std::string type;
  int body_a = -1, body_b = -1;  ///< -1 is the world
  int link_a = 0, link_b = 0;
  Pose X_AN, X_BN;  ///< the normalised frames on the two links
  JointParameters parameters;
  int freedoms = 0;  ///< what the joint leaves free; it constrains 6 - freedoms
};

/// A spring and damper between points of two links.
struct Spring {
  std::string name;
  int body_a = -1, body_b = -1;  ///< -1 is the world
  int link_a = 0, link_b = 0;
  Vector3<double> p_A{0.0, 0.0, 0.0}, p_B{0.0, 0.0, 0.0};  ///< its ends on the two links
  double stiffness = 0.0, length = 0.0, damping = 0.0;
};

/// A tendon between points of links, see TendonDescription.
struct Tendon {
  struct Term {
    int q = 0, v = 0;  ///< places in q and v
    double coefficient = 1.0;
  };
  struct Point {
    TendonPoint::Kind kind = TendonPoint::Kind::point;
    int link = 0;
    Pose X_LP;
    double radius = 0.0, divisor = 1.0;
    int side_link = -1;  ///< -1 when there is no side point
    Vector3<double> side{0.0, 0.0, 0.0};
  };
  std::string name;
  std::vector<Term> terms;
  double offset = 0.0;
  std::vector<Point> path;
  std::array<double, 3> stiffness{0.0, 0.0, 0.0}, damping{0.0, 0.0, 0.0};
  std::array<double, 2> rest{0.0, 0.0};
  double friction = 0.0;
  double lower = -kUnlimited, upper = kUnlimited;  ///< limits of its length
};

/// A wheel that rolls without slip on the plane z = 0 of the world.
struct RollingWheel {
  std::string name;
  int body = -1;
  int link = 0;
  Pose X_LW;  ///< the wheel on its link: its centre, and z along its axis
  double radius = 0.0;
};
/// What a rolling takes: the point that touches the ground rests along x and along y, and stays in the plane.
inline constexpr int kRollingRows = 3;

/// A named place, on the link that carries it.
struct Frame {
  std::string name;
  int body = -1;
  int link = 0;
  Pose X_LF;
};

/// A state that the model file names.
struct Keyframe {
  std::string name;
  double time = 0.0;
  OwnedVector q, v;
  std::vector<double> ctrl;  ///< one for each drive of the description, or empty
  std::vector<double> activation;  ///< one for each drive with dynamics, or empty
};

/// What the name of a body or of a frame stands for.
struct Place {
  int body = -1;  ///< -1 is the world
  int link = 0;
  Pose X_LP;
};

/// A checked, immutable mechanism: share one among any number of threads. Made by Builder, load() or compile().
class Mechanism {
 public:
  const std::string& name() const { return description_->name; }
  int nq() const { return nq_; }
  int nv() const { return nv_; }
  /// Of every body of the file, also those that cannot move (kg).
  double mass() const { return mass_; }
  const Vector3<double>& gravity() const { return description_->gravity; }

  std::span<const Link> links() const { return links_; }
  std::span<const Body> bodies() const { return bodies_; }    ///< depth first
  std::span<const Joint> joints() const { return joints_; }   ///< of the tree, depth first, fixed ones included
  std::span<const Loop> loops() const { return loops_; }
  std::span<const Spring> springs() const { return springs_; }
  std::span<const Tendon> tendons() const { return tendons_; }
  std::span<const RollingWheel> rollings() const { return rollings_; }
  std::span<const Frame> frames() const { return frames_; }
  std::span<const Keyframe> keyframes() const { return keyframes_; }  ///< in the file's order
  /// Names of the bodies that a user gave, and of the joints that have coordinates, in the order of v.
  std::span<const std::string> body_names() const { return body_names_; }
  std::span<const std::string> joint_names() const { return joint_names_; }

  /// Index by name; throws an Error with the nearest name when there is none. A body is -1 for the world.
  int body_index(std::string_view name) const;
  int joint_index(std::string_view name) const;
  int tendon_index(std::string_view name) const;
  /// Of a body or a frame.
  Place place(std::string_view name) const;
  /// The first of that name; throws an Error with the nearest name when there is none.
  const Keyframe& keyframe(std::string_view name) const;
  Slice q_slice(std::string_view joint) const;
  Slice v_slice(std::string_view joint) const;

  /// Limits by coordinate: positions have nq entries, the others nv. Infinite where there is none.
  const OwnedVector& lower() const { return lower_; }
  const OwnedVector& upper() const { return upper_; }
  const OwnedVector& velocity_limit() const { return velocity_limit_; }
  const OwnedVector& effort_limit() const { return effort_limit_; }
  const OwnedVector& damping() const { return damping_; }
  const OwnedVector& friction() const { return friction_; }
  const OwnedVector& armature() const { return armature_; }
  const OwnedVector& stiffness() const { return stiffness_; }
  const OwnedVector& spring_reference() const { return spring_reference_; }

  OwnedVector neutral() const;
  /// Within the limits, uniform; see each joint type for unlimited coordinates.
  OwnedVector random(Random& random) const;
  OwnedVector random(std::uint64_t seed) const;
  /// Where the mechanism is after the velocity `dv` for unit time, joint by joint along its group.
  OwnedVector integrate(const VectorRef& q, const VectorRef& dv) const;
  /// The inverse: integrate(q0, difference(q0, q1)) = q1.
  OwnedVector difference(const VectorRef& q0, const VectorRef& q1) const;
  /// v = S ddot for the motion integrate(q, d(t)), DS (2.72), (2.73): block by block of joints, the identity at d = 0.
  OwnedMatrix local_jacobian(const VectorRef& q, const VectorRef& d) const;
  /// For integrators, of nq and nv numbers that were checked before: integrate(), and the rates of d that give `v` there.
  void integrate_unchecked(const double* q, const double* d, double* out) const;
  void local_rates_unchecked(const double* q, const double* d, const double* v, double* ddot) const;
  /// Copies `q` into `out` (nq numbers), ready for use: right size, finite, quaternions normalised when within 1e-6 of
  /// unit. Throws an Error naming the joint otherwise.
  void check_configuration(const VectorRef& q, OwnedVector& out) const;
  OwnedVector checked_configuration(const VectorRef& q) const;
  /// Throws an Error unless `v` has nv finite numbers; `what` is its name in the message.
  void check_velocity(const VectorRef& v, std::string_view what) const;

  /// Degrees of freedom by counting (Gruebler, Kutzbach): nv minus what each loop, rolling and coupling
  /// takes. Redundant ones make the true mobility larger.
  int counted_mobility() const;

  /// What it was made of, and what the reader noticed.
  const ModelDescription& description() const { return *description_; }
  /// The same, to keep: copies of a mechanism share one.
  std::shared_ptr<const ModelDescription> shared_description() const { return description_; }
  const Problems& findings() const { return description_->findings; }

 private:
  friend class MechanismCompiler;
  Mechanism() = default;

  int nq_ = 0, nv_ = 0;
  double mass_ = 0.0;
  std::shared_ptr<const ModelDescription> description_;
  std::vector<Link> links_;
  std::vector<Body> bodies_;
  std::vector<Joint> joints_;
  std::vector<Loop> loops_;
  std::vector<Spring> springs_;
  std::vector<Tendon> tendons_;
  std::vector<RollingWheel> rollings_;
  std::vector<Frame> frames_;
  std::vector<Keyframe> keyframes_;
  std::vector<std::string> body_names_, joint_names_;
  std::map<std::string, int, std::less<>> body_index_, joint_index_, frame_index_;
  OwnedVector lower_, upper_, velocity_limit_, effort_limit_, damping_, friction_, armature_, stiffness_,
      spring_reference_;
};

/// How strictly the laws of physics are held: refuse what no body can have, or warn and keep it as real files need.
enum class Physics { refuse, warn };

/// Checks a description and makes the mechanism of it: spanning tree, cut loops, fused bodies, normalised joint frames.
/// Throws one Error with every problem found.
Mechanism compile(ModelDescription description, Physics physics = Physics::refuse);

}  // namespace amble
