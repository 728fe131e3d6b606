#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <cstdlib>

#include "amble/io/mjcf/model.hpp"

namespace amble {

namespace {

using Kind = MjcfView::Kind;

/// MuJoCo gives half lengths.
std::optional<Shape> primitive(int type, const double* s) {
  switch (type) {
    case mjGEOM_PLANE:
      return Shape{Shape::Kind::plane, {0.0, 0.0, 0.0}, {}};
    case mjGEOM_SPHERE:
      return Shape{Shape::Kind::sphere, {s[0], 0.0, 0.0}, {}};
    case mjGEOM_CAPSULE:
      return Shape{Shape::Kind::capsule, {s[0], 2.0 * s[1], 0.0}, {}};
    case mjGEOM_CYLINDER:
      return Shape{Shape::Kind::cylinder, {s[0], 2.0 * s[1], 0.0}, {}};
    case mjGEOM_ELLIPSOID:
      return Shape{Shape::Kind::ellipsoid, {s[0], s[1], s[2]}, {}};
    case mjGEOM_BOX:
      return Shape{Shape::Kind::box, {2.0 * s[0], 2.0 * s[1], 2.0 * s[2]}, {}};
    default:
      return {};
  }
}

/// MuJoCo keeps colours in single precision; the shortest decimal is what the file said.
double as_written(float x) { return std::strtod(fmt::format("{}", x).c_str(), nullptr); }

/// The geom's own colour unless it is MuJoCo's default grey, else the material's, as MuJoCo draws it.
std::optional<std::array<double, 4>> color(const mjModel& m, int id) {
  const float* rgba = m.geom_rgba + 4 * id;
  const bool is_default = rgba[0] == 0.5f && rgba[1] == 0.5f && rgba[2] == 0.5f && rgba[3] == 1.0f;
  if (is_default && m.geom_matid[id] < 0) return {};
  if (is_default) rgba = m.mat_rgba + 4 * m.geom_matid[id];
  return std::array{as_written(rgba[0]), as_written(rgba[1]), as_written(rgba[2]), as_written(rgba[3])};
}

std::optional<PlacedShape> placed(const MjcfView& view, int id,
                                  const std::map<std::string, MjcfStandIn>& stand_ins) {
  const mjModel& m = view.model();
  const Pose X_BG = mjcf_pose(m.geom_pos + 3 * id, m.geom_quat + 4 * id);
  const std::string name = view.file_name(Kind::geom, id);
  const auto found = stand_ins.find(name);
  if (found == stand_ins.end()) {
    const auto shape = primitive(m.geom_type[id], m.geom_size + 3 * id);
    return shape ? std::optional(PlacedShape{name, *shape, X_BG, color(m, id)}) : std::nullopt;
  }
  const MjcfStandIn& mesh = found->second;
  if (!mesh.shape) return {};
  return PlacedShape{mesh.name, *mesh.shape, X_BG * mesh.X_GS, color(m, id)};
}

}  // namespace

/// What cannot collide is there to be seen; what can is seen too, unless it is in a group that MuJoCo's
/// viewers hide from the start (3 and up), where models keep their collision shapes.
void add_mjcf_shapes(const MjcfView& view, const std::map<std::string, MjcfStandIn>& stand_ins,
                     ModelDescription& out) {
  constexpr int kFirstHiddenGroup = 3;
  const mjModel& m = view.model();
  std::map<std::string, BodyDescription*> bodies;
  for (BodyDescription& b : out.bodies) bodies[b.name] = &b;
  for (int id = 0; id < m.ngeom; ++id) {
    const auto shape = placed(view, id, stand_ins);
    if (!shape) {
      out.findings.push_back(
          view.problem(Severity::note, Kind::geom, id, "not used: height field, or mesh without a file"));
      continue;
    }
    const bool collides = m.geom_contype[id] != 0 || m.geom_conaffinity[id] != 0;
    const int body = m.geom_bodyid[id];
    BodyDescription* on = body == 0 ? nullptr : bodies.at(view.body(body));
    if (collides) (on ? on->collisions : out.world_collisions).push_back(*shape);
    if (!collides || m.geom_group[id] < kFirstHiddenGroup)
      (on ? on->visuals : out.world_visuals).push_back(*shape);
  }
}

void add_mjcf_sites(const MjcfView& view, ModelDescription& out) {
  const mjModel& m = view.model();
  for (int id = 0; id < m.nsite; ++id) {
    const std::string given = view.file_name(Kind::site, id);
    if (!given.empty() && given != view.site(id))
      out.findings.push_back(
          view.problem(Severity::note, Kind::site, id,
                       fmt::format("called '{}' here, since a body has its name", view.site(id))));
    out.frames.push_back({view.site(id), view.body(m.site_bodyid[id]),
                          mjcf_pose(m.site_pos + 3 * id, m.site_quat + 4 * id), view.line(Kind::site, id)});
  }
}

}  // namespace amble
