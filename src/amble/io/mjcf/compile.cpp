#include <fmt/format.h>

#include <set>

#include "amble/base/limits.hpp"
#include "amble/base/names.hpp"
#include "amble/io/mjcf/body_mass.hpp"
#include "amble/io/mjcf/compiled.hpp"
#include "amble/io/mjcf/geoms.hpp"
#include "amble/io/mjcf/joints.hpp"
#include "amble/io/mjcf/orientation.hpp"

namespace amble {

namespace {

/// Where the walk through the tree is: on which body, in which frame of it, under which class.
struct Place {
  int body = 0;
  Pose X_BF;
  std::string childclass;
};

class BodyCompiler {
 public:
  BodyCompiler(const MjcfSources& sources, Problems& findings) : sources_(sources), findings_(findings) {}

  CompiledModel run() {
    const MjcfElement& root = sources_[0]->root;
    out_.options = mjcf_options(root);
    CompiledBody world;
    world.element = &root, world.name = "world";
    out_.bodies.push_back(world);
    for (const MjcfElement& section : root.children)
      if (section.tag == MjcfTag::worldbody) visit_all(section, {0, {}, childclass_of(section, {})});
    number_coordinates();
    scale_to_total_mass();
    return std::move(out_);
  }

 private:
  const MjcfSource& source_of(const MjcfElement& e) const {
    return *sources_[static_cast<std::size_t>(e.model)];
  }

  std::string childclass_of(const MjcfElement& e, const std::string& inherited) const {
    const std::string* own = e.find("childclass");
    if (own == nullptr) return inherited;
    source_of(e).classes->check(e, *own);
    return *own;
  }

  /// Classes are those of a model: what is attached does not know the ones around it.
  void visit_all(const MjcfElement& container, const Place& place) {
    for (const MjcfElement& e : container.children)
      visit(e, e.model == container.model ? place : Place{place.body, place.X_BF, {}});
  }

  void visit(const MjcfElement& e, const Place& place) {
    switch (e.tag) {
      case MjcfTag::body:
        return add_body(e, place);
      case MjcfTag::frame:
        return enter_frame(e, place);
      case MjcfTag::joint:
      case MjcfTag::freejoint:
        return add_joint(e, place);
      case MjcfTag::geom:
        return add_geom(e, place);
      case MjcfTag::site:
        return add_site(e, place);
      case MjcfTag::inertial:
        if (place.body == 0) refuse(e, "the world has no inertia");
        if (inertials_[place.body] != nullptr) refuse(e, "its body has an <inertial> already");
        inertials_[place.body] = &e;
        return;
      case MjcfTag::unread:
        out_.has_unread_bodies = true;
        return;
      default:
        return;
    }
  }

  void enter_frame(const MjcfElement& e, const Place& place) {
    const Pose X_BF = place.X_BF * mjcf_place({e, nullptr}, source_of(e).settings);
    visit_all(e, {place.body, X_BF, childclass_of(e, place.childclass)});
  }

  void add_body(const MjcfElement& e, const Place& place) {
    const int index = static_cast<int>(out_.bodies.size());
    check_limit(Limit::bodies, index, *e.file + ": the number of bodies");
    CompiledBody body;
    body.element = &e;
    body.name = taken("body", e);
    if (body.name == "world") refuse(e, "the name 'world' is the world's");
    body.parent = place.body;
    body.X_PB = place.X_BF * mjcf_place({e, nullptr}, source_of(e).settings);
    body.X_WB = out_.bodies[place.body].X_WB * body.X_PB;
    body.mocap = MjcfValues(e, nullptr).flag("mocap", false);
    body.gravity_compensation = MjcfValues(e, nullptr).number("gravcomp", 0.0);
    ++out_.bodies[place.body].children;
    out_.bodies.push_back(std::move(body));
    inertials_.resize(out_.bodies.size());
    visit_all(e, {index, {}, childclass_of(e, place.childclass)});
    finish(e, index);
  }

  /// What needs everything that is on the body.
  void finish(const MjcfElement& e, int index) {
    CompiledBody& body = out_.bodies[index];
    check_stack(body);
    const BodyMassSource source{&e, inertials_[index], &source_of(e).settings, body.X_PB.translation()};
    set_body_mass(source, mass_is_from_geoms(source) ? weights(body, source) : std::vector<GeomMass>{}, body,
                  findings_);
    align(e, body);
  }

  std::vector<GeomMass> weights(CompiledBody& body, const BodyMassSource& source) {
    std::vector<GeomMass> out;
    for (CompiledGeom& geom : body.geoms) {
      const bool counts =
          geom.group >= source.settings->lowest_group && geom.group <= source.settings->highest_group;
      out.push_back(counts ? weight(geom) : GeomMass{});
    }
    return out;
  }

  GeomMass weight(CompiledGeom& geom) {
    const MjcfValues e =
        source_of(*geom.element).classes->values(*geom.element, geom_classes_.at(geom.element));
    const bool has_mass = e.number("mass", e.has("mass") ? 0.0 : e.number("density", 1000.0)) != 0.0;
    if (has_mass && geom.type == CompiledGeom::Type::mesh && geom.mesh->is_missing())
      refuse(*geom.element,
             fmt::format("the inertia of its body is to come from mesh '{}', whose file '{}' is missing",
                         e.text("mesh"), geom.mesh->file()));
    return weigh_geom(e, geom);
  }

