#include "amble/mechanism/edit.hpp"

#include <fmt/format.h>

#include "amble/mechanism/joints/list.hpp"

namespace amble {

namespace {

/// Recompiled under the rule the mechanism was made by: what a file was forgiven stays forgiven.
Mechanism recompile(const Mechanism& original, ModelDescription description) {
  const bool forgiven = any_at_least(original.findings(), Severity::physics);
  std::erase_if(description.findings, [](const Problem& p) { return p.severity == Severity::physics; });  // found anew
  return compile(std::move(description), forgiven ? Physics::warn : Physics::refuse);
}

template <class Items>
auto& item(Items& items, std::string_view name) {
  return *std::find_if(items.begin(), items.end(), [&](const auto& i) { return i.name == name; });
}

void check_payload(const Inertia<double>& inertia, const char* what) {
  if (const std::string problem = inertia_problem(inertia); !problem.empty()) throw Error(std::string(what) + ": " + problem);
}

/// X_FM in the user's frame F.
Pose joint_motion(const Joint& joint, const double* q) {
  const Pose X_N = visit_joint(joint.kind, joint.parameters, [&](const auto& j) { return j.pose(q); });
  const Pose R(joint.R_FN);
  return R * X_N * R.inverse();
}

void lock(ModelDescription& description, const Joint& joint, const double* q) {
  JointDescription& j = item(description.joints, joint.name);
  j.X_PF = j.X_PF * joint_motion(joint, q);
  j.type = Fixed::kName;
  j.properties = {};
  j.mimic.reset();
  j.custom.reset();
}

std::vector<double> checked_coordinates(const Joint& joint, const std::vector<double>& given) {
  if (joint.leader >= 0)
    throw Error(fmt::format("joint '{}' follows another joint and cannot be locked by itself", joint.name));
  if (joint.link < 0) throw Error(fmt::format("joint '{}' is fixed already", joint.name));
  if (static_cast<int>(given.size()) != joint.q.size)
    throw Error(fmt::format("joint '{}' is locked by {} numbers, expected {}", joint.name, given.size(), joint.q.size));
  for (double x : given)
    if (!std::isfinite(x)) throw Error(fmt::format("joint '{}' is locked at {}", joint.name, x));
  std::vector<double> q(given.size());
  const double off = visit_joint(joint.kind, joint.parameters, [&](const auto& j) { return j.project(given.data(), q.data()); });
  if (!(off <= 1e-6)) throw Error(fmt::format("joint '{}' is locked by a quaternion that is not unit", joint.name));
  return q;
}

}  // namespace

Pose joint_pose(const Joint& joint, const double* q) {
  return joint.X_PF * joint_motion(joint, q) * joint.X_CM.inverse();
}

Mechanism with_gravity(const Mechanism& mechanism, const Vector3<double>& gravity) {
  ModelDescription d = mechanism.description();
  d.gravity = gravity;
  return recompile(mechanism, std::move(d));
}

Mechanism with_locked(const Mechanism& mechanism, const std::map<std::string, std::vector<double>>& joints) {
  ModelDescription d = mechanism.description();
  for (const auto& [name, given] : joints) {
    const int index = mechanism.joint_index(name);
    const std::vector<double> q = checked_coordinates(mechanism.joints()[index], given);
    lock(d, mechanism.joints()[index], q.data());
    for (const Joint& follower : mechanism.joints()) {
      if (follower.leader != index) continue;
      const double at = follower.ratio * q[0] + follower.offset;
      lock(d, follower, &at);
    }
  }
  return recompile(mechanism, std::move(d));
}

Mechanism with_payload(const Mechanism& mechanism, std::string_view place, const Inertia<double>& payload) {
  check_payload(payload, "payload");
  const Place at = mechanism.place(place);
  if (at.body < 0) throw Error("a payload needs a body; the world cannot carry one");
  const Body& body = mechanism.bodies()[at.body];
  ModelDescription d = mechanism.description();
  BodyDescription& b = item(d.bodies, body.name);
  b.inertia = b.inertia + body.X_LB.inverse() * at.X_LP * payload;
  return recompile(mechanism, std::move(d));
}

Mechanism with_inertia(const Mechanism& mechanism, std::string_view body, const Inertia<double>& inertia) {
  check_payload(inertia, "inertia");
  const int index = mechanism.body_index(body);
  if (index < 0) throw Error("the world has no inertia to change");
  ModelDescription d = mechanism.description();
  item(d.bodies, body).inertia = inertia;
  return recompile(mechanism, std::move(d));
}

Mechanism with_properties(const Mechanism& mechanism, std::string_view joint, const JointProperties& properties) {
  mechanism.joint_index(joint);
  ModelDescription d = mechanism.description();
  item(d.joints, joint).properties = properties;
  return recompile(mechanism, std::move(d));
}

}  // namespace amble
