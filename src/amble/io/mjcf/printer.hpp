#pragma once

#include <tinyxml2.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "amble/io/xml/numbers.hpp"
#include "amble/mechanism/description.hpp"

namespace amble {

/// Writes elements and attributes in MJCF's spelling of numbers.
class MjcfPrinter {
 public:
  void open(const char* element) { out_.OpenElement(element); }
  void close() { out_.CloseElement(); }
  void put(const char* name, const std::string& value) { out_.PushAttribute(name, value.c_str()); }
  void put(const char* name, const char* value) { out_.PushAttribute(name, value); }
  void put(const char* name, double value) { put(name, format_number(value)); }
  void put(const char* name, const Vector3<double>& value) { put(name, format_numbers(value)); }
  /// Scalar first, as MuJoCo has it.
  void put(const char* name, const Quaternion<double>& q) {
    put(name, format_numbers(Vector4<double>(q.w, q.v[0], q.v[1], q.v[2])));
  }
  /// Nothing for the identity.
  void put_pose(const Pose& X) {
    if (!X.translation().isZero(0.0)) put("pos", X.translation());
    if (X.rotation().matrix() != Matrix3<double>::Identity()) put("quat", X.rotation().quaternion());
  }
  std::string text() const { return out_.CStr(); }

 private:
  tinyxml2::XMLPrinter out_;
};

/// A section that is opened when there is something to put in it.
class MjcfSection {
 public:
  MjcfSection(MjcfPrinter& out, const char* name) : out_(out), name_(name) {}
  ~MjcfSection() {
    if (is_open_) out_.close();
  }
  MjcfSection(const MjcfSection&) = delete;
  MjcfSection& operator=(const MjcfSection&) = delete;

  void entry(const char* element) {
    if (!is_open_) out_.open(name_);
    is_open_ = true;
    out_.open(element);
  }

 private:
  MjcfPrinter& out_;
  const char* name_;
  bool is_open_ = false;
};

/// Writes the shapes of bodies as geoms, and the assets that they need.
class MjcfShapeWriter {
 public:
  /// Makes the list of assets; all shapes written later must be among the description's.
  MjcfShapeWriter(const ModelDescription& description, MjcfPrinter& out);

  void write_assets();
  /// A shape in both lists becomes one geom. Throws an Error naming `body` for what MuJoCo refuses: planes on
  /// moving bodies and sizes that are not positive.
  void write_geoms(const std::vector<PlacedShape>& visuals, const std::vector<PlacedShape>& collisions,
                   const std::string& body, bool moves);
  /// Pairs and exclusions, after all geoms.
  void write_contacts(const ContactRules& rules);

 private:
  enum class Role { both, visual, collision };

  void add_mesh(const PlacedShape& shape);
  void write_geom(const PlacedShape& shape, Role role, const std::string& body, bool moves);
  void write_surface(const ContactSurface& surface);
  std::string unique_name(const std::string& wish);

  MjcfPrinter& out_;
  std::vector<Shape> meshes_;
  std::vector<std::string> names_;
  std::map<std::pair<std::string, std::string>, std::string> geoms_;  // of collisions, by body and shape
  bool needs_grey_ = false;
};

}  // namespace amble