  /// The body frame of a free body without children moves to its inertia, if the file asks for that.
  void align(const MjcfElement& e, CompiledBody& body) {
    if (body.joints.size() != 1 || body.joints[0].type != CompiledJoint::Type::free || body.children > 0)
      return;
    const MjcfValues joint(*body.joints[0].element, nullptr);
    if (!joint.decided("align").value_or(source_of(e).settings.align_free)) return;
    const Pose X_BI = body.X_BI, X_IB = X_BI.inverse();
    body.X_PB = body.X_PB * X_BI, body.X_WB = body.X_WB * X_BI, body.X_BI = Pose();
    for (CompiledGeom& geom : body.geoms) geom.X_BX = X_IB * geom.X_BX, geom.X_BG = X_IB * geom.X_BG;
    for (CompiledSite& site : body.sites) site.X_BS = X_IB * site.X_BS;
  }

  void add_joint(const MjcfElement& e, const Place& place) {
    if (place.body == 0) refuse(e, "the world cannot have a joint");
    CompiledJoint joint = read_joint(values(e, place), source_of(e), place.X_BF, findings_);
    joint.name = taken("joint", e), joint.childclass = place.childclass;
    out_.bodies[place.body].joints.push_back(std::move(joint));
  }

  void add_geom(const MjcfElement& e, const Place& place) {
    const MjcfValues v = values(e, place);
    CompiledGeom geom = read_geom(v, source_of(e), place.X_BF);
    taken("geom", e);
    check_limit(Limit::bodies, ++geoms_, *e.file + ": the number of geoms");
    if (geom.mesh != nullptr && geom.type != CompiledGeom::Type::mesh) {
      if (geom.mesh->is_missing()) return;  // a warning of the assets
      fit_geom(v, source_of(e), geom);
    }
    geom_classes_[&e] = place.childclass;
    out_.bodies[place.body].geoms.push_back(std::move(geom));
  }

  void add_site(const MjcfElement& e, const Place& place) {
    const MjcfValues v = values(e, place);
    Pose X_FS;
    if (v.has("fromto")) {
      const auto x = v.numbers<6>("fromto");
      const Vector3<double> from(x[0], x[1], x[2]), to(x[3], x[4], x[5]);
      X_FS = Pose(mjcf_smallest_turn(
                      mjcf_direction(e, from - to, "the way from the first to the second point of fromto")),
                  0.5 * (from + to));
    } else {
      X_FS = mjcf_place(v, source_of(e).settings);
    }
    out_.bodies[place.body].sites.push_back({&e, taken("site", e), place.X_BF * X_FS});
  }

  MjcfValues values(const MjcfElement& e, const Place& place) const {
    if (e.tag == MjcfTag::freejoint) return {e, nullptr};
    return source_of(e).classes->values(e, place.childclass);
  }

  /// The name of the element, which no other of its kind may have.
  std::string taken(const char* kind, const MjcfElement& e) {
    const std::string name = e.get("name");
    if (!name.empty() && !names_[kind].insert(name).second)
      refuse(e, fmt::format("repeated name '{}': there is a {} of that name already", name, kind));
    return name;
  }

  void number_coordinates() {
    for (CompiledBody& body : out_.bodies)
      for (CompiledJoint& joint : body.joints) {
        joint.q = out_.nq, joint.v = out_.nv;
        out_.nq += joint.coordinates(), out_.nv += joint.freedoms();
      }
  }

  void scale_to_total_mass() {
    const double wanted = sources_[0]->settings.total_mass;
    double mass = 0.0;
    for (const CompiledBody& body : out_.bodies) mass += body.mass;
    if (!(wanted > 0.0) || !(mass > 0.0)) return;
    for (CompiledBody& body : out_.bodies) body.mass *= wanted / mass, body.moments *= wanted / mass;
  }

  const MjcfSources& sources_;
  Problems& findings_;
  CompiledModel out_;
  std::vector<const MjcfElement*> inertials_{nullptr};
  std::map<const MjcfElement*, std::string> geom_classes_;
  std::map<std::string, std::set<std::string>> names_;
  double geoms_ = 0.0;
};

}  // namespace

CompiledModel compile_mjcf(const MjcfSources& sources, Problems& findings) {
  return BodyCompiler(sources, findings).run();
}

CompiledNames::CompiledNames(const CompiledModel& model) : model_(model) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const CompiledBody& body = model.bodies[i];
    const int index = static_cast<int>(i);
    if (!body.name.empty()) bodies_.emplace(body.name, index);
    for (const CompiledJoint& joint : body.joints) {
      joint_bodies_.emplace(&joint, index);
      if (!joint.name.empty()) joints_.emplace(joint.name, &joint);
    }
    for (const CompiledSite& site : body.sites)
      if (!site.name.empty()) sites_.emplace(site.name, std::pair{&site, index});
    for (const CompiledGeom& geom : body.geoms)
      if (!geom.name.empty()) geoms_.emplace(geom.name, std::pair{&geom, index});
  }
}

const CompiledJoint* CompiledNames::joint(const std::string& name) const {
  const auto found = joints_.find(name);
  return found == joints_.end() ? nullptr : found->second;
}

int CompiledNames::body(const std::string& name) const {
  const auto found = bodies_.find(name);
  return found == bodies_.end() ? -1 : found->second;
}

const CompiledSite* CompiledNames::site(const std::string& name, int& body) const {
  const auto found = sites_.find(name);
  if (found == sites_.end()) return nullptr;
  body = found->second.second;
  return found->second.first;
}

const CompiledGeom* CompiledNames::geom(const std::string& name, int& body) const {
  const auto found = geoms_.find(name);
  if (found == geoms_.end()) return nullptr;
  body = found->second.second;
  return found->second.first;
}

std::vector<std::string> CompiledNames::joint_names() const {
  std::vector<std::string> out;
  for (const auto& [name, joint] : joints_) out.push_back(name);
  return out;
}

std::vector<std::string> CompiledNames::body_names() const {
  std::vector<std::string> out;
  for (const auto& [name, body] : bodies_) out.push_back(name);
  return out;
}

}  // namespace amble
