#include <fmt/format.h>

#include "amble/base/names.hpp"
#include "amble/io/mjcf/orientation.hpp"
#include "amble/io/mjcf/tendons.hpp"

// What ties bodies and joints together.
namespace amble {

namespace {

class EqualityDescriber {
 public:
  EqualityDescriber(MjcfDescriber& d, const std::vector<CompiledTendon>& tendons, bool mimic)
      : d_(d), tendons_(tendons), tendon_names_(tendons), mimic_(mimic), names_(d.model) {
    for (JointDescription& j : d.out.joints) joints_.emplace(j.name, &j);
  }

  void add(const MjcfElement& e) {
    if (e.tag == MjcfTag::unread) return;
    const MjcfValues values = source_of(e).classes->values(e);
    const std::string name =
        e.tag == MjcfTag::connect || e.tag == MjcfTag::weld ? d_.names.loop(e.get("name")) : "";
    if (!d_.model.options.equalities || !values.flag("active", true))
      return d_.say(Severity::note, e, "not used: it is switched off");
    if (d_.model.has_unread_bodies && names_what_is_not_there(values))
      return d_.say(Severity::warning, e, "not used: it names what is not read");
    switch (e.tag) {
      case MjcfTag::connect:
        return add_connect(values, name);
      case MjcfTag::weld:
        return add_weld(values, name);
      case MjcfTag::joint_equality:
        return add_joint_coupling(values);
      default:
        return add_tendon_coupling(values);
    }
  }

 private:
  const MjcfSource& source_of(const MjcfElement& e) const {
    return *d_.sources[static_cast<std::size_t>(e.model)];
  }
  const CompiledBody& body(int index) const { return d_.model.bodies[static_cast<std::size_t>(index)]; }

  /// The world where the element names none.
  int body_named(const MjcfValues& e, const char* attribute) const {
    const std::string name = e.text(attribute, "world");
    const int index = names_.body(name);
    if (index < 0)
      refuse(e.element(),
             fmt::format("there is no body '{}'{}", name, suggestion(name, names_.body_names())));
    return index;
  }

  bool names_what_is_not_there(const MjcfValues& e) const {
    int body = 0;
    for (const char* attribute : {"body1", "body2"})
      if (e.has(attribute) && names_.body(e.text(attribute)) < 0) return true;
    for (const char* attribute : {"site1", "site2"})
      if (e.has(attribute) && names_.site(e.text(attribute), body) == nullptr) return true;
    for (const char* attribute : {"joint1", "joint2"})
      if (e.has(attribute) && names_.joint(e.text(attribute)) == nullptr) return true;
    for (const char* attribute : {"tendon1", "tendon2"})
      if (e.has(attribute) && tendon_names_.find(e.text(attribute)) < 0) return true;
    return false;
  }

  void check_bodies(const MjcfValues& e) const {
    if (!e.has("body1")) refuse(e.element(), "has neither body1 nor site1");
  }

  void add_connect(const MjcfValues& e, const std::string& name) {
    if (e.has("site1") || e.has("site2")) return add_sites(e, name, "spherical");
    check_bodies(e);
    if (!e.has("anchor")) refuse(e.element(), "has no anchor");
    const int a = body_named(e, "body1"), b = body_named(e, "body2");
    const Vector3<double> in_a = e.vector("anchor");
    const Vector3<double> in_b = body(b).X_WB.inverse() * Vector3<double>(body(a).X_WB * in_a);
    add_loop(e, {name, "spherical", d_.names.body(a), d_.names.body(b), Pose(in_a), Pose(in_b)});
  }

  /// The anchor in body 2 is to be at relpose's point of body 1, with body 2 turned as relpose says; a zero
  /// quaternion stands for where both are at qpos0.
  void add_weld(const MjcfValues& e, const std::string& name) {
    if (e.has("site1") || e.has("site2")) return add_sites(e, name, "fixed");
    check_bodies(e);
    const int a = body_named(e, "body1"), b = body_named(e, "body2");
    const auto x = e.numbers<7>("relpose", {0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0});
    const Pose anchor(e.vector("anchor"));
    const bool drawn = x[3] == 0.0 && x[4] == 0.0 && x[5] == 0.0 && x[6] == 0.0;
    const Pose X_AF = drawn ? body(a).X_WB.inverse() * body(b).X_WB * anchor
                            : Pose(mjcf_rotation(e.element(), x.data() + 3), {x[0], x[1], x[2]});
    add_loop(e, {name, "fixed", d_.names.body(a), d_.names.body(b), X_AF, anchor});
  }

  void add_sites(const MjcfValues& e, const std::string& name, const std::string& type) {
    int a = 0, b = 0;
    const CompiledSite& first = site(e, "site1", a);
    const CompiledSite& second = site(e, "site2", b);
    add_loop(e, {name, type, d_.names.body(a), d_.names.body(b), first.X_BS, second.X_BS});
  }

