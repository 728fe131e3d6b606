#include "amble/io/mjcf/tendons.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "amble/base/limits.hpp"
#include "amble/base/names.hpp"
#include "amble/io/mjcf/joints.hpp"

namespace amble {

namespace {

using Kind = TendonPoint::Kind;

/// Names what is not read, as a part of a deformable body.
struct NotThere {};

class TendonCompiler {
 public:
  TendonCompiler(const MjcfSources& sources, const CompiledModel& model, Problems& findings)
      : sources_(sources), model_(model), findings_(findings), names_(model) {}

  std::vector<CompiledTendon> run() {
    for (const MjcfElement& section : sources_[0]->root.children)
      if (section.name == "tendon")
        for (const MjcfElement& e : section.children)
          if (e.tag == MjcfTag::spatial_tendon || e.tag == MjcfTag::fixed_tendon) add(e);
    for (CompiledTendon& t : out_) set_rest(t);
    return std::move(out_);
  }

 private:
  const MjcfSource& source_of(const MjcfElement& e) const {
    return *sources_[static_cast<std::size_t>(e.model)];
  }

  void add(const MjcfElement& e) {
    check_limit(Limit::bodies, static_cast<double>(out_.size()), *e.file + ": the number of tendons");
    CompiledTendon t;
    t.element = &e, t.name = e.get("name");
    if (!t.name.empty() && !taken_.insert(t.name).second)
      refuse(e, fmt::format("repeated name '{}': there is a tendon of that name already", t.name));
    read_numbers(source_of(e).classes->values(e), source_of(e).settings, t);
    try {
      e.tag == MjcfTag::fixed_tendon ? read_joints(e, t) : read_path(e, t);
    } catch (const NotThere&) {
      findings_.push_back(e.problem(Severity::warning, "not used: it names what is not read"));
      return;
    }
    out_.push_back(std::move(t));
  }

  static void read_numbers(const MjcfValues& v, const MjcfSettings& settings, CompiledTendon& t) {
    t.stiffness = v.numbers<3>("stiffness"), t.damping = v.numbers<3>("damping");
    t.friction = v.number("frictionloss", 0.0), t.armature = v.number("armature", 0.0);
    t.rest = v.numbers<2>("springlength", {-1.0, -1.0});
    if (v.has("springlength") && t.rest[1] == -1.0) t.rest[1] = t.rest[0];
    t.raw_range = v.numbers<2>("range");
    t.range = mjcf_range(v, settings, "limited", "range");
    // Unlike all other ranges, this one is no limit unless the tendon says so: autolimits does not know it.
    if (v.has("actuatorfrclimited"))
      t.force = mjcf_range(v, settings, "actuatorfrclimited", "actuatorfrcrange");
    if (t.rest[1] < t.rest[0])
      refuse(v.element(), fmt::format("springlength is ({}, {}); expected a lower and a higher length",
                                      t.rest[0], t.rest[1]));
    for (const auto& [what, x] : {std::pair{"frictionloss", t.friction}, {"armature", t.armature}})
      if (x < 0.0) refuse(v.element(), fmt::format("{} is {}; expected 0 or more", what, x));
  }

  [[noreturn]] void unknown(const MjcfElement& e, const char* kind, const std::string& name) const {
    if (model_.has_unread_bodies) throw NotThere();
    refuse(e, fmt::format("there is no {} '{}'", kind, name));
  }

  void read_joints(const MjcfElement& e, CompiledTendon& t) const {
    for (const MjcfElement& child : e.children) {
      if (child.tag != MjcfTag::tendon_joint) continue;
      const std::string name = child.get("joint");
      const CompiledJoint* joint = names_.joint(name);
      if (joint == nullptr) unknown(child, "joint", name + suggestion(name, names_.joint_names()));
      if (joint->freedoms() != 1)
        refuse(child, fmt::format("joint '{}' has not one degree of freedom", name));
      if (child.find("coef") == nullptr) refuse(child, "has no coef");
      t.terms.push_back({joint, MjcfValues(child, nullptr).number("coef", 0.0)});
    }
    if (t.terms.empty()) refuse(e, "is a tendon over no joints");
  }

  void read_path(const MjcfElement& e, CompiledTendon& t) const {
    for (const MjcfElement& child : e.children) {
      if (child.tag == MjcfTag::tendon_site) t.path.push_back(site(child, "site"));
      if (child.tag == MjcfTag::tendon_geom) t.path.push_back(shape(child));
      if (child.tag == MjcfTag::tendon_pulley) t.path.push_back(pulley(child));
    }
    check_order(e, t.path);
  }

  CompiledTendon::Point site(const MjcfElement& e, const char* attribute) const {
    const std::string name = e.get(attribute);
    CompiledTendon::Point out;
    const CompiledSite* found = names_.site(name, out.body);
    if (found == nullptr) unknown(e, "site", name);
    out.X_BP = found->X_BS;
    return out;
  }

  CompiledTendon::Point shape(const MjcfElement& e) const {
    const std::string name = e.get("geom");
    CompiledTendon::Point out;
    const CompiledGeom* found = names_.geom(name, out.body);
    if (found == nullptr) unknown(e, "geom", name);
    const bool sphere = found->type == CompiledGeom::Type::sphere,
               cylinder = found->type == CompiledGeom::Type::cylinder;
    if (!sphere && !cylinder) refuse(e, fmt::format("geom '{}' is neither a sphere nor a cylinder", name));
    out.kind = sphere ? Kind::sphere : Kind::cylinder;
    out.X_BP = found->X_BX, out.radius = found->size[0];
    if (e.find("sidesite") == nullptr) return out;
    const CompiledTendon::Point side = site(e, "sidesite");
    out.side_body = side.body, out.side = side.X_BP.translation();
    return out;
  }

