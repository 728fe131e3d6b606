#include "amble/report/model_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "amble/io/mesh/load_mesh.hpp"
#include "amble/report/simplified_mesh.hpp"

namespace amble {

namespace {

constexpr std::size_t kMostRead =
    20'000'000;  // triangles of all files: what a page can be made of in seconds

/// Reads each file once.
class MeshShelf {
 public:
  /// The place of a mesh; throws an Error when it cannot be read.
  int place(const Shape& shape) {
    const std::string& file = shape.path.empty() ? shape.file : shape.path;
    const auto [found, is_new] = places_.try_emplace(file, Entry{});
    if (is_new) read(shape, found->second);
    if (!found->second.reason.empty()) throw Error(found->second.reason);
    MeshUse& use = meshes_[static_cast<std::size_t>(found->second.place)];
    use.scale = std::max(use.scale, shape.size.cwiseAbs().maxCoeff());
    return found->second.place;
  }
  std::vector<MeshUse>& meshes() { return meshes_; }

 private:
  struct Entry {
    int place = -1;
    std::string reason;
  };

  void read(const Shape& shape, Entry& entry) {
    try {
      if (triangles_ > kMostRead)
        throw Error("not read: the meshes before it have more triangles than a page can show");
      Shape unscaled = shape;
      unscaled.size = Vector3<double>::Ones();
      Triangles mesh = shared_corners(load_mesh(unscaled));
      if (mesh.faces.empty()) throw Error("has no triangles");
      triangles_ += mesh.faces.size();
      entry.place = static_cast<int>(meshes_.size());
      meshes_.push_back({.mesh = std::move(mesh), .scale = 1e-9});
    } catch (const Error& e) {
      entry.reason = e.what();
    }
  }

  std::map<std::string, Entry> places_;
  std::vector<MeshUse> meshes_;
  std::size_t triangles_ = 0;
};

class Gatherer {
 public:
  explicit Gatherer(const Mechanism& m) : m_(m) {}

  ModelShapes gather(std::size_t most_triangles) {
    const ModelDescription& d = m_.description();
    add_body(d.world_visuals, d.world_collisions, -1);
    std::vector<char> drawn(m_.bodies().size(), 0);
    for (const BodyDescription& body : d.bodies) {
      const int index = m_.body_index(body.name);
      if (index >= 0)
        drawn[static_cast<std::size_t>(index)] = add_body(body.visuals, body.collisions, index);
      else
        add_body(body.visuals, body.collisions, -1);  // a body named "world"
    }
    add_stick_figures(drawn);
    simplify_all(most_triangles);
    return std::move(out_);
  }

 private:
  bool add_body(const std::vector<PlacedShape>& visuals, const std::vector<PlacedShape>& collisions,
                int body) {
    const std::size_t missing = out_.missing.size();
    bool seen = add_all(visuals, body, false);
    const bool incomplete = !seen || out_.missing.size() > missing;
    const std::size_t collision = out_.shapes.size();
    if (add_all(collisions, body, true) && incomplete) seen = show_collisions(collision);
    if (!seen && out_.missing.size() > missing && body >= 0) seen = add_wire(body);
    return seen;
  }

  bool add_all(const std::vector<PlacedShape>& shapes, int body, bool collision) {
    bool any = false;
    for (const PlacedShape& placed : shapes) any |= add(placed, body, collision);
    return any;
  }

  bool add(const PlacedShape& placed, int body, bool collision) {
    const Body* on = body < 0 ? nullptr : &m_.bodies()[static_cast<std::size_t>(body)];
    ModelShape shape{.kind = placed.shape.kind,
                     .size = placed.shape.size,
                     .X_LS = on ? on->X_LB * placed.X_BS : placed.X_BS,
                     .color = placed.color,
                     .body = body,
                     .link = on ? on->link : 0,
                     .collision = collision};
    if (shape.kind == Shape::Kind::plane && shape.link == 0) {
      if (!out_.ground) out_.ground = shape.X_LS;
      return true;
    }
    if (shape.kind == Shape::Kind::mesh) try {
        shape.mesh = shelf_.place(placed.shape);
      } catch (const Error& e) {
        note_missing(on ? on->name : kWorld, placed.shape.file, e.what());
        return false;
      }
    out_.shapes.push_back(std::move(shape));
    return true;
  }

