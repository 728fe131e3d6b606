#include <fmt/format.h>
#include <tinyxml2.h>

#include <array>

#include "amble/base/names.hpp"
#include "amble/io/urdf/parts.hpp"
#include "amble/io/urdf/quirks.hpp"

namespace amble {

namespace {

using tinyxml2::XMLElement;

/// How a URDF type is called here and what its other elements mean for it.
struct JointType {
  std::string urdf, ours;
  bool one_axis, has_axis, has_range;
};
const std::array<JointType, 7> kTypes{{
    {"revolute", "revolute", true, true, true},
    {"continuous", "continuous", true, true, false},
    {"prismatic", "prismatic", true, true, true},
    {"planar", "planar", false, true, false},
    {"floating", "free", false, false, false},
    {"spherical", "spherical", false, false, false},
    {"fixed", "fixed", false, false, false},
}};

const JointType* read_type(XmlReader& xml, const XMLElement& joint) {
  const std::string type = xml.text(joint, "type");
  std::vector<std::string> names;
  for (const JointType& t : kTypes) {
    if (t.urdf == type) return &t;
    names.push_back(t.urdf);
  }
  if (!type.empty())
    xml.error(joint, fmt::format("'{}' is not a joint type of URDF{}", type, suggestion(type, names)));
  return nullptr;
}

std::string read_link_name(XmlReader& xml, const XMLElement& joint, const char* which) {
  const XMLElement* e = only_child(xml, joint, which);
  if (e != nullptr) return xml.text(*e, "link");
  xml.error(joint, fmt::format("the joint has no <{}>", which));
  return "";
}

void read_axis(XmlReader& xml, const XMLElement& joint, JointDescription& out) {
  const Vector3<double> unless_given = Vector3<double>::UnitX();
  out.axis = unless_given;
  const XMLElement* axis = only_child(xml, joint, "axis");
  if (axis == nullptr) return;
  if (axis->Attribute("xyz") == nullptr) return xml.error(*axis, "<axis> has no attribute 'xyz'");
  out.axis = unit_axis(xml, *axis, urdf_vector(xml, *axis, "xyz", unless_given));
}

void read_dynamics(XmlReader& xml, const XMLElement& dynamics, JointProperties& properties) {
  if (dynamics.Attribute("damping") != nullptr) properties.damping = {xml.number(dynamics, "damping")};
  if (dynamics.Attribute("friction") != nullptr) properties.friction = {xml.number(dynamics, "friction")};
}

Mimic read_mimic(XmlReader& xml, const XMLElement& mimic) {
  return {xml.text(mimic, "joint"), xml.number(mimic, "multiplier", 1.0), xml.number(mimic, "offset", 0.0)};
}

void read_one_axis(XmlReader& xml, const XMLElement& joint, const JointType& type, const LoadOptions& options,
                   JointDescription& out) {
  if (const XMLElement* limit = only_child(xml, joint, "limit")) {
    read_limits(xml, *limit, type.has_range, out.properties);
  } else if (type.has_range) {
    report_quirk(xml, joint, UrdfQuirk::no_limit);
  }
  if (const XMLElement* dynamics = only_child(xml, joint, "dynamics"))
    read_dynamics(xml, *dynamics, out.properties);
  const XMLElement* mimic = only_child(xml, joint, "mimic");
  if (mimic == nullptr) return;
  const Mimic read = read_mimic(xml, *mimic);
  if (options.mimic) out.mimic = read;
}

/// Elements that say nothing about a joint of this type.
void report_unused(XmlReader& xml, const XMLElement& joint, const JointType& type) {
  const auto quirk = type.urdf == "fixed" ? UrdfQuirk::fixed_with_motion : UrdfQuirk::several_axes_limit;
  for (const char* name : {"axis", "limit", "dynamics", "mimic"}) {
    const XMLElement* e = joint.FirstChildElement(name);
    if (e != nullptr && !(type.has_axis && e->Name() == std::string_view("axis")))
      return report_quirk(xml, *e, quirk);
  }
}

}  // namespace

JointDescription read_joint(XmlReader& xml, const XMLElement& joint, const LoadOptions& options) {
  const char* name = joint.Attribute("name");
  xml.set_element(fmt::format("joint '{}'", name == nullptr ? "" : name));
  JointDescription out;
  out.name = xml.text(joint, "name");
  out.line = joint.GetLineNum();
  out.parent = read_link_name(xml, joint, "parent");
  out.child = read_link_name(xml, joint, "child");
  out.X_PF = read_origin(xml, only_child(xml, joint, "origin"));
  const JointType* type = read_type(xml, joint);
  if (type == nullptr) return out;
  out.type = type->ours;
  if (type->urdf == "spherical") report_quirk(xml, joint, UrdfQuirk::spherical);
  if (type->has_axis) read_axis(xml, joint, out);
  if (type->one_axis) {
    read_one_axis(xml, joint, *type, options, out);
  } else {
    report_unused(xml, joint, *type);
  }
  return out;
}

}  // namespace amble
