#include "amble/io/sdf/repair.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <set>
#include <string_view>
#include <vector>

#include "amble/io/xml/tally.hpp"
#include "amble/mechanism/description.hpp"

namespace amble {

namespace {

using tinyxml2::XMLElement;

std::string name_of(const XMLElement& e) {
  const char* name = e.Attribute("name");
  return name == nullptr ? "" : name;
}

std::string text_of(const XMLElement& e, const char* child) {
  const XMLElement* found = e.FirstChildElement(child);
  return found != nullptr && found->GetText() != nullptr ? found->GetText() : "";
}

std::vector<XMLElement*> children(XMLElement& parent, const char* name) {
  std::vector<XMLElement*> out;
  for (auto* e = parent.FirstChildElement(name); e != nullptr; e = e->NextSiblingElement(name))
    out.push_back(e);
  return out;
}

class Repair {
 public:
  Repair(tinyxml2::XMLDocument& document, SdfRole role) : document_(document), role_(role) {}

  void run() {
    XMLElement& root = *document_.RootElement();
    gather_models(root);
    for (XMLElement* world : children(root, "world")) repair_world(*world);
    for (XMLElement* model : children(root, "model")) repair_model(*model);
  }

  Problems findings(const std::string& file) const { return tally_.problems(file); }

 private:
  void warn(const XMLElement& at, const std::string& reason) {
    const std::string name = name_of(at);
    tally_.add(Severity::warning, reason, at.GetLineNum(),
               name.empty() ? std::string(at.Name()) : fmt::format("{} '{}'", at.Name(), name));
  }

  void gather_models(XMLElement& root) {
    const std::vector<XMLElement*> models = children(root, "model");
    if (models.size() < 2 || root.FirstChildElement("world") != nullptr) return;
    if (role_ == SdfRole::included) {
      warn(root, fmt::format("has {} models; only the first is included", models.size()));
      for (std::size_t i = 1; i < models.size(); ++i) root.DeleteChild(models[i]);
      return;
    }
    warn(root, fmt::format("has {} models; read as one world", models.size()));
    XMLElement* world = document_.NewElement("world");
    world->SetAttribute("name", "models");
    root.InsertFirstChild(world);
    for (XMLElement* model : models) world->InsertEndChild(model);
  }

  void repair_world(XMLElement& world) {
    std::set<std::string> names;
    for (XMLElement* model : children(world, "model")) {
      if (is_empty(*model)) {
        warn(*model, "has no link: left out");
        world.DeleteChild(model);
        continue;
      }
      rename_if_taken(*model, names);
      repair_model(*model);
    }
  }

  static bool is_empty(const XMLElement& model) {
    for (const char* name : {"link", "model", "include"})
      if (model.FirstChildElement(name) != nullptr) return false;
    return true;
  }

  void repair_model(XMLElement& model) {
    for (XMLElement* link : children(model, "link")) {
      for (const char* kind : {"collision", "visual"}) {
        std::set<std::string> names;
        for (XMLElement* shape : children(*link, kind)) rename_if_taken(*shape, names);
      }
      if (name_of(*link) == kWorld) repair_world_link(model, *link);
    }
    for (XMLElement* joint : children(model, "joint"))
      if (name_of(*joint) == kWorld) rename_world_joint(model, *joint);
    for (XMLElement* nested : children(model, "model")) repair_model(*nested);
  }

  void rename_world_joint(const XMLElement& model, XMLElement& joint) {
    const std::string other =
        free_name("world_joint", [&](const std::string& n) { return has_child_named(model, n); });
    warn(joint, fmt::format("this name is the world's: read as '{}'", other));
    joint.SetAttribute("name", other.c_str());
  }

  void rename_if_taken(XMLElement& e, std::set<std::string>& names) {
    const std::string name = name_of(e);
    if (name.empty() || names.insert(name).second) return;
    const std::string other = free_name(name, [&](const std::string& n) { return names.contains(n); });
    warn(e, "the name is used twice: this one gets a number");
    names.insert(other);
    e.SetAttribute("name", other.c_str());
  }

  /// Only the world itself can be called so.
  void repair_world_link(XMLElement& model, XMLElement& link) {
    std::vector<XMLElement*> held;
    for (XMLElement* joint : children(model, "joint"))
      if (text_of(*joint, "child") == kWorld) held.push_back(joint->FirstChildElement("child"));
    const bool has_content = link.FirstChildElement() != nullptr && !is_pose_only(link);
    if (held.empty() && !has_content) {
      warn(link, "is taken for the world itself");
      model.DeleteChild(&link);
      return;
    }
    const std::string other =
        free_name("world_link", [&](const std::string& n) { return has_child_named(model, n); });
    warn(link, fmt::format("this name is the world's: read as '{}'{}", other,
                           held.empty() ? ", fixed to the world" : ""));
    link.SetAttribute("name", other.c_str());
    for (XMLElement* child : held) child->SetText(other.c_str());
    if (held.empty()) add_fixed_joint(model, other);
  }

  static bool is_pose_only(const XMLElement& link) {
    const XMLElement* first = link.FirstChildElement();
    return first->Name() == std::string_view("pose") && first->NextSiblingElement() == nullptr;
  }

  static bool has_child_named(const XMLElement& model, const std::string& name) {
    for (const auto* e = model.FirstChildElement(); e != nullptr; e = e->NextSiblingElement())
      if (name_of(*e) == name) return true;
    return false;
  }

  void add_fixed_joint(XMLElement& model, const std::string& link) {
    XMLElement* joint = document_.NewElement("joint");
    const std::string name =
        free_name(link + "_fixed", [&](const std::string& n) { return has_child_named(model, n); });
    joint->SetAttribute("name", name.c_str());
    joint->SetAttribute("type", "fixed");
    joint->InsertNewChildElement("parent")->SetText(kWorld);
    joint->InsertNewChildElement("child")->SetText(link.c_str());
    model.InsertEndChild(joint);
  }

  tinyxml2::XMLDocument& document_;
  const SdfRole role_;
  Tally tally_;
};

}  // namespace

void rename_sdf_root(tinyxml2::XMLDocument& document) {
  XMLElement* root = document.RootElement();
  if (root != nullptr && root->Name() == std::string_view("gazebo")) root->SetName("sdf");
}

Problems repair_sdf(tinyxml2::XMLDocument& document, const std::string& file, SdfRole role) {
  Repair repair(document, role);
  repair.run();
  return repair.findings(file);
}

}  // namespace amble
