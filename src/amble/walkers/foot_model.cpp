#include "amble/walkers/foot_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/mechanism/reroot.hpp"
#include "amble/walkers/foot_angles.hpp"
#include "amble/walkers/leg_chain.hpp"

namespace amble {

namespace {

using Foot = WalkerDescription::Foot;

/// A chain of joints from the world to the body of the foot.
class FootChain {
 public:
  FootChain(ModelDescription& d, const Pose& X_BF, std::string body)
      : d_(d), X_BF_(X_BF), body_(std::move(body)) {}

  JointDescription& add(const std::string& name, const char* type, const Vector3<double>& axis, bool last) {
    const std::string child = last ? body_ : "foot_" + name;
    if (!last) d_.bodies.push_back({.name = child, .auxiliary = true});
    JointDescription joint{.name = name, .type = type, .parent = parent_, .child = child};
    joint.axis = axis;
    if (last) joint.X_CM = X_BF_;
    d_.joints.push_back(joint);
    parent_ = child;
    return d_.joints.back();
  }

 private:
  ModelDescription& d_;
  Pose X_BF_;
  std::string body_, parent_ = kWorld;
};

void add_place(FootChain& chain, bool planar, FootPlace place, double radius) {
  const auto slides = [&](const char* name, const Vector3<double>& axis, bool rolls) -> JointDescription& {
    return chain.add(name, place == FootPlace::free || rolls ? "prismatic" : "fixed", axis, false);
  };
  const bool rolls = place == FootPlace::held && radius > 0.0;
  JointDescription& x = slides("x", Vector3<double>::UnitX(), rolls);
  if (rolls) x.mimic = Mimic{.leader = "pitch", .ratio = radius};
  if (!planar) slides("y", Vector3<double>::UnitY(), false);
  slides("z", Vector3<double>::UnitZ(), false).X_PF = Pose(Vector3<double>(0.0, 0.0, radius));
}

void add_angles(FootChain& chain, bool planar) {
  if (!planar) chain.add("yaw", "revolute", Vector3<double>::UnitZ(), false);
  chain.add("pitch", "revolute", Vector3<double>::UnitY(), planar);
  if (!planar) chain.add("roll", "revolute", Vector3<double>::UnitX(), true);
}

/// At the foot, with the axes of the world where the walker stands upright.
Pose foot_pose(const Mechanism& model, Workspace& work, const Foot& foot) {
  const Pose X_WB = pose(model, work, model.neutral(), foot.body);
  return {X_WB.rotation().inverse(), foot.point};
}

void add_feet(const WalkerDescription& w, Workspace& work, ModelDescription& d) {
  for (const Foot& foot : w.feet)
    d.frames.push_back(
        {.name = foot_frame(foot.name), .body = foot.body, .X_BF = foot_pose(w.model, work, foot)});
}

ModelDescription hung_up(const WalkerDescription& w, const Foot& foot, FootPlace place) {
  Workspace work(w.model);
  ModelDescription d = rooted_at(w.model, foot.body);
  d.name = w.name;
  d.gravity = floor_gravity(w.gravity, w.slope);
  add_feet(w, work, d);
  FootChain chain(d, foot_pose(w.model, work, foot), foot.body);
  add_place(chain, w.planar, place, foot.radius);
  add_angles(chain, w.planar);
  return d;
}

}  // namespace

std::string foot_frame(const std::string& foot) { return "foot:" + foot; }

std::vector<std::string> foot_angle_names(bool planar) {
  return planar ? std::vector<std::string>{"pitch"} : std::vector<std::string>{"yaw", "pitch", "roll"};
}
std::vector<std::string> foot_place_names(bool planar) {
  return planar ? std::vector<std::string>{"x", "z"} : std::vector<std::string>{"x", "y", "z"};
}

Mechanism free_foot_model(const WalkerDescription& walker, const Foot& foot) {
  return compile(hung_up(walker, foot, FootPlace::free), Physics::warn);
}

Mechanism held_foot_model(const WalkerDescription& walker, const Foot& foot,
                          const WalkerDescription::Phase& phase) {
  ModelDescription d = hung_up(walker, foot, FootPlace::held);
  for (JointDescription& joint : d.joints)
    if (const auto rest = phase.rest.find(joint.name); rest != phase.rest.end())
      joint.properties.reference = {rest->second};
  std::map<std::string, std::vector<double>> locked;
  for (const auto& [joint, angle] : phase.locked) locked[joint] = {angle};
  return with_locked(compile(std::move(d), Physics::warn), locked);
}

Mechanism model_with_feet(const WalkerDescription& walker) {
  ModelDescription d = walker.model.description();
  Workspace work(walker.model);
  d.gravity = floor_gravity(walker.gravity, walker.slope);
  add_feet(walker, work, d);
  return compile(std::move(d), Physics::warn);
}

const Joint& root_joint(const Mechanism& model) {
  return *std::ranges::find_if(model.joints(), [](const Joint& joint) { return joint.type == "free"; });
}

void copy_joints(const Mechanism& from, const VectorRef& x, const Mechanism& to, OwnedVector& into,
                 bool velocities) {
  for (const std::string& joint : to.joint_names()) {
    if (std::ranges::count(from.joint_names(), joint) == 0) continue;
    const Slice source = velocities ? from.v_slice(joint) : from.q_slice(joint);
    const Slice target = velocities ? to.v_slice(joint) : to.q_slice(joint);
    into.segment(target.start, target.size) = x.segment(source.start, source.size);
  }
}

namespace {

constexpr double kOffPlane = 1e-9;  // m, rad: rounding

/// Pitch and its rate of a foot that stays in the plane.
std::pair<double, double> pitch_of(const WalkerDescription& w, const Pose& X, const Eigen::VectorXd& V) {
  const Matrix3<double>& R = X.rotation().matrix();
  if (std::abs(1.0 - R(1, 1)) > kOffPlane || std::abs(V[1]) + std::abs(V[3]) + std::abs(V[5]) > kOffPlane)
    throw Error(fmt::format("walker '{}' walks in the plane of x and z: this state leaves it", w.name));
  return {std::atan2(R(0, 2), R(0, 0)), V[4]};
}

}  // namespace

std::pair<OwnedVector, OwnedVector> hung_by(const WalkerDescription& walker, const Foot& foot,
                                            const Mechanism& from, Workspace& work, const VectorRef& q,
                                            const VectorRef& v, const Mechanism& to) {
  const std::string place = foot_frame(foot.name);
  OwnedVector q_to(to.nq()), v_to(to.nv());
  copy_joints(from, q, to, q_to, false), copy_joints(from, v, to, v_to, true);
  const Pose X = pose(from, work, q, place);
  const Eigen::VectorXd V = jacobian(from, work, q, place, {.frame = JacobianFrame::aligned}) * v;
  const Vector3<double> p = X.translation() - Vector3<double>(0.0, 0.0, foot.radius);
  if (walker.planar) {
    q_to.head(2) << p.x(), p.z();
    v_to.head(2) << V[0], V[2];
    std::tie(q_to[2], v_to[2]) = pitch_of(walker, X, V);
  } else {
    const FootAngles turned = foot_angles(from, work, q, v, place, false, false);
    q_to.head(6) << p, turned.angles;
    v_to.head(6) << V.head(3), turned.rates;
  }
  return {q_to, v_to};
}

void move_on_floor(const FloorPlace& place, bool planar, OwnedVector& q, OwnedVector& v) {
  q[planar ? 1 : 2] += place.z;
  if (planar) {
    q[0] += place.x;
    return;
  }
  const FloorPlace moved = place.then({.x = q[0], .y = q[1], .turn = q[3]});
  const FloorPlace velocity = FloorPlace{.turn = place.turn}.then({.x = v[0], .y = v[1]});
  q[0] = moved.x, q[1] = moved.y, q[3] = moved.turn;
  v[0] = velocity.x, v[1] = velocity.y;
}

}  // namespace amble
