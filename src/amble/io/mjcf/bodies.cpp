#include <fmt/format.h>

#include <algorithm>

#include "amble/io/mjcf/describe.hpp"
#include "amble/io/mjcf/unused.hpp"
#include "amble/io/start_note.hpp"
#include "amble/io/xml/numbers.hpp"

// Bodies and joints. MJCF stacks any number of joints on one body: with X_PB the body's pose in its parent,
// and p_k the anchor of joint k in the body, the body is at X_PB prod_k T(p_k) J_k(q_k) T(-p_k), the first
// joint nearest to the parent. Each factor becomes a joint with X_CM = T(p_k), all but the last on an
// auxiliary body.
namespace amble {

namespace {

using Type = CompiledJoint::Type;

const char* type_name(Type type) {
  constexpr const char* kNames[] = {"free", "spherical", "prismatic", "revolute"};
  return kNames[static_cast<int>(type)];
}

/// Empty when it is zero, which is the default of every property that starts here.
std::vector<double> unless_zero(double x, int count) {
  return x == 0.0 ? std::vector<double>{} : std::vector<double>(static_cast<std::size_t>(count), x);
}

/// Fields of the <custom> section by name, in which the writer says what MJCF has no element for.
class CustomFields {
 public:
  explicit CustomFields(const MjcfElement& root) {
    for (const MjcfElement& section : root.children)
      if (section.name == "custom")
        for (const MjcfElement& field : section.children)
          fields_.emplace(field.get("name"), field.get("data"));
  }
  std::string text(const std::string& name) const {
    const auto found = fields_.find(name);
    return found == fields_.end() ? "" : found->second;
  }
  std::vector<double> limit(const std::string& name, int count) const {
    auto numbers = parse_numbers(text(name)).value_or(std::vector<double>{});
    return static_cast<int>(numbers.size()) == count ? numbers : std::vector<double>{};
  }

 private:
  std::map<std::string, std::string> fields_;
};

class BodyDescriber {
 public:
  explicit BodyDescriber(MjcfDescriber& d) : d_(d), out_(d.out), custom_(d.sources[0]->root) {}

  void add(int index) {
    const CompiledBody& body = d_.model.bodies[static_cast<std::size_t>(index)];
    Pose X_PB = body.X_PB;
    std::string parent = d_.names.body(body.parent);
    const std::string name = d_.names.body(index);
    if (body.joints.empty()) add_fixed(body, name, parent);
    for (std::size_t k = 0; k < body.joints.size(); ++k) {
      const bool last = k + 1 == body.joints.size();
      const std::string child = last ? name : d_.names.new_body(fmt::format("{}_aux_{}", name, k + 1));
      if (!last) add_auxiliary(body, child);
      add_joint(body, body.joints[k], parent, child, X_PB);
      parent = child, X_PB = Pose();
    }
    out_.bodies.push_back({name, inertia(body), {}, {}, false, d_.line(*body.element), compensation(body)});
    if (body.mocap) d_.say(Severity::note, *body.element, "not moved from outside (mocap): fixed");
  }

 private:
  void add_auxiliary(const CompiledBody& body, const std::string& name) {
    BodyDescription auxiliary;
    auxiliary.name = name;
    auxiliary.auxiliary = true;
    auxiliary.line = d_.line(*body.element);
    out_.bodies.push_back(auxiliary);
  }

  void add_fixed(const CompiledBody& body, const std::string& name, const std::string& parent) {
    const std::string given = custom_.text(kMjcfFixedJoint + name);
    JointDescription joint;
    joint.name = d_.names.new_joint(given.empty() ? name + "_fixed" : given);
    joint.type = "fixed";
    joint.parent = parent;
    joint.child = name;
    joint.X_PF = body.X_PB;
    joint.line = d_.line(*body.element);
    out_.joints.push_back(joint);
  }

  void add_joint(const CompiledBody& body, const CompiledJoint& j, const std::string& parent,
                 const std::string& child, const Pose& X_PB) {
    JointDescription joint;
    joint.name = d_.names.joint(&j);
    joint.type = type_name(j.type);
    joint.parent = parent;
    joint.child = child;
    joint.line = d_.line(*j.element);
    joint.properties = properties(j, joint.name);
    // A free joint's q is the body's pose in the world, in MuJoCo as here: its frame is the world's.
    if (j.type == Type::free)
      note_start(body, joint.name);
    else
      place(j, X_PB, joint);
    out_.joints.push_back(joint);
  }

