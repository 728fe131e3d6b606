#include "amble/mechanism/edit.hpp"

#include <fmt/format.h>

#include <set>

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

/// A tendon keeps what a locked joint adds to its length; a coupling keeps the other joint where this one
/// stands.
void lock_references(ModelDescription& description, const std::string& joint, double q) {
  for (TendonDescription& t : description.tendons)
    for (TendonJoint& term : t.joints)
      if (term.joint == joint) t.offset += term.coefficient * q, term.coefficient = 0.0;
  for (TendonDescription& t : description.tendons)
    std::erase_if(t.joints, [&](const TendonJoint& term) { return term.joint == joint; });
  for (CouplingDescription& c : description.couplings) {
    if (c.tendons) continue;
    std::array<double, 5>& k = c.coefficients;
    const double x = q - c.x0;
    if (c.x == joint) k = {k[0] + x * (k[1] + x * (k[2] + x * (k[3] + x * k[4])))}, c.x.clear();
    if (c.y == joint) k[0] -= q - c.y0, c.y.clear();
  }
  std::erase_if(description.couplings,
                [](const CouplingDescription& c) { return c.y.empty() && c.x.empty(); });
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

/// What stands fixed without a joint gets one.
ModelDescription put_at(const Pose& X_WO, ModelDescription d) {
  std::set<std::string> held{kWorld};
  for (const JointDescription& j : d.joints) held.insert(j.child);
  for (const BodyDescription& b : d.bodies)
    if (!held.contains(b.name)) {
      JointDescription stand;
      stand.name = b.name + "_stand", stand.type = Fixed::kName, stand.parent = kWorld, stand.child = b.name;
      d.joints.push_back(stand);
    }
  for (JointDescription& j : d.joints)
    if (j.parent == kWorld) j.X_PF = X_WO * j.X_PF;
  for (std::vector<PlacedShape>* shapes : {&d.world_visuals, &d.world_collisions})
    for (PlacedShape& shape : *shapes) shape.X_BS = X_WO * shape.X_BS;
  for (FrameDescription& f : d.frames)
    if (f.body == kWorld) f.X_BF = X_WO * f.X_BF;
  for (LoopDescription& l : d.loops) {
    if (l.body_a == kWorld) l.X_AF = X_WO * l.X_AF;
    if (l.body_b == kWorld) l.X_BM = X_WO * l.X_BM;
  }
  for (SpringDescription& s : d.springs) {
    if (s.body_a == kWorld) s.point_a = X_WO * s.point_a;
    if (s.body_b == kWorld) s.point_b = X_WO * s.point_b;
  }
  for (TendonDescription& t : d.tendons)
    for (TendonPoint& p : t.path) {
      if (p.body == kWorld) p.X_BP = X_WO * p.X_BP;
      if (p.side_body == kWorld) p.side = X_WO * p.side;
    }
  return d;
}

/// Adds what an object has to what is there. Names are found by field: bodies, then what refers to them.
class Joining {
 public:
  Joining(ModelDescription& into, const std::string& name) : into_(into), name_(name) {
    for (const auto& x : into.bodies) taken_.insert(x.name);
    for (const auto& x : into.joints) taken_.insert(x.name);
    for (const auto& x : into.loops) taken_.insert(x.name);
    for (const auto& x : into.springs) taken_.insert(x.name);
    for (const auto& x : into.rollings) taken_.insert(x.name);
    for (const auto& x : into.frames) taken_.insert(x.name);
    for (const auto& x : into.couplings) taken_.insert(x.name);
  }
  void add(ModelDescription d) {
    for (BodyDescription& x : d.bodies) if (x.name != kWorld) x.name = named(x.name), into_.bodies.push_back(x);
    for (JointDescription& x : d.joints) x.name = named(x.name);
    for (JointDescription& x : d.joints) {
      x.parent = now(x.parent), x.child = now(x.child);
      if (x.mimic) x.mimic->leader = now(x.mimic->leader);
      into_.joints.push_back(x);
    }
    for (LoopDescription& x : d.loops) x.name = named(x.name), x.body_a = now(x.body_a), x.body_b = now(x.body_b), into_.loops.push_back(x);
    for (SpringDescription& x : d.springs) x.name = named(x.name), x.body_a = now(x.body_a), x.body_b = now(x.body_b), into_.springs.push_back(x);
    for (RollingDescription& x : d.rollings) x.name = named(x.name), x.body = now(x.body), into_.rollings.push_back(x);
    for (FrameDescription& x : d.frames) x.name = named(x.name), x.body = now(x.body), into_.frames.push_back(x);
    add_tendons(d), add_couplings(d);
    add_drives(d);
    add_contact(d.contact);
    into_.world_visuals.insert(into_.world_visuals.end(), d.world_visuals.begin(), d.world_visuals.end());
    into_.world_collisions.insert(into_.world_collisions.end(), d.world_collisions.begin(), d.world_collisions.end());
    into_.findings.insert(into_.findings.end(), d.findings.begin(), d.findings.end());
  }

 private:
  void add_contact(const ContactRules& rules) {
    for (ContactPairDescription x : rules.pairs) x.a.body = now(x.a.body), x.b.body = now(x.b.body), into_.contact.pairs.push_back(x);
    for (ContactExclusion x : rules.exclusions)
      x.body_a = now(x.body_a), x.body_b = now(x.body_b), into_.contact.exclusions.push_back(x);
    into_.contact.neighbors_touch |= rules.neighbors_touch;
  }
  /// Keyframes of the object are states of it alone and stay behind; those that were there get its drives unmoved.
  void add_drives(ModelDescription& d) {
    std::set<std::string> drives;
    for (const auto& x : into_.drives) drives.insert(x.name);
    for (DriveDescription& x : d.drives) {
      if (drives.contains(x.name)) x.name = name_ + "_" + x.name;
      x.joint = now(x.joint), x.frame = now(x.frame), x.reference = now(x.reference),
      x.slider = now(x.slider);
      x.tendon = tendon_now(x.tendon), into_.drives.push_back(x);
    }
    const bool dynamic = std::any_of(d.drives.begin(), d.drives.end(), [](const DriveDescription& x) {
      return x.dynamics != DriveDynamics::none;
    });
    for (KeyframeDescription& k : into_.keyframes)
      if (dynamic) k.activation.clear();  // there is none for the new ones
    for (KeyframeDescription& k : into_.keyframes)
      if (!k.ctrl.empty()) k.ctrl.resize(into_.drives.size(), 0.0);
  }
  /// Tendons have names of their own kind.
  void add_tendons(ModelDescription& d) {
    std::set<std::string> taken;
    for (const auto& x : into_.tendons) taken.insert(x.name);
    for (TendonDescription& x : d.tendons) {
      const std::string old = x.name;
      if (taken.contains(old)) x.name = name_ + "_" + old;
      tendons_[old] = x.name;
      for (TendonJoint& j : x.joints) j.joint = now(j.joint);
      for (TendonPoint& p : x.path) p.body = now(p.body), p.side_body = now(p.side_body);
      into_.tendons.push_back(x);
    }
  }
  void add_couplings(ModelDescription& d) {
    for (CouplingDescription& x : d.couplings) {
      x.name = named(x.name);
      x.y = x.tendons ? tendon_now(x.y) : now(x.y), x.x = x.tendons ? tendon_now(x.x) : now(x.x);
      into_.couplings.push_back(x);
    }
  }
  std::string tendon_now(const std::string& old) const {
    const auto at = tendons_.find(old);
    return at == tendons_.end() ? old : at->second;
  }
  std::string named(const std::string& old) {
    const std::string chosen = taken_.contains(old) ? name_ + "_" + old : old;
    if (!taken_.insert(chosen).second) throw Error(fmt::format("an object named '{}' is there already: '{}' is taken", name_, chosen));
    return renamed_[old] = chosen;
  }
  std::string now(const std::string& old) const {
    const auto at = renamed_.find(old);
    return at == renamed_.end() ? old : at->second;
  }

  ModelDescription& into_;
  const std::string& name_;
  std::set<std::string> taken_{kWorld};
  std::map<std::string, std::string> renamed_, tendons_;
};

}  // namespace

Mechanism with_object(const Mechanism& mechanism, const Mechanism& object, const std::string& name, const Pose& X_WO) {
  if (name.empty()) throw Error("an object has no name");
  if (!X_WO.matrix().allFinite()) throw Error(fmt::format("the place of '{}' is not finite", name));
  ModelDescription d = mechanism.description();
  Joining(d, name).add(put_at(X_WO, object.description()));
  return recompile(mechanism, std::move(d));
}

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
    if (q.size() == 1) lock_references(d, name, q[0]);
    for (const Joint& follower : mechanism.joints()) {
      if (follower.leader != index) continue;
      const double at = follower.ratio * q[0] + follower.offset;
      lock(d, follower, &at);
      lock_references(d, follower.name, at);
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
