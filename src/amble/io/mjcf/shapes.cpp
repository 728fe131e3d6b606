#include <fmt/format.h>

#include <set>

#include "amble/io/mjcf/describe.hpp"

namespace amble {

namespace {

using Type = CompiledGeom::Type;

/// MuJoCo gives half lengths. Nothing for what has no shape here.
std::optional<Shape> primitive(Type type, const Vector3<double>& s) {
  switch (type) {
    case Type::plane:
      return Shape{Shape::Kind::plane, {0.0, 0.0, 0.0}, {}};
    case Type::sphere:
      return Shape{Shape::Kind::sphere, {s[0], 0.0, 0.0}, {}};
    case Type::capsule:
      return Shape{Shape::Kind::capsule, {s[0], 2.0 * s[1], 0.0}, {}};
    case Type::cylinder:
      return Shape{Shape::Kind::cylinder, {s[0], 2.0 * s[1], 0.0}, {}};
    case Type::ellipsoid:
      return Shape{Shape::Kind::ellipsoid, s, {}};
    case Type::box:
      return Shape{Shape::Kind::box, 2.0 * s, {}};
    default:
      return {};
  }
}

std::optional<PlacedShape> placed(const CompiledGeom& geom) {
  if (geom.type == Type::mesh) {
    std::optional<PlacedShape> out = geom.mesh->shape();
    if (out) out->name = geom.name, out->X_BS = geom.X_BX * out->X_BS, out->color = geom.color;
    return out;
  }
  const auto shape = primitive(geom.type, geom.size);
  return shape ? std::optional(PlacedShape{geom.name, *shape, geom.X_BX, geom.color}) : std::nullopt;
}

/// Geoms that a <pair> names, by body and name.
using PairedGeoms = std::set<std::pair<std::string, std::string>>;

PairedGeoms paired_geoms(const ContactRules& rules) {
  PairedGeoms out;
  for (const ContactPairDescription& p : rules.pairs)
    for (const ShapeReference& r : {p.a, p.b}) out.emplace(r.body, r.shape);
  return out;
}

/// What cannot collide is there to be seen; what can is seen too, unless it is in a group that MuJoCo's
/// viewers hide from the start (3 and up), where models keep their collision shapes.
void add(const PlacedShape& shape, const CompiledGeom& geom, bool collides, std::vector<PlacedShape>& visuals,
         std::vector<PlacedShape>& collisions) {
  constexpr double kFirstHiddenGroup = 3.0;
  if (collides) collisions.push_back(shape), collisions.back().surface = geom.surface;
  if (!collides || geom.group < kFirstHiddenGroup) visuals.push_back(shape);
}

}  // namespace

bool CompiledGeom::has_shape() const {
  return type == Type::mesh ? mesh->shape().has_value() : primitive(type, size).has_value();
}

void describe_shapes(MjcfDescriber& d) {
  std::map<std::string, BodyDescription*> bodies;
  const PairedGeoms paired = paired_geoms(d.out.contact);
  for (BodyDescription& b : d.out.bodies) bodies[b.name] = &b;
  for (std::size_t i = 0; i < d.model.bodies.size(); ++i) {
    const std::string& name = d.names.body(static_cast<int>(i));
    BodyDescription* on = i == 0 ? nullptr : bodies.at(name);
    for (const CompiledGeom& geom : d.model.bodies[i].geoms) {
      const bool is_paired = !geom.name.empty() && paired.contains({name, geom.name});
      const bool collides = d.model.options.contacts && (geom.collides() || is_paired);
      if (const auto shape = placed(geom))
        add(*shape, geom, collides, on ? on->visuals : d.out.world_visuals,
            on ? on->collisions : d.out.world_collisions);
      else
        d.say(Severity::note, *geom.element,
              "not used: height field, signed distances, or mesh without a file");
    }
  }
}

void describe_sites(MjcfDescriber& d) {
  for (std::size_t i = 0; i < d.model.bodies.size(); ++i)
    for (const CompiledSite& site : d.model.bodies[i].sites) {
      const std::string& name = d.names.site(&site);
      if (!site.name.empty() && site.name != name)
        d.say(Severity::note, *site.element,
              fmt::format("called '{}' here, since a body has its name", name));
      d.out.frames.push_back({name, d.names.body(static_cast<int>(i)), site.X_BS, d.line(*site.element)});
    }
}

}  // namespace amble