  const CompiledSite& site(const MjcfValues& e, const char* attribute, int& on) const {
    const CompiledSite* found = names_.site(e.text(attribute), on);
    if (found == nullptr)
      refuse(e.element(), fmt::format("{} '{}' does not exist", attribute, e.text(attribute)));
    return *found;
  }

  void add_loop(const MjcfValues& e, LoopDescription loop) {
    loop.line = d_.line(e.element());
    if (loop.body_a == loop.body_b)
      return d_.say(Severity::warning, e.element(),
                    fmt::format("not used: it joins body '{}' to itself", loop.body_a));
    d_.out.loops.push_back(std::move(loop));
  }

  const CompiledJoint& joint(const MjcfValues& e, const char* attribute) const {
    const std::string name = e.text(attribute);
    const CompiledJoint* found = names_.joint(name);
    if (found == nullptr)
      refuse(e.element(),
             fmt::format("there is no joint '{}'{}", name, suggestion(name, names_.joint_names())));
    return *found;
  }

  const CompiledTendon& tendon(const MjcfValues& e, const char* attribute, std::string& name) const {
    const auto index = static_cast<std::size_t>(tendon_names_.find(e.element(), e.text(attribute)));
    name = d_.out.tendons[index].name;
    return tendons_[index];
  }

  /// y - y0 = c0 + c1 (x - x0) + ... + c4 (x - x0)^4, where x0 and y0 are the joints' ref. A linear one makes
  /// the joint follow, unless both are to keep their coordinates.
  void add_joint_coupling(const MjcfValues& e) {
    const CompiledJoint& y = joint(e, "joint1");
    const CompiledJoint* x = e.has("joint2") ? &joint(e, "joint2") : nullptr;
    for (const CompiledJoint* j : {&y, x})
      if (j != nullptr && j->freedoms() != 1)
        refuse(e.element(), fmt::format("joint '{}' has not one degree of freedom", j->name));
    const auto c = coefficients(e);
    JointDescription& on = *joints_.at(d_.names.joint(&y));
    const bool linear = c[2] == 0.0 && c[3] == 0.0 && c[4] == 0.0;
    if (mimic_ && linear && x != nullptr && x != &y && !on.mimic && !leads_back(d_.names.joint(x), on.name)) {
      on.mimic = Mimic{d_.names.joint(x), c[1], y.ref + c[0] - c[1] * x->ref};
      return;
    }
    CouplingDescription out;
    out.y = on.name, out.y0 = y.ref;
    if (x != nullptr) out.x = d_.names.joint(x), out.x0 = x->ref;
    add_coupling(e, out);
  }

  void add_tendon_coupling(const MjcfValues& e) {
    CouplingDescription out;
    out.tendons = true;
    out.y0 = length(tendon(e, "tendon1", out.y));
    if (e.has("tendon2")) out.x0 = length(tendon(e, "tendon2", out.x));
    add_coupling(e, out);
  }

  /// At qpos0.
  double length(const CompiledTendon& t) const {
    return drawn_length(t, d_.model, [](const TendonPiece&) {});
  }

  static std::array<double, 5> coefficients(const MjcfValues& e) {
    return e.numbers<5>("polycoef", {0.0, 1.0, 0.0, 0.0, 0.0});
  }

  /// Without x, y stays at y0 + c0.
  void add_coupling(const MjcfValues& e, CouplingDescription out) {
    out.coefficients = coefficients(e);
    if (out.x.empty()) out.coefficients = {out.coefficients[0]};
    out.name = d_.names.loop(e.text("name"));
    out.line = d_.line(e.element());
    d_.out.couplings.push_back(std::move(out));
  }

  /// Whether the joint follows that one, so that it cannot lead it.
  bool leads_back(std::string joint, const std::string& to) const {
    for (std::size_t steps = 0; steps <= joints_.size(); ++steps) {
      if (joint == to) return true;
      const auto& mimic = joints_.at(joint)->mimic;
      if (!mimic) return false;
      joint = mimic->leader;
    }
    return true;
  }

  MjcfDescriber& d_;
  const std::vector<CompiledTendon>& tendons_;
  const TendonNames tendon_names_;
  const bool mimic_;
  const CompiledNames names_;
  std::map<std::string, JointDescription*> joints_;
};

}  // namespace

void describe_equalities(MjcfDescriber& d, const std::vector<CompiledTendon>& tendons, bool mimic) {
  EqualityDescriber describer(d, tendons, mimic);
  for (const MjcfElement& section : d.sources[0]->root.children)
    if (section.name == "equality")
      for (const MjcfElement& e : section.children) describer.add(e);
}

}  // namespace amble
