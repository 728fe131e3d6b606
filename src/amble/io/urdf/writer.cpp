#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "amble/io/urdf/inertial.hpp"
#include "amble/io/urdf/reduce.hpp"
#include "amble/io/urdf/refusals.hpp"
#include "amble/io/urdf/rotation.hpp"
#include "amble/io/writers.hpp"
#include "amble/io/xml/names.hpp"
#include "amble/io/xml/numbers.hpp"

namespace amble {

namespace {

double first_or(const std::vector<double>& values, double otherwise) {
  return values.empty() ? otherwise : values.front();
}

/// URDF has to give every limit a number and urdfdom does not read "inf": the largest double stands for it.
double limit_number(double value) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  return std::clamp(value, -kLargest, kLargest);
}

bool has_range(const JointProperties& p) {
  return std::isfinite(first_or(p.lower, -kUnlimited)) || std::isfinite(first_or(p.upper, kUnlimited));
}

bool is_rotary(const JointDescription& j) { return j.type == "revolute" || j.type == "continuous"; }

/// In URDF a turning joint is "revolute" exactly when it has a range.
std::string urdf_type(const JointDescription& j) {
  if (j.type == "free") return "floating";
  if (is_rotary(j)) return has_range(j.properties) ? "revolute" : "continuous";
  return j.type;
}

class UrdfWriter {
 public:
  std::string write(const ModelDescription& model) {
    open("robot");
    attribute("name", model.name);
    if (needs_world_link(model)) write_world();
    for (const BodyDescription& b : model.bodies) write_link(b);
    for (const JointDescription& j : model.joints) write_joint(j);
    close();
    return out_.CStr();
  }

 private:
  void open(const char* name) { out_.OpenElement(name); }
  void close() { out_.CloseElement(); }
  void attribute(const char* name, const std::string& value) { out_.PushAttribute(name, value.c_str()); }
  void attribute(const char* name, double value) { attribute(name, format_number(value)); }
  void attribute(const char* name, const Vector3<double>& value) { attribute(name, format_numbers(value)); }
  template <class Value>
  void element(const char* name, const char* key, const Value& value) {
    open(name);
    attribute(key, value);
    close();
  }

  void write_world() {
    open("link");
    attribute("name", std::string(kWorld));
    close();
  }

  /// Nothing for the identity.
  void write_origin(const Pose& X) {
    const Vector3<double> rpy = rpy_of_rotation(X.rotation());
    const bool turned = !rpy.isZero(0.0), moved = !X.translation().isZero(0.0);
    if (!turned && !moved) return;
    open("origin");
    if (moved) attribute("xyz", X.translation());
    if (turned) attribute("rpy", rpy);
    close();
  }

  void write_inertial(const Inertia<double>& inertia) {
    if (inertia.mass() == 0.0 && inertia.about_origin().isZero(0.0)) return;
    const Inertial inertial = exact_inertial(inertia);
    const Matrix3<double>& I = inertial.about_com;
    open("inertial");
    write_origin(Pose(inertial.com));
    element("mass", "value", inertial.mass);
    open("inertia");
    attribute("ixx", I(0, 0)), attribute("ixy", I(0, 1)), attribute("ixz", I(0, 2));
    attribute("iyy", I(1, 1)), attribute("iyz", I(1, 2)), attribute("izz", I(2, 2));
    close();
    close();
  }

  void write_geometry(const Shape& shape) {
    const std::string kind(
        shape_name(shape.kind));  // the printer keeps the pointer until the element is closed
    open("geometry");
    open(kind.c_str());
    switch (shape.kind) {
      case Shape::Kind::box:
        attribute("size", shape.size);
        break;
      case Shape::Kind::mesh:
        attribute("filename", shape.file);
        if (shape.size != Vector3<double>::Ones()) attribute("scale", shape.size);
        break;
      default:
        attribute("radius", shape.size[0]);
        if (shape.kind != Shape::Kind::sphere) attribute("length", shape.size[1]);
    }
    close();
    close();
  }

  /// Materials have names that hold for the whole file: one name for each color.
  void write_color(const std::array<double, 4>& color) {
    const auto [place, is_new] =
        color_names_.try_emplace(color, fmt::format("color_{}", color_names_.size() + 1));
    open("material");
    attribute("name", place->second);
    if (is_new) element("color", "rgba", format_numbers(color));
    close();
  }

  void write_shapes(const char* kind, const std::vector<PlacedShape>& shapes) {
    for (const PlacedShape& s : shapes) {
      open(kind);
      if (!s.name.empty()) attribute("name", s.name);
      write_origin(s.X_BS);
      write_geometry(s.shape);
      if (s.color) write_color(*s.color);
      close();
    }
  }

  void write_link(const BodyDescription& body) {
    open("link");
    attribute("name", body.name);
    write_inertial(body.inertia);
    write_shapes("visual", body.visuals);
    write_shapes("collision", body.collisions);
    close();
  }

  void write_limit(const JointDescription& j) {
    const JointProperties& p = j.properties;
    const double effort = first_or(p.effort, kUnlimited), velocity = first_or(p.velocity, kUnlimited);
    const bool continuous = urdf_type(j) == "continuous";
    if (continuous && std::isinf(effort) && std::isinf(velocity)) return;
    open("limit");
    if (!continuous) {
      attribute("lower", limit_number(first_or(p.lower, -kUnlimited)));
      attribute("upper", limit_number(first_or(p.upper, kUnlimited)));
    }
    attribute("effort", limit_number(effort));
    attribute("velocity", limit_number(velocity));
    close();
  }

  void write_dynamics(const JointProperties& p) {
    if (p.damping.empty() && p.friction.empty()) return;
    open("dynamics");
    if (!p.damping.empty()) attribute("damping", p.damping.front());
    if (!p.friction.empty()) attribute("friction", p.friction.front());
    close();
  }

  void write_mimic(const Mimic& mimic) {
    open("mimic");
    attribute("joint", mimic.leader);
    attribute("multiplier", mimic.ratio);
    attribute("offset", mimic.offset);
    close();
  }

  void write_joint(const JointDescription& j) {
    open("joint");
    attribute("name", j.name);
    attribute("type", urdf_type(j));
    // URDF's joint frame is the child's frame; only where nothing moves can another one be folded in.
    write_origin(j.type == "fixed" ? j.X_PF * j.X_CM.inverse() : j.X_PF);
    element("parent", "link", j.parent);
    element("child", "link", j.child);
    if (is_rotary(j) || j.type == "prismatic" || j.type == "planar") element("axis", "xyz", j.axis);
    if (is_rotary(j) || j.type == "prismatic") {
      write_limit(j);
      write_dynamics(j.properties);
      if (j.mimic) write_mimic(*j.mimic);
    }
    close();
  }

  static bool needs_world_link(const ModelDescription& model) {
    const auto on_world = [](const JointDescription& j) { return j.parent == kWorld; };
    const auto is_world = [](const BodyDescription& b) { return b.name == kWorld; };
    return std::any_of(model.joints.begin(), model.joints.end(), on_world) &&
           std::none_of(model.bodies.begin(), model.bodies.end(), is_world);
  }

  tinyxml2::XMLPrinter out_;
  std::map<std::array<double, 4>, std::string> color_names_;
};

}  // namespace

std::string write_urdf(const ModelDescription& description, Problems* left_out) {
  const ModelDescription sayable = left_out == nullptr ? description : reduce_to_urdf(description, *left_out);
  check_urdf_can_say(sayable);
  check_xml_can_say_names(sayable);
  return UrdfWriter().write(sayable);
}

}  // namespace amble
