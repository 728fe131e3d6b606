#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "amble/io/mjcf/printer.hpp"

namespace amble {

namespace {

/// MuJoCo takes this colour on a geom to mean that none was given.
constexpr std::array<double, 4> kMujocoGrey{0.5, 0.5, 0.5, 1.0};
constexpr const char* kGreyMaterial = "grey";

bool same(const PlacedShape& a, const PlacedShape& b) {
  return a.name == b.name && a.shape == b.shape && a.X_BS.matrix() == b.X_BS.matrix() && a.color == b.color;
}

/// In MuJoCo's half lengths.
std::vector<double> sizes(const Shape& shape) {
  const Vector3<double>& s = shape.size;
  switch (shape.kind) {
    case Shape::Kind::box:
      return {0.5 * s[0], 0.5 * s[1], 0.5 * s[2]};
    case Shape::Kind::sphere:
      return {s[0]};
    case Shape::Kind::cylinder:
    case Shape::Kind::capsule:
      return {s[0], 0.5 * s[1]};
    case Shape::Kind::ellipsoid:
      return {s[0], s[1], s[2]};
    case Shape::Kind::plane:
      return {0.0, 0.0, 1.0};  // infinite; the third number only spaces the lines of a drawing
    case Shape::Kind::mesh:
      return {};
  }
  return {};
}

void check_shape(const Shape& shape, const std::string& body, bool moves) {
  const bool is_plane = shape.kind == Shape::Kind::plane;
  if (is_plane && moves)
    throw Error(fmt::format("body '{}': MJCF cannot say a plane on a body that moves", body));
  const auto s = sizes(shape);
  if (!is_plane && std::any_of(s.begin(), s.end(), [](double x) { return !(x > 0.0); }))
    throw Error(
        fmt::format("body '{}': MJCF cannot say a {} of size ({}, {}, {}); every size must be positive", body,
                    shape_name(shape.kind), shape.size[0], shape.size[1], shape.size[2]));
}

}  // namespace

MjcfShapeWriter::MjcfShapeWriter(const ModelDescription& description, MjcfPrinter& out) : out_(out) {
  const auto add = [&](const std::vector<PlacedShape>& shapes) {
    for (const PlacedShape& s : shapes) {
      if (s.shape.kind == Shape::Kind::mesh) add_mesh(s);
      needs_grey_ |= s.color == kMujocoGrey;
    }
  };
  add(description.world_visuals), add(description.world_collisions);
  for (const BodyDescription& b : description.bodies) add(b.visuals), add(b.collisions);
}

void MjcfShapeWriter::add_mesh(const PlacedShape& s) {
  if (std::find(meshes_.begin(), meshes_.end(), s.shape) == meshes_.end()) meshes_.push_back(s.shape);
}

void MjcfShapeWriter::write_assets() {
  MjcfSection asset(out_, "asset");
  if (needs_grey_) {
    asset.entry("material");
    out_.put("name", kGreyMaterial);
    out_.put("rgba", format_numbers(kMujocoGrey));
    out_.close();
  }
  for (std::size_t i = 0; i < meshes_.size(); ++i) {
    asset.entry("mesh");
    out_.put("name", fmt::format("mesh_{}", i));
    out_.put("file", meshes_[i].file);
    if (meshes_[i].size != Vector3<double>::Ones()) out_.put("scale", meshes_[i].size);
    out_.close();
  }
}

void MjcfShapeWriter::write_geoms(const std::vector<PlacedShape>& visuals,
                                  const std::vector<PlacedShape>& collisions, const std::string& body,
                                  bool moves) {
  auto next = collisions.begin();
  for (const PlacedShape& v : visuals) {
    const auto match = std::find_if(next, collisions.end(), [&](const PlacedShape& c) { return same(v, c); });
    if (match == collisions.end()) {
      write_geom(v, Role::visual, body, moves);
      continue;
    }
    // What stands before it in the list of collisions goes first, so that both lists keep their order.
    for (; next != match; ++next) write_geom(*next, Role::collision, body, moves);
    write_geom(*match, Role::both, body, moves);  // which has the surface
    ++next;
  }
  for (; next != collisions.end(); ++next) write_geom(*next, Role::collision, body, moves);
}

void MjcfShapeWriter::write_geom(const PlacedShape& s, Role role, const std::string& body, bool moves) {
  check_shape(s.shape, body, moves);
  out_.open("geom");
  if (!s.name.empty()) {
    const std::string name = unique_name(s.name);
    out_.put("name", name);
    if (role != Role::visual) geoms_.try_emplace({body, s.name}, name);
  }
  out_.put("type", std::string(shape_name(s.shape.kind)));
  if (const auto size = sizes(s.shape); !size.empty()) out_.put("size", format_numbers(size));
  if (s.shape.kind == Shape::Kind::mesh) {
    const auto mesh = std::find(meshes_.begin(), meshes_.end(), s.shape);
    out_.put("mesh", fmt::format("mesh_{}", mesh - meshes_.begin()));
  }
  out_.put_pose(s.X_BS);
  if (s.color == kMujocoGrey)
    out_.put("material", kGreyMaterial);
  else if (s.color)
    out_.put("rgba", format_numbers(*s.color));
  if (role == Role::visual) out_.put("contype", "0"), out_.put("conaffinity", "0");
  if (role == Role::collision) out_.put("group", "3");
  if (role != Role::visual && s.surface) write_surface(*s.surface);
  out_.close();
}

/// What differs from MuJoCo's defaults. MJCF has one rule for two coefficients: the larger one.
void MjcfShapeWriter::write_surface(const ContactSurface& s) {
  const ContactSurface standard;
  if (s.friction && *s.friction != 1.0) out_.put("friction", *s.friction);
  if (s.frictionless) out_.put("condim", "1");
  if (s.priority != standard.priority) out_.put("priority", std::to_string(s.priority));
  if (s.type != standard.type) out_.put("contype", std::to_string(s.type));
  if (s.affinity != standard.affinity) out_.put("conaffinity", std::to_string(s.affinity));
  if (s.margin != standard.margin) out_.put("margin", s.margin);
}

void MjcfShapeWriter::write_contacts(const ContactRules& rules) {
  MjcfSection contact(out_, "contact");
  for (const ContactPairDescription& p : rules.pairs) {
    const auto a = geoms_.find({p.a.body, p.a.shape}), b = geoms_.find({p.b.body, p.b.shape});
    if (p.a.shape.empty() || p.b.shape.empty() || a == geoms_.end() || b == geoms_.end())
      throw Error(fmt::format("contact pair '{}': MJCF cannot say a pair of shapes without a name", p.name));
    contact.entry("pair");
    if (!p.name.empty()) out_.put("name", p.name);
    out_.put("geom1", a->second), out_.put("geom2", b->second);
    out_.put("friction", format_numbers(std::array{p.friction, p.friction}));
    if (p.friction == 0.0) out_.put("condim", "1");
    if (p.margin != 0.0) out_.put("margin", p.margin);
    out_.close();
  }
  for (const ContactExclusion& e : rules.exclusions) {
    contact.entry("exclude");
    out_.put("body1", e.body_a), out_.put("body2", e.body_b);
    out_.close();
  }
}

/// MJCF wants the names of geoms to differ, URDF and SDFormat do not.
std::string MjcfShapeWriter::unique_name(const std::string& wish) {
  std::string name = wish;
  const auto taken = [&] { return std::find(names_.begin(), names_.end(), name) != names_.end(); };
  for (int i = 2; taken(); ++i) name = fmt::format("{}_{}", wish, i);
  return names_.emplace_back(name);
}

}  // namespace amble