  /// MuJoCo's q is `ref` at the pose the file draws; here the joint's two frames coincide at q = 0.
  static void place(const CompiledJoint& j, const Pose& X_PB, JointDescription& joint) {
    const Pose anchor(j.anchor);
    joint.X_CM = anchor;
    joint.X_PF = X_PB * anchor;
    if (j.type == Type::ball) return;
    joint.axis = j.axis;
    if (j.ref == 0.0) return;
    const Vector3<double> back = -j.ref * joint.axis;
    joint.X_PF = joint.X_PF * (j.type == Type::hinge ? Pose(SO3<double>::exp(back)) : Pose(back));
  }

  void note_start(const CompiledBody& body, const std::string& joint) {
    if (body.X_WB.matrix() != Matrix4<double>::Identity())
      d_.say(Severity::note, *body.element, start_note(body.X_WB, joint));
  }

  JointProperties properties(const CompiledJoint& j, const std::string& name) {
    const MjcfOptions& options = d_.model.options;
    const int nv = j.freedoms();
    JointProperties p;
    if (options.dampers) p.damping = unless_zero(j.damping[0], nv);
    if (options.springs) add_spring(j, p);
    if (options.friction) p.friction = unless_zero(j.frictionloss, nv);
    p.armature = unless_zero(j.armature, nv);
    if (j.type != Type::free) add_polynomials(j, p);
    if (j.force && nv == 1) p.drive_range = {(*j.force)[0], (*j.force)[1]};
    p.compensated_by_drives = j.drives_compensate_gravity;
    if (j.range && options.limits) add_limits(j, p);
    p.velocity = custom_.limit(kMjcfVelocityLimit + name, nv);
    p.effort = custom_.limit(kMjcfEffortLimit + name, nv);
    return p;
  }

  void add_limits(const CompiledJoint& j, JointProperties& p) {
    if (j.type == Type::ball) return d_.say(Severity::warning, *j.element, "range of a ball joint: not used");
    p.lower = {(*j.range)[0]};
    p.upper = {(*j.range)[1]};
  }

  void add_polynomials(const CompiledJoint& j, JointProperties& p) const {
    const auto higher = [](const std::array<double, 3>& c) {
      return c[1] == 0.0 && c[2] == 0.0 ? std::vector<double>{} : std::vector<double>{c[1], c[2]};
    };
    if (d_.model.options.springs) p.stiffness_polynomial = higher(j.stiffness);
    if (d_.model.options.dampers) p.damping_polynomial = higher(j.damping);
  }

  void add_spring(const CompiledJoint& j, JointProperties& p) {
    if (j.stiffness == std::array{0.0, 0.0, 0.0}) return;
    if (j.type == Type::free)
      return d_.say(Severity::warning, *j.element, "spring of a free joint: not used");
    p.stiffness = unless_zero(j.stiffness[0], j.freedoms());
    // A polynomial without a first number needs it too.
    p.reference.assign(static_cast<std::size_t>(j.freedoms()), j.freedoms() == 1 ? j.springref : 0.0);
  }

  /// Without springs and dampers MuJoCo leaves out all passive forces.
  double compensation(const CompiledBody& body) const {
    return d_.model.options.springs || d_.model.options.dampers ? body.gravity_compensation : 0.0;
  }

  static Inertia<double> inertia(const CompiledBody& body) {
    const Matrix3<double>& R = body.X_BI.rotation().matrix();
    const Matrix3<double> I = R * body.moments.asDiagonal() * R.transpose();
    return Inertia<double>::from_com(body.mass, body.X_BI.translation(), 0.5 * (I + I.transpose()));
  }

  MjcfDescriber& d_;
  ModelDescription& out_;
  const CustomFields custom_;
};

}  // namespace

void describe_bodies(MjcfDescriber& d) {
  BodyDescriber describer(d);
  for (std::size_t i = 1; i < d.model.bodies.size(); ++i) describer.add(static_cast<int>(i));
}

}  // namespace amble
