#include "amble/mechanism/random_mechanism.hpp"

#include <fmt/format.h>

#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/mechanism/joints/list.hpp"
#include "amble/mechanism/problems.hpp"

namespace amble {

namespace {

Vector3<double> random_direction(Random& random) {
  return Vector3<double>(random.normal(), random.normal(), random.normal()).normalized();
}

/// Half of all axes along coordinate axes, as in most robots, where special cases hide.
Vector3<double> random_axis(Random& random) {
  if (random.uniform() < 0.5) return random_direction(random);
  return (random.uniform() < 0.5 ? 1.0 : -1.0) * Vector3<double>::Unit(random.integer(0, 2));
}

std::string name_of(const char* what, int i) { return fmt::format("{}{}", what, i); }

class Generator {
 public:
  Generator(std::uint64_t seed, const RandomMechanismOptions& options) : random_(seed), options_(options) {
    options.validate();
    description_.name = fmt::format("random_{}", seed);
    types_ = options.types;
    if (types_.empty())
      for (int kind = 0; kind < kJointKinds; ++kind)
        if (kind != kJointKind<Fixed> && kind != kJointKind<Custom>)
          types_.emplace_back(visit_joint_type(kind, []<class Type>() { return Type::kName; }));
  }

  RandomMechanism run() {
    for (int i = 0; i < options_.bodies; ++i) add_body(i);
    const Mechanism tree = compile(description_);
    const OwnedVector q = tree.random(random_);
    if (options_.loops == 0) return {tree, q};
    const std::vector<Pose> X_WB = body_poses(tree, q);
    for (int i = 0; i < options_.loops; ++i) add_loop(i, tree, X_WB);
    return {compile(description_), q};
  }

 private:
  void add_body(int i) {
    description_.bodies.push_back({.name = name_of("body", i), .inertia = random_inertia(random_)});
    JointDescription j{.name = name_of("joint", i), .type = pick_type(), .parent = pick_parent(i),
                       .child = name_of("body", i), .X_PF = random_pose(random_), .X_CM = random_pose(random_, 0.3)};
    shape(j);
    if (options_.properties) add_properties(j);
    maybe_follow(j);
    description_.joints.push_back(j);
  }

  std::string pick_type() {
    if (options_.types.empty() && random_.uniform() < options_.fixed) return std::string(Fixed::kName);
    return types_[random_.integer(0, static_cast<int>(types_.size()) - 1)];
  }

  std::string pick_parent(int i) {
    if (i < options_.roots) return kWorld;
    return name_of("body", random_.uniform() < options_.branching ? random_.integer(0, i - 1) : i - 1);
  }

  template <class J>
  void shape(J& j) {
    j.axis = random_axis(random_);
    do j.axis2 = random_axis(random_);
    while (cross<double>(j.axis, j.axis2).norm() < 0.1);
    j.pitch = random_.uniform(-0.3, 0.3);
  }

  void add_properties(JointDescription& j) {
    const int kind = joint_kind(j.type), nv = joint_size(kind, nullptr, false);
    const auto fill = [&](std::vector<double>& values, double lower, double upper) {
      for (int k = 0; k < nv; ++k) values.push_back(random_.uniform(lower, upper));
    };
    JointProperties& p = j.properties;
    if (joint_size(kind, nullptr, true) == nv && random_.uniform() < 0.5) fill(p.lower, -2.0, -0.5), fill(p.upper, 0.5, 2.0);
    if (random_.uniform() < 0.5) fill(p.velocity, 1.0, 10.0), fill(p.effort, 10.0, 100.0);
    if (random_.uniform() < 0.5) fill(p.damping, 0.0, 1.0), fill(p.friction, 0.0, 1.0);
    if (random_.uniform() < 0.3) fill(p.armature, 0.0, 0.5);
  }

  static bool one_axis(const JointDescription& j) { return joint_size(joint_kind(j.type), nullptr, false) == 1; }

