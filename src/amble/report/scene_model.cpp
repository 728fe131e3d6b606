#include "amble/report/scene_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "amble/io/mesh/load_mesh.hpp"

namespace amble {

namespace {

constexpr std::size_t kMostCorners = 400000;  // of one mesh: pages are to open in seconds

/// How large a mechanism is, roughly: the farthest that a joint is from the one before it.
double typical_length(const Mechanism& m) {
  double longest = 0.0;
  for (const Joint& joint : m.joints())
    if (joint.parent >= 0)
      longest = std::max({longest, joint.X_PF.translation().norm(), joint.X_CM.translation().norm()});
  for (const Body& body : m.bodies())
    if (body.inertia.mass() > 0.0) longest = std::max(longest, body.inertia.com().norm());
  return longest > 0.0 ? longest : 1.0;
}

/// Turns z along a direction.
Pose along(const Vector3<double>& from, const Vector3<double>& to) {
  const Vector3<double> z = (to - from).normalized();
  const Vector3<double> axis = cross<double>(Vector3<double>::UnitZ(), z);
  const double sine = axis.norm(), angle = std::atan2(sine, z.z());
  const Vector3<double> turn =
      sine > 1e-12 ? Vector3<double>(axis / sine * angle) : Vector3<double>(angle, 0.0, 0.0);
  return Pose(SO3<double>::exp(turn), 0.5 * (from + to));
}

/// Draws bodies that have no shapes.
class Sticks {
 public:
  Sticks(const Mechanism& m, std::vector<std::vector<ViewShape>>& links)
      : m_(m), links_(links), radius_(0.03 * typical_length(m)) {}

  void draw(int index) {
    const Body& body = m_.bodies()[index];
    const Vector3<double> start =
        body.joint < 0 ? Vector3<double>::Zero() : m_.joints()[body.joint].X_CM.translation();
    bool drawn = false;
    for (const Joint& joint : m_.joints())
      if (joint.parent == index) drawn |= add_stick(body, start, joint.X_PF.translation());
    for (const Loop& loop : m_.loops())
      for (const auto& [on, X_LN] : {std::pair{loop.body_a, loop.X_AN}, {loop.body_b, loop.X_BN}})
        if (on == index) drawn |= add_stick(body, start, body.X_LB.inverse() * X_LN.translation());
    for (const RollingWheel& wheel : m_.rollings())
      if (wheel.body == index) drawn |= add_wheel(body, wheel);
    if (body.inertia.mass() > 0.0) add_mass(body, start, drawn);
  }

 private:
  void add(const Body& body, Shape::Kind kind, const Vector3<double>& size, const Pose& X_BS) {
    links_[body.link].push_back(
        {.kind = kind, .size = size, .X_LS = body.X_LB * X_BS, .body = body.name, .made_up = true});
  }
  bool add_stick(const Body& body, const Vector3<double>& from, const Vector3<double>& to) {
    const double length = (to - from).norm();
    if (length > radius_) add(body, Shape::Kind::capsule, {radius_, length, 0.0}, along(from, to));
    return length > radius_;
  }
  bool add_wheel(const Body& body, const RollingWheel& wheel) {
    add(body, Shape::Kind::cylinder, {wheel.radius, 0.3 * wheel.radius, 0.0},
        body.X_LB.inverse() * wheel.X_LW);
    return true;
  }
  /// A ball as large as its mass is of water's weight, but seen; and a stick to it where nothing else was
  /// drawn.
  void add_mass(const Body& body, const Vector3<double>& start, bool drawn) {
    const Vector3<double> center = body.inertia.com();
    const double solid = std::cbrt(0.75 * body.inertia.mass() / (1000.0 * std::numbers::pi));
    if (!drawn) add_stick(body, start, center);
    add(body, Shape::Kind::sphere, {std::clamp(solid, 1.6 * radius_, 4.0 * radius_), 0.0, 0.0}, Pose(center));
  }

  const Mechanism& m_;
  std::vector<std::vector<ViewShape>>& links_;
  double radius_;
};

class ModelReader {
 public:
  explicit ModelReader(const Mechanism& m) : m_(m) { out_.links.resize(m.links().size()); }

  SceneModel read() {
    const ModelDescription& d = m_.description();
    add_all(d.world_visuals.empty() ? d.world_collisions : d.world_visuals, kWorld, 0, Pose());
    std::vector<char> seen(m_.bodies().size(), 0);
    for (const BodyDescription& body : d.bodies) {
      const int index = m_.body_index(body.name);
      if (index >= 0) seen[index] = add_body(body, m_.bodies()[index]);
    }
    add_sticks(m_, seen, out_.links);
    return std::move(out_);
  }

 private:
  bool add_body(const BodyDescription& described, const Body& body) {
    return add_all(described.visuals, body.name, body.link, body.X_LB) ||
           add_all(described.collisions, body.name, body.link, body.X_LB);
  }

  bool add_all(const std::vector<PlacedShape>& shapes, const std::string& body, int link, const Pose& X_LB) {
    bool any = false;
    for (const PlacedShape& placed : shapes) {
      ViewShape shape{
          .kind = placed.shape.kind, .size = placed.shape.size, .X_LS = X_LB * placed.X_BS, .body = body};
      shape.color = placed.color;
      if (shape.kind == Shape::Kind::mesh && !read_mesh(placed.shape, shape)) continue;
      out_.links[link].push_back(std::move(shape));
      any = true;
    }
    return any;
  }

