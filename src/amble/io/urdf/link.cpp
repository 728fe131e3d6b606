#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tinyxml2.h>

#include "amble/io/source.hpp"
#include "amble/io/urdf/parts.hpp"
#include "amble/io/urdf/quirks.hpp"
#include "amble/io/urdf/rotation.hpp"
#include "amble/io/xml/numbers.hpp"

namespace amble {

namespace {

using tinyxml2::XMLElement;

Matrix3<double> read_inertia_matrix(XmlReader& xml, const XMLElement& e) {
  const auto moment = [&](const char* name) { return xml.number(e, name, 0.0); };
  const double xx = moment("ixx"), yy = moment("iyy"), zz = moment("izz");
  const double xy = moment("ixy"), xz = moment("ixz"), yz = moment("iyz");
  Matrix3<double> m;
  m << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  return m;
}

/// What <inertial> leaves out, for the report; empty when nothing. Products of inertia are 0 unless given.
std::string left_out_of(const XMLElement* mass, const XMLElement* inertia) {
  std::vector<std::string> out;
  if (mass == nullptr || mass->Attribute("value") == nullptr) out.emplace_back("mass");
  if (inertia == nullptr) out.emplace_back("inertia");
  for (const char* name : {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"})
    if (inertia != nullptr && inertia->Attribute(name) == nullptr) out.emplace_back(name);
  return fmt::format("{}", fmt::join(out, ", "));
}

/// A link without <inertial> has no mass.
Inertia<double> read_inertial(XmlReader& xml, const XMLElement& link) {
  const XMLElement* inertial = only_child(xml, link, "inertial");
  if (inertial == nullptr) return {};
  const XMLElement* mass = only_child(xml, *inertial, "mass");
  const XMLElement* inertia = only_child(xml, *inertial, "inertia");
  if (const std::string left_out = left_out_of(mass, inertia); !left_out.empty())
    report_quirk(xml, *inertial, UrdfQuirk::inertial_incomplete, left_out);

  const Pose X_BI = read_origin(xml, only_child(xml, *inertial, "origin"));
  const Matrix3<double>& R = X_BI.rotation().matrix();
  const Matrix3<double> I =
      inertia == nullptr ? Matrix3<double>(Matrix3<double>::Zero()) : read_inertia_matrix(xml, *inertia);
  const Matrix3<double> turned = R * I * R.transpose();
  const Matrix3<double> symmetric = 0.5 * (turned + turned.transpose());
  const double m = mass == nullptr ? 0.0 : xml.number(*mass, "value", 0.0);
  return Inertia<double>::from_com(m, X_BI.translation(), symmetric);
}

Vector4<double> given_color(XmlReader& xml, const XMLElement& color) {
  const auto numbers = parse_numbers(color.Attribute("rgba") != nullptr ? color.Attribute("rgba") : "");
  if (!numbers || numbers->size() != 3) return xml.vector4(color, "rgba");
  report_quirk(xml, color, UrdfQuirk::color_without_opacity);
  Vector4<double> rgba = Vector4<double>::Ones();
  rgba.head<3>() = xml.vector3(color, "rgba");
  return rgba;
}

std::array<double, 4> read_color(XmlReader& xml, const XMLElement& color) {
  const Vector4<double> given = given_color(xml, color), rgba = given.cwiseMax(0.0).cwiseMin(1.0);
  if (rgba != given) report_quirk(xml, color, UrdfQuirk::color_out_of_range);
  return {rgba[0], rgba[1], rgba[2], rgba[3]};
}

std::optional<std::array<double, 4>> color_of(XmlReader& xml, const XMLElement& shape,
                                              const UrdfContext& context) {
  const XMLElement* material = only_child(xml, shape, "material");
  if (material == nullptr) return {};
  if (const XMLElement* color = only_child(xml, *material, "color")) return read_color(xml, *color);
  const char* name = material->Attribute("name");
  const auto found = context.materials.find(name == nullptr ? "" : name);
  if (found != context.materials.end()) return found->second;
  if (material->FirstChildElement("texture") == nullptr)
    report_quirk(xml, *material, UrdfQuirk::material_undefined);
  return {};
}

/// The path of a mesh file, looked up once for each name; empty when it is not found, which is a warning.
std::string mesh_path(XmlReader& xml, const XMLElement& mesh, const std::string& name, UrdfContext& context) {
  if (name.empty()) return {};
  const auto [at, is_new] = context.mesh_paths.try_emplace(name);
  if (!is_new) return at->second;
  const std::vector<std::string>& packages = context.options.package_path;
  at->second = find_mesh(name, xml.file(), packages);
  if (at->second.empty())
    xml.finding(Severity::warning, mesh, fmt::format("mesh '{}'", name),
                fmt::format("the file is not found {}; only pictures and collisions need it", mesh_places(name, packages)));
  return at->second;
}

Vector3<double> read_scale(XmlReader& xml, const XMLElement& mesh) {
  const char* text = mesh.Attribute("scale");
  const auto numbers = parse_numbers(text != nullptr ? text : "");
  if (!numbers || numbers->size() != 1) return urdf_vector(xml, mesh, "scale", Vector3<double>::Ones());
  report_quirk(xml, mesh, UrdfQuirk::scale_of_one_number);
  return Vector3<double>::Constant(xml.number(mesh, "scale"));
}

Shape read_mesh(XmlReader& xml, const XMLElement& mesh, UrdfContext& context) {
  Shape shape{Shape::Kind::mesh, read_scale(xml, mesh), xml.text(mesh, "filename")};
  shape.path = mesh_path(xml, mesh, shape.file, context);
  return shape;
}

Shape read_round(XmlReader& xml, const XMLElement& e, Shape::Kind kind) {
  return {kind, {xml.number(e, "radius"), xml.number(e, "length"), 0.0}, ""};
}

std::optional<Shape> read_geometry(XmlReader& xml, const XMLElement& geometry, UrdfContext& context) {
  const auto child = [&](const char* name) { return only_child(xml, geometry, name); };
  if (const auto* e = child("box")) return Shape{Shape::Kind::box, urdf_vector(xml, *e, "size"), ""};
  if (const auto* e = child("sphere"))
    return Shape{Shape::Kind::sphere, {xml.number(*e, "radius"), 0.0, 0.0}, ""};
  if (const auto* e = child("cylinder")) return read_round(xml, *e, Shape::Kind::cylinder);
  if (const auto* e = child("capsule")) {
    report_quirk(xml, *e, UrdfQuirk::capsule);
    return read_round(xml, *e, Shape::Kind::capsule);
  }
  if (const auto* e = child("mesh")) return read_mesh(xml, *e, context);
  return {};
}

void check_size(XmlReader& xml, const XMLElement& at, const Shape& shape) {
  if (shape.kind != Shape::Kind::mesh && shape.size.minCoeff() < 0.0)
    xml.error(at, fmt::format("a {} of negative size ({}, {}, {})", shape_name(shape.kind), shape.size[0],
                              shape.size[1], shape.size[2]));
}

}  // namespace

UrdfMaterials read_materials(XmlReader& xml, const XMLElement& robot) {
  UrdfMaterials materials;
  const auto add = [&](const XMLElement& parent) {
    for (const auto* m = parent.FirstChildElement("material"); m != nullptr;
         m = m->NextSiblingElement("material")) {
      const XMLElement* color = m->FirstChildElement("color");
      if (m->Attribute("name") == nullptr || color == nullptr) continue;
      xml.set_element(fmt::format("material '{}'", m->Attribute("name")));
      materials.try_emplace(m->Attribute("name"), read_color(xml, *color));
    }
  };
  add(robot);
  for (const auto* link = robot.FirstChildElement("link"); link != nullptr;
       link = link->NextSiblingElement("link"))
    for (const auto* v = link->FirstChildElement("visual"); v != nullptr; v = v->NextSiblingElement("visual"))
      add(*v);
  return materials;
}

void read_shapes(XmlReader& xml, const XMLElement& link, const char* kind, UrdfContext& context,
                 std::vector<PlacedShape>& out) {
  for (const auto* e = link.FirstChildElement(kind); e != nullptr; e = e->NextSiblingElement(kind)) {
    const XMLElement* geometry = only_child(xml, *e, "geometry");
    const auto shape = geometry == nullptr ? std::nullopt : read_geometry(xml, *geometry, context);
    if (!shape) {
      report_quirk(xml, *e, UrdfQuirk::shape_without_geometry);
      continue;
    }
    check_size(xml, *e, *shape);
    const char* name = e->Attribute("name");
    out.push_back({name == nullptr ? "" : name, *shape, read_origin(xml, only_child(xml, *e, "origin")), {}});
    if (kind == std::string_view("visual")) out.back().color = color_of(xml, *e, context);
  }
}

BodyDescription read_link(XmlReader& xml, const XMLElement& link, UrdfContext& context) {
  const char* name = link.Attribute("name");
  xml.set_element(fmt::format("link '{}'", name == nullptr ? "" : name));
  BodyDescription body;
  body.name = xml.text(link, "name");
  body.line = link.GetLineNum();
  body.inertia = read_inertial(xml, link);
  read_shapes(xml, link, "visual", context, body.visuals);
  read_shapes(xml, link, "collision", context, body.collisions);
  return body;
}

}  // namespace amble