  void maybe_follow(JointDescription& j) {
    if (!one_axis(j) || random_.uniform() >= options_.mimic) return;
    std::vector<const JointDescription*> leaders;
    for (const JointDescription& other : description_.joints)
      if (one_axis(other)) leaders.push_back(&other);
    if (leaders.empty()) return;
    const auto& leader = *leaders[random_.integer(0, static_cast<int>(leaders.size()) - 1)];
    j.mimic = {leader.name, random_.uniform(-2.0, 2.0), random_.uniform(-0.5, 0.5)};
  }

  /// Forward kinematics in the user's own frames: independent of the normalised links that the library runs on.
  static std::vector<Pose> body_poses(const Mechanism& m, const OwnedVector& q) {
    std::vector<Pose> X_WB;
    for (const Body& b : m.bodies()) {
      const Joint& j = m.joints()[b.joint];
      std::array<double, kMostJointCoordinates> own{};
      for (int k = 0; k < j.q.size; ++k) own[k] = j.ratio * q[j.q.start + k] + j.offset;
      X_WB.push_back((b.parent < 0 ? Pose() : X_WB[b.parent]) * joint_pose(j, own.data()));
    }
    return X_WB;
  }

  /// Two frames that coincide now: the closing joint is at its neutral position.
  void add_loop(int i, const Mechanism& m, const std::vector<Pose>& X_WB) {
    const int n = static_cast<int>(X_WB.size());
    const int a = random_.integer(-1, n - 2), b = random_.integer(a + 1, n - 1);
    LoopDescription l{.name = name_of("loop", i), .type = pick_loop_type(),
                      .body_a = a < 0 ? kWorld : m.bodies()[a].name, .body_b = m.bodies()[b].name};
    shape(l);
    const Pose X_WF = random_pose(random_);
    l.X_AF = (a < 0 ? Pose() : X_WB[a]).inverse() * X_WF;
    l.X_BM = X_WB[b].inverse() * X_WF;
    description_.loops.push_back(l);
  }

  std::string pick_loop_type() {
    std::string type;
    do type = pick_type();
    while (type == Free::kName);
    return type;
  }

  Random random_;
  const RandomMechanismOptions& options_;
  std::vector<std::string> types_;
  ModelDescription description_;
};

}  // namespace

void RandomMechanismOptions::validate() const {
  if (bodies < 1) throw Error(fmt::format("a random mechanism needs at least one body, not {}", bodies));
  if (roots < 1 || roots > bodies) throw Error(fmt::format("roots is {}, expected 1 to {} (bodies)", roots, bodies));
  if (loops < 0) throw Error(fmt::format("loops is {}, expected at least 0", loops));
  for (const std::string& type : types) {
    const int kind = joint_kind(type);
    if (kind < 0 || kind == kJointKind<Custom>) throw Error(fmt::format("unknown joint type '{}'", type));
  }
  const auto closes = [](const std::string& type) { return type != Free::kName; };
  if (loops > 0 && !types.empty() && std::none_of(types.begin(), types.end(), closes))
    throw Error("free joints close no loops");
  for (const auto& [name, share] : {std::pair{"branching", branching}, {"mimic", mimic}, {"fixed", fixed}})
    if (!(share >= 0.0 && share <= 1.0)) throw Error(fmt::format("{} is {}, expected 0 to 1", name, share));
}

RandomMechanism random_mechanism(std::uint64_t seed, const RandomMechanismOptions& options) {
  return Generator(seed, options).run();
}

Pose random_pose(Random& random, double reach) {
  const SO3<double> R(random_quaternion(random));
  const double x = random.uniform(-reach, reach), y = random.uniform(-reach, reach), z = random.uniform(-reach, reach);
  return Pose(R, {x, y, z});
}

Inertia<double> random_inertia(Random& random) {
  std::vector<PointMass> points(8);
  for (PointMass& p : points) {
    p.mass = random.uniform(0.1, 0.6);
    for (int i = 0; i < 3; ++i) p.position[i] = random.uniform(-0.5, 0.5);
  }
  return inertia_of_points(points);
}

}  // namespace amble