  static CompiledTendon::Point pulley(const MjcfElement& e) {
    CompiledTendon::Point out;
    out.kind = Kind::pulley, out.divisor = MjcfValues(e, nullptr).number("divisor", 0.0);
    if (!(out.divisor > 0.0)) refuse(e, fmt::format("divisor is {}; expected more than 0", out.divisor));
    return out;
  }

  /// Each branch, between pulleys, starts and ends at a site; a geom stands between two.
  static void check_order(const MjcfElement& e, const std::vector<CompiledTendon::Point>& path) {
    const auto is_site = [&](std::size_t i) { return i < path.size() && path[i].kind == Kind::point; };
    if (path.empty()) refuse(e, "is a tendon without a path");
    for (std::size_t i = 0; i < path.size(); ++i) {
      const bool wraps = path[i].kind == Kind::sphere || path[i].kind == Kind::cylinder;
      if (wraps && (i == 0 || !is_site(i - 1) || !is_site(i + 1)))
        refuse(e, "has a geom that does not stand between two sites");
      if (path[i].kind == Kind::pulley && i + 1 >= path.size()) refuse(e, "ends with a pulley");
    }
  }

  /// -1 stands for the length with all joints at their springref.
  void set_rest(CompiledTendon& t) {
    if (t.rest != std::array{-1.0, -1.0}) return;
    if (at_rest_.empty()) at_rest_ = poses_at_rest();
    const auto pose = [&](int body) -> const Pose& { return at_rest_[static_cast<std::size_t>(body)]; };
    t.rest.fill(compiled_length(
        t, pose, [](const CompiledJoint& j) { return j.springref; }, [](const TendonPiece&) {}));
  }

  std::vector<Pose> poses_at_rest() const {
    std::vector<Pose> X_WB{Pose()};
    for (std::size_t i = 1; i < model_.bodies.size(); ++i) {
      const CompiledBody& body = model_.bodies[i];
      Pose X = X_WB[static_cast<std::size_t>(body.parent)] * body.X_PB;
      for (const CompiledJoint& j : body.joints) {
        if (j.freedoms() != 1) continue;
        const Vector3<double> step = (j.springref - j.ref) * j.axis;
        const bool turns = j.type == CompiledJoint::Type::hinge;
        X = X * (turns ? Pose(j.anchor) * Pose(SO3<double>::exp(step)) * Pose(Vector3<double>(-j.anchor))
                       : Pose(step));
      }
      X_WB.push_back(X);
    }
    return X_WB;
  }

  const MjcfSources& sources_;
  const CompiledModel& model_;
  Problems& findings_;
  const CompiledNames names_;
  std::vector<CompiledTendon> out_;
  std::set<std::string> taken_;
  std::vector<Pose> at_rest_;  ///< of the bodies with all joints at their springref; empty until it is needed
};

std::vector<double> bounds(const MjcfRange& range) {
  return range ? std::vector<double>{(*range)[0], (*range)[1]} : std::vector<double>{};
}

TendonPoint described(const CompiledTendon::Point& p, const MjcfDescriber& d) {
  TendonPoint out;
  out.kind = p.kind, out.divisor = p.divisor;
  if (p.kind == Kind::pulley) return out;
  out.body = d.names.body(p.body), out.X_BP = p.X_BP, out.radius = p.radius;
  if (p.side_body >= 0) out.side_body = d.names.body(p.side_body), out.side = p.side;
  return out;
}

}  // namespace

std::vector<CompiledTendon> compile_tendons(const MjcfSources& sources, const CompiledModel& model,
                                            Problems& findings) {
  return TendonCompiler(sources, model, findings).run();
}

TendonNames::TendonNames(const std::vector<CompiledTendon>& tendons) {
  for (std::size_t i = 0; i < tendons.size(); ++i)
    if (!tendons[i].name.empty()) places_.emplace(tendons[i].name, static_cast<int>(i));
}

int TendonNames::find(const std::string& name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? -1 : found->second;
}

int TendonNames::find(const MjcfElement& element, const std::string& name) const {
  if (const int found = find(name); found >= 0) return found;
  std::vector<std::string> known;
  for (const auto& [given, place] : places_) known.push_back(given);
  refuse(element, fmt::format("there is no tendon '{}'{}", name, suggestion(name, known)));
}

void describe_tendons(MjcfDescriber& d, const std::vector<CompiledTendon>& tendons) {
  const MjcfOptions& options = d.model.options;
  const CompiledTendon* heavy = nullptr;
  for (const CompiledTendon& t : tendons) {
    TendonDescription out;
    out.name = d.names.tendon(t.name);
    out.line = d.line(*t.element);
    for (const CompiledTendon::Term& term : t.terms)
      out.joints.push_back({d.names.joint(term.joint), term.coefficient});
    for (const CompiledTendon::Point& p : t.path) out.path.push_back(described(p, d));
    if (options.springs) out.stiffness = t.stiffness;
    if (options.dampers) out.damping = t.damping;
    if (options.friction) out.friction = t.friction;
    if (options.limits) out.range = bounds(t.range);
    out.rest = t.rest, out.armature = t.armature, out.force = bounds(t.force);
    if (t.armature != 0.0 && heavy == nullptr) heavy = &t;
    d.out.tendons.push_back(std::move(out));
  }
  if (heavy != nullptr)
    d.say(Severity::warning, *heavy->element,
          "armature of tendons is no part of the mass matrix: it is kept, but not used");
}

}  // namespace amble
