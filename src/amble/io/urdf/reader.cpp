#include <fmt/format.h>
#include <tinyxml2.h>

#include <filesystem>

#include "amble/io/readers.hpp"
#include "amble/io/source.hpp"
#include "amble/io/urdf/parts.hpp"
#include "amble/io/urdf/quirks.hpp"
#include "amble/io/urdf/rotation.hpp"
#include "amble/io/xml/numbers.hpp"
#include "amble/io/xml/unread.hpp"

namespace amble {

namespace {

using tinyxml2::XMLElement;

constexpr KnownElement kUsed[] = {
    {"robot", "name version"},
    {"robot/link", "name"},
    {"link/inertial", ""},
    {"inertial/mass", "value"},
    {"inertial/inertia", "ixx ixy ixz iyy iyz izz"},
    {"link/visual", "name"},
    {"link/collision", "name"},
    {"visual/geometry", ""},
    {"collision/geometry", ""},
    {"geometry/box", "size"},
    {"geometry/sphere", "radius"},
    {"geometry/cylinder", "radius length"},
    {"geometry/capsule", "radius length"},
    {"geometry/mesh", "filename scale"},
    {"robot/material", "name"},
    {"visual/material", "name"},
    {"material/color", "rgba"},
    {"robot/joint", "name type"},
    {"joint/parent", "link"},
    {"joint/child", "link"},
    {"joint/axis", "xyz"},
    {"joint/limit", "lower upper effort velocity"},
    {"joint/dynamics", "damping friction"},
    {"joint/mimic", "joint multiplier offset"},
    {"inertial/origin", "xyz rpy quat_xyzw"},
    {"visual/origin", "xyz rpy quat_xyzw"},
    {"collision/origin", "xyz rpy quat_xyzw"},
    {"joint/origin", "xyz rpy quat_xyzw"},
};

const XMLElement& robot_element(const tinyxml2::XMLDocument& document, const std::string& file) {
  const XMLElement& root = *document.RootElement();
  if (root.Name() == std::string_view("robot")) return root;
  throw Error(Problem{Severity::error, file, root.GetLineNum(), "",
                      fmt::format("the root element is <{}>; a URDF has <robot>", root.Name())}
                  .text());
}

std::string read_name(XmlReader& xml, const XMLElement& robot) {
  const char* name = robot.Attribute("name");
  if (name != nullptr && *name != '\0') return name;
  report_quirk(xml, robot, UrdfQuirk::robot_without_name);
  return std::filesystem::path(xml.file()).stem().string();
}

ModelDescription read_robot(XmlReader& xml, const XMLElement& robot, const LoadOptions& options) {
  ModelDescription model;
  model.file = xml.file();
  xml.set_element("robot");
  model.name = read_name(xml, robot);
  check_macros(xml, robot);
  UrdfContext context{read_materials(xml, robot), options};
  for (const auto* e = robot.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
    if (e->Name() == std::string_view("link")) model.bodies.push_back(read_link(xml, *e, context));
    if (e->Name() == std::string_view("joint")) model.joints.push_back(read_joint(xml, *e, options));
  }
  return model;
}

}  // namespace

const XMLElement* only_child(XmlReader& xml, const XMLElement& parent, const char* name) {
  const XMLElement* first = parent.FirstChildElement(name);
  if (first == nullptr) return nullptr;
  if (const XMLElement* second = first->NextSiblingElement(name))
    xml.finding(Severity::warning, *second,
                fmt::format("only the first <{}> of <{}> is used", name, parent.Name()));
  return first;
}

Vector3<double> urdf_vector(XmlReader& xml, const XMLElement& at, const char* attribute,
                            const std::optional<Vector3<double>>& missing) {
  const char* text = at.Attribute(attribute);
  const auto numbers = parse_numbers(text != nullptr ? text : "");
  if (!numbers || numbers->size() <= 3) return xml.vector3(at, attribute, missing);
  const Vector3<double> first((*numbers)[0], (*numbers)[1], (*numbers)[2]);
  if (!first.allFinite()) return xml.vector3(at, attribute, missing);
  report_quirk(xml, at, UrdfQuirk::too_many_numbers, fmt::format("{} of <{}>", attribute, at.Name()));
  return first;
}

Pose read_origin(XmlReader& xml, const XMLElement* origin) {
  if (origin == nullptr) return {};
  const Vector3<double> zero = Vector3<double>::Zero();
  const Vector3<double> xyz = urdf_vector(xml, *origin, "xyz", zero);
  if (origin->Attribute("quat_xyzw") == nullptr)
    return {rotation_of_rpy(urdf_vector(xml, *origin, "rpy", zero)), xyz};
  const Vector4<double> q = xml.vector4(*origin, "quat_xyzw");
  if (std::abs(q.norm() - 1.0) > 1e-6) xml.error(*origin, "quat_xyzw is not of length one");
  return {SO3<double>(Quaternion<double>::from_xyzw(q.data()).normalized()), xyz};
}

ModelDescription read_urdf(const std::string& text, const std::string& file, const LoadOptions& options) {
  tinyxml2::XMLDocument document;
  parse_xml(text, file, document);
  const XMLElement& robot = robot_element(document, file);
  XmlReader xml(file);
  ModelDescription model = read_robot(xml, robot, options);
  check_urdf_tree(xml, model);
  xml.check();
  model.findings = xml.findings();
  const Problems unused = unread(document, file, kUsed);
  model.findings.insert(model.findings.end(), unused.begin(), unused.end());
  return model;
}

}  // namespace amble
