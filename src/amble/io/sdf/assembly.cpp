#include "amble/io/sdf/assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/io/start_note.hpp"

namespace amble {

namespace {

/// Bodies that hang together through joints, each group under one representative.
class Groups {
 public:
  explicit Groups(const ModelDescription& model) {
    for (const JointDescription& j : model.joints) parent_[root(j.parent)] = root(j.child);
  }
  std::string root(const std::string& body) {
    std::string at = body;
    for (auto next = parent_.find(at); next != parent_.end() && next->second != at; next = parent_.find(at))
      at = next->second;
    if (at != body) parent_[body] = at;
    return at;
  }

 private:
  std::map<std::string, std::string> parent_;
};

/// Bodies that are no joint's child, and the first body of each group that hangs on nothing because its
/// joints form a ring; in the order of the file.
std::vector<std::string> loose_bodies(const ModelDescription& model) {
  std::set<std::string> children;
  for (const JointDescription& j : model.joints) children.insert(j.child);
  Groups groups(model);
  std::set<std::string> held{groups.root(kWorld)};
  for (const BodyDescription& b : model.bodies)
    if (!children.contains(b.name)) held.insert(groups.root(b.name));
  std::vector<std::string> out;
  for (const BodyDescription& b : model.bodies)
    if (!children.contains(b.name) || held.insert(groups.root(b.name)).second) out.push_back(b.name);
  return out;
}

bool is_identity(const Pose& X) { return X.matrix() == Matrix4<double>::Identity(); }

/// Makes the joints between the world and bodies that no joint of the file holds.
class WorldJoints {
 public:
  explicit WorldJoints(SdfAssembly& assembly) : assembly_(assembly) {
    for (const JointDescription& j : assembly.model.joints) names_.insert(j.name);
    for (const BodyDescription& b : assembly.model.bodies) lines_[b.name] = b.line;
  }

  /// At q = the pose of the file the body is where the file places it.
  void add_free(const std::string& name, const std::string& body) {
    const JointDescription& j = add("free", name, body);
    if (const Pose& X_WB = assembly_.X_WB.at(body); !is_identity(X_WB))
      assembly_.model.findings.push_back({Severity::note, assembly_.model.file, j.line,
                                          fmt::format("link '{}'", body), start_note(X_WB, j.name)});
  }
  void add_fixed(const std::string& body) {
    if (const Pose& X_WB = assembly_.X_WB.at(body); !is_identity(X_WB))
      add("fixed", body + "_fixed", body).X_PF = X_WB;
  }

  /// In front: where joints form a ring, these hold and the others close it.
  void put_in_front() {
    auto& all = assembly_.model.joints;
    all.insert(all.begin(), std::make_move_iterator(joints_.begin()), std::make_move_iterator(joints_.end()));
  }

 private:
  JointDescription& add(const std::string& type, std::string name, const std::string& body) {
    while (!names_.insert(name).second) name += "_";
    return joints_.emplace_back(JointDescription{
        .name = name, .type = type, .parent = kWorld, .child = body, .line = lines_.at(body)});
  }

  SdfAssembly& assembly_;
  std::set<std::string> names_;
  std::map<std::string, int> lines_;
  std::vector<JointDescription> joints_;
};

const JointDescription* hinge_between(const ModelDescription& model, const std::string& a,
                                      const std::string& b) {
  for (const JointDescription& j : model.joints) {
    const bool hinge = j.type == "revolute" || j.type == "continuous";
    if (hinge && ((j.parent == a && j.child == b) || (j.parent == b && j.child == a))) return &j;
  }
  return nullptr;
}

/// +1 when the angle from `reference` about `axis_W` is the hinge's q, -1 when it is -q, 0 when it is
/// neither.
double sense(const SdfAssembly& assembly, const JointDescription& hinge, const std::string& reference,
             const Vector3<double>& axis_W) {
  constexpr double kParallel = 1e-6;
  const Pose X_WC = assembly.X_WB.at(hinge.child);
  const Vector3<double> hinge_W = (X_WC * hinge.X_CM).rotation() * hinge.axis;
  if (cross<double>(hinge_W, axis_W).norm() > kParallel) return 0.0;
  const double along = hinge_W.dot(axis_W) > 0.0 ? 1.0 : -1.0;
  return hinge.parent == reference ? along : -along;
}

/// Why a gearbox cannot be used; empty when its follower follows now.
std::string couple(SdfAssembly& assembly, const SdfGearbox& g) {
  const auto none = [&](const std::string& body) {
    return fmt::format("no revolute joint connects its gearbox_reference_body '{}' and '{}'", g.reference,
                       body);
  };
  const JointDescription* leader = hinge_between(assembly.model, g.reference, g.parent);
  const JointDescription* found = hinge_between(assembly.model, g.reference, g.child);
  if (leader == nullptr) return none(g.parent);
  if (found == nullptr) return none(g.child);
  const double s1 = sense(assembly, *leader, g.reference, g.axis_W);
  const double s2 = sense(assembly, *found, g.reference, g.axis2_W);
  if (s1 == 0.0) return fmt::format("its axis is not that of joint '{}'", leader->name);
  if (s2 == 0.0) return fmt::format("its axis2 is not that of joint '{}'", found->name);
  JointDescription& follower =
      assembly.model.joints[static_cast<std::size_t>(found - assembly.model.joints.data())];
  if (follower.mimic)
    return fmt::format("joint '{}' follows '{}' already", follower.name, follower.mimic->leader);
  follower.mimic = Mimic{leader->name, -g.ratio * s1 * s2, 0.0};
  return {};
}

}  // namespace

void hold_loose_bodies(SdfAssembly& assembly, Base base) {
  const std::vector<std::string> loose = loose_bodies(assembly.model);
  const auto is_fixed = [&](const std::string& body) {
    return base == Base::fixed || assembly.still.contains(body);
  };
  const auto free_count =
      std::count_if(loose.begin(), loose.end(), [&](const auto& b) { return !is_fixed(b); });
  WorldJoints joints(assembly);
  for (const std::string& body : loose) {
    if (is_fixed(body))
      joints.add_fixed(body);
    else
      joints.add_free(free_count == 1 ? "root_joint" : body + "_free", body);
  }
  joints.put_in_front();
}

void couple_gearboxes(SdfAssembly& assembly, Problems& errors) {
  for (const SdfGearbox& g : assembly.gearboxes) {
    const std::string reason = couple(assembly, g);
    if (!reason.empty())
      errors.push_back(
          {Severity::error, assembly.model.file, g.line, fmt::format("joint '{}'", g.name), reason});
  }
}

}  // namespace amble