  void note_missing(const std::string& body, const std::string& file, const std::string& reason) {
    if (noted_.emplace(body, file).second) out_.missing.push_back({body, file, reason});
  }

  /// Copies of the collision shapes from `first` on, of a body that has not all it should look like.
  bool show_collisions(std::size_t first) {
    const std::size_t end = out_.shapes.size();
    for (std::size_t i = first; i < end; ++i) {
      ModelShape copy = out_.shapes[i];
      copy.collision = false, copy.made_up = true;
      out_.shapes.push_back(std::move(copy));
    }
    return end > first;
  }

  bool add_wire(int index) {
    const Body& body = m_.bodies()[static_cast<std::size_t>(index)];
    if (!(body.inertia.mass() > 0.0)) return false;
    const PrincipalMoments principal = principal_moments(body.inertia);
    const Vector3<double> size = 2.0 * inertia_ellipsoid(body.inertia.mass(), principal.moments);
    if (!(size.maxCoeff() > 0.0)) return false;
    out_.shapes.push_back({.kind = Shape::Kind::box,
                           .size = size,
                           .X_LS = body.X_LB * Pose(SO3<double>(principal.axes), body.inertia.com()),
                           .body = index,
                           .link = body.link,
                           .made_up = true,
                           .wire = true});
    return true;
  }

  void add_stick_figures(const std::vector<char>& drawn) {
    std::vector<std::vector<ViewShape>> sticks(m_.links().size());
    add_sticks(m_, drawn, sticks);
    for (std::size_t link = 0; link < sticks.size(); ++link)
      for (const ViewShape& stick : sticks[link])
        out_.shapes.push_back({.kind = stick.kind,
                               .size = stick.size,
                               .X_LS = stick.X_LS,
                               .body = m_.body_index(stick.body),
                               .link = static_cast<int>(link),
                               .made_up = true});
  }

  void simplify_all(std::size_t most_triangles) {
    std::vector<MeshUse>& meshes = shelf_.meshes();
    std::vector<std::size_t> seen(meshes.size(), 0), touched(meshes.size(), 0);
    for (const ModelShape& shape : out_.shapes)
      if (shape.mesh >= 0) ++(shape.collision ? touched : seen)[static_cast<std::size_t>(shape.mesh)];
    for (std::size_t i = 0; i < meshes.size(); ++i) meshes[i].uses = std::max(seen[i], touched[i]);
    out_.triangles_before = triangles(meshes, seen);
    out_.cell = simplify(meshes, most_triangles);
    out_.triangles = triangles(meshes, seen);
    for (MeshUse& m : meshes) out_.meshes.push_back(std::move(m.mesh));
  }

  static std::size_t triangles(const std::vector<MeshUse>& meshes, const std::vector<std::size_t>& uses) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < meshes.size(); ++i) sum += uses[i] * meshes[i].mesh.faces.size();
    return sum;
  }

  const Mechanism& m_;
  MeshShelf shelf_;
  std::set<std::pair<std::string, std::string>> noted_;
  ModelShapes out_;
};

}  // namespace

ModelShapes model_shapes(const Mechanism& mechanism, std::size_t most_triangles) {
  return Gatherer(mechanism).gather(most_triangles);
}

Vector3<double> inertia_ellipsoid(double mass, const Vector3<double>& moments) {
  if (!(mass > 0.0)) return Vector3<double>::Zero();
  Vector3<double> out;
  for (int i = 0; i < 3; ++i)
    out[i] = std::sqrt(std::max(0.0, 2.5 * (moments.sum() - 2.0 * moments[i]) / mass));
  return out;
}

}  // namespace amble