  bool read_mesh(const Shape& from, ViewShape& shape) {
    try {
      shape.mesh = std::make_shared<Triangles>(load_triangles(from));
      return true;
    } catch (const Error& e) {
      out_.notes.push_back(fmt::format("'{}' is drawn without a mesh: {}", shape.body, e.what()));
      return false;
    }
  }

  const Mechanism& m_;
  SceneModel out_;
};

/// The surface that a profile (radius, height) makes as it turns about z; ends on the axis are points.
Triangles turned(const std::vector<std::pair<double, double>>& profile, int around) {
  Triangles out;
  for (const auto& [radius, height] : profile)
    for (int i = 0; i < around; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / around;
      out.corners.emplace_back(radius * std::cos(angle), radius * std::sin(angle), height);
    }
  for (int ring = 0; ring + 1 < static_cast<int>(profile.size()); ++ring)
    for (int i = 0; i < around; ++i) {
      const int a = ring * around + i, b = ring * around + (i + 1) % around;
      if (profile[ring].first > 0.0) out.faces.push_back({a, b, a + around});
      if (profile[ring + 1].first > 0.0) out.faces.push_back({b, b + around, a + around});
    }
  return out;
}

/// Of a capsule from the bottom to the top; of a ball where it has no length.
std::vector<std::pair<double, double>> round_profile(double radius, double length, int around) {
  std::vector<std::pair<double, double>> out;
  const int half = std::max(2, around / 4);
  for (int side : {-1, 1})
    for (int i = 0; i <= half; ++i) {
      const double angle = 0.5 * std::numbers::pi * (side < 0 ? i - half : i) / half;
      const bool pole = i == (side < 0 ? 0 : half);
      out.emplace_back(pole ? 0.0 : radius * std::cos(angle), side * 0.5 * length + radius * std::sin(angle));
    }
  return out;
}

Triangles box_triangles(const Vector3<double>& size) {
  Triangles out;
  for (int i = 0; i < 8; ++i)
    out.corners.emplace_back(size.cwiseProduct(Vector3<double>(i & 1, i >> 1 & 1, i >> 2)) - 0.5 * size);
  for (const std::array<int, 4>& f :
       {std::array{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
    out.faces.push_back({f[0], f[1], f[2]});
    out.faces.push_back({f[0], f[2], f[3]});
  }
  return out;
}

}  // namespace

SceneModel scene_model(const Mechanism& mechanism) { return ModelReader(mechanism).read(); }

std::vector<std::string> link_names(const Mechanism& m) {
  std::vector<std::string> out(m.links().size());
  out[0] = kWorld;
  for (const Body& body : m.bodies())
    if (out[body.link].empty()) out[body.link] = body.name;
  return out;
}

void add_sticks(const Mechanism& m, const std::vector<char>& drawn,
                std::vector<std::vector<ViewShape>>& links) {
  // Beside bodies that are drawn, those without mass only carry: nobody drew them, so nobody wants to see
  // them.
  const bool some_drawn = std::find(drawn.begin(), drawn.end(), 1) != drawn.end();
  Sticks sticks(m, links);
  for (std::size_t i = 0; i < drawn.size(); ++i)
    if (!drawn[i] && !(some_drawn && m.bodies()[i].inertia.mass() == 0.0)) sticks.draw(static_cast<int>(i));
}

Triangles shared_corners(const TriangleMesh& read) {
  const std::vector<int> first = first_equal(read.vertices);
  std::vector<int> number(read.vertices.size());
  Triangles out;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const bool is_new = first[i] == static_cast<int>(i);
    number[i] = is_new ? static_cast<int>(out.corners.size()) : number[first[i]];
    if (is_new) out.corners.push_back(read.vertices[i]);
  }
  for (const auto& [a, b, c] : read.triangles) out.faces.push_back({number[a], number[b], number[c]});
  return out;
}

Triangles load_triangles(const Shape& mesh) {
  Triangles out = shared_corners(load_mesh(mesh));
  if (out.corners.size() > kMostCorners)
    throw Error(fmt::format("mesh file '{}' has {} corners: expected {} or fewer", mesh.file, out.corners.size(),
                            kMostCorners));
  return out;
}

Triangles triangles_of(const ViewShape& shape, int around) {
  const Vector3<double>& size = shape.size;
  switch (shape.kind) {
    case Shape::Kind::box:
      return box_triangles(size);
    case Shape::Kind::sphere:
      return turned(round_profile(size[0], 0.0, around), around);
    case Shape::Kind::capsule:
      return turned(round_profile(size[0], size[1], around), around);
    case Shape::Kind::cylinder:
      return turned(
          {{0.0, -0.5 * size[1]}, {size[0], -0.5 * size[1]}, {size[0], 0.5 * size[1]}, {0.0, 0.5 * size[1]}},
          around);
    case Shape::Kind::ellipsoid: {
      Triangles out = turned(round_profile(1.0, 0.0, around), around);
      for (Vector3<double>& p : out.corners) p = p.cwiseProduct(size);
      return out;
    }
    default:
      return shape.mesh ? *shape.mesh : Triangles{};
  }
}

}  // namespace amble
