#include <fmt/format.h>

#include <cmath>

#include "amble/base/limits.hpp"
#include "amble/io/mesh/hull.hpp"
#include "amble/io/mesh/load_mesh.hpp"
#include "amble/io/mesh/mesh_checks.hpp"
#include "amble/io/mjcf/assets.hpp"
#include "amble/io/mjcf/orientation.hpp"
#include "amble/io/xml/numbers.hpp"

namespace amble {

namespace {

MjcfMeshInertia inertia_mode(const MjcfValues& asset, const MjcfSettings& settings) {
  const std::string mode = asset.text("inertia", settings.exact_mesh_inertia ? "exact" : "legacy");
  return mode == "exact"    ? MjcfMeshInertia::exact
         : mode == "convex" ? MjcfMeshInertia::convex
         : mode == "shell"  ? MjcfMeshInertia::shell
                            : MjcfMeshInertia::legacy;
}

std::vector<double> triples(const MjcfElement& asset, const char* attribute, const std::string* text) {
  auto numbers = parse_numbers(text == nullptr ? "" : *text).value_or(std::vector<double>{});
  if (numbers.size() % 3 != 0)
    refuse(asset, fmt::format("{} has {} numbers; expected a multiple of 3", attribute, numbers.size()));
  return numbers;
}

int vertex_index(const MjcfElement& asset, double index, std::size_t vertices) {
  if (!(index >= 0.0 && index < static_cast<double>(vertices)))
    refuse(asset, fmt::format("face names vertex {} of {}", index, vertices));
  if (index != std::floor(index))
    refuse(asset, fmt::format("face names vertex {}; expected a whole number", index));
  return static_cast<int>(index);
}

/// A directed edge that two triangles share: one of them is turned over.
bool has_inconsistent_faces(const TriangleMesh& mesh) {
  std::vector<std::pair<int, int>> edges;
  for (const auto& [a, b, c] : mesh.triangles) edges.insert(edges.end(), {{a, b}, {b, c}, {c, a}});
  std::sort(edges.begin(), edges.end());
  return std::adjacent_find(edges.begin(), edges.end()) != edges.end();
}

/// MuJoCo keeps vertices in single precision.
void round_to_float(Vector3<double>& v) {
  for (double& x : v) x = static_cast<double>(static_cast<float>(x));
}

}  // namespace

MjcfMesh::MjcfMesh(const MjcfValues& asset, const MjcfSettings& settings, std::string file, std::string path)
    : element_(asset.element()),
      vertices_(asset.own("vertex")),
      faces_(asset.own("face")),
      file_(std::move(file)),
      path_(std::move(path)),
      material_(asset.text("material")),
      scale_(asset.vector("scale", {1.0, 1.0, 1.0})),
      refpos_(asset.vector("refpos")),
      R_ref_(mjcf_rotation(asset.element(), asset.numbers<4>("refquat", {1.0, 0.0, 0.0, 0.0}).data())),
      inertia_(inertia_mode(asset, settings)) {
  if (vertices_ != nullptr && file_.empty()) vertices_of_model();  // checked in any case
  if (vertices_ != nullptr && !file_.empty()) refuse(element_, "has both a file and vertices; expected one");
}

/// Vertices v are taken to S R^T (v - refpos), which is a pose after scaling when S and R commute.
std::optional<PlacedShape> MjcfMesh::shape() const {
  if (file_.empty()) return {};
  const Vector3<double> p = scale_.cwiseProduct(refpos_);
  return PlacedShape{"",
                     Shape{Shape::Kind::mesh, scale_, file_, path_},
                     Pose(R_ref_.inverse(), -(R_ref_.inverse() * p)),
                     {}};
}

const MjcfMeshMass& MjcfMesh::mass() const {
  if (mass_) return *mass_;
  TriangleMesh mesh = read();
  put_in_place(mesh);
  mass_ = mjcf_mesh_mass(mesh, inertia_);
  if (!mass_)
    refuse(element_, "has no volume to give an inertia; expected faces around a solid, or inertia=\"shell\"");
  return *mass_;
}

TriangleMesh MjcfMesh::vertices_of_model() const {
  TriangleMesh out;
  const std::vector<double> x = triples(element_, "vertex", vertices_),
                            faces = triples(element_, "face", faces_);
  for (std::size_t i = 0; i < x.size(); i += 3) {
    out.vertices.emplace_back(x[i], x[i + 1], x[i + 2]);
    if (!is_usable(out.vertices.back()))
      refuse(element_, fmt::format("vertex ({}, {}, {}) m; a coordinate is {}", x[i], x[i + 1], x[i + 2],
                                   limit_text(Limit::length)));
  }
  const auto index = [&](std::size_t i) { return vertex_index(element_, faces[i], out.vertices.size()); };
  for (std::size_t i = 0; i < faces.size(); i += 3)
    out.triangles.push_back({index(i), index(i + 1), index(i + 2)});
  return out;
}

TriangleMesh MjcfMesh::read() const {
  if (is_missing()) refuse(element_, fmt::format("its file '{}' is missing", file_));
  if (element_.find("builtin") != nullptr)
    refuse(element_, "is built in, which is not read; expected a file or vertices");
  if (path_.empty() && vertices_ == nullptr) refuse(element_, "has neither a file nor vertices");
  if (path_.empty()) return vertices_of_model();
  if (!has_own_reader(path_))
    refuse(element_, fmt::format("file '{}': expected a name that ends in .obj, .stl or .msh", file_));
  try {
    return load_mesh(path_, PolygonCut::ears_in_order);
  } catch (const Error& e) {
    refuse(element_, e.what());
  }
}

/// As MuJoCo takes it: faces of the first object only, hulls where there are no faces, mirrored ones turned
/// round.
void MjcfMesh::put_in_place(TriangleMesh& mesh) const {
  if (mesh.objects.size() > 1) {
    mesh.triangles.resize(mesh.objects[1]);
    notes_.push_back(element_.problem(
        Severity::warning,
        fmt::format("the file has {} objects; its inertia is that of the first, as in MuJoCo",
                    mesh.objects.size())));
  }
  if (mesh.vertices.size() < 4)
    refuse(element_,
           fmt::format("a mesh of {} vertices has no inertia; expected 4 or more", mesh.vertices.size()));
  for (Vector3<double>& v : mesh.vertices) round_to_float(v);
  try {
    if (mesh.triangles.empty() || inertia_ == MjcfMeshInertia::convex) mesh = convex_hull(mesh);
  } catch (const Error& e) {
    refuse(element_, e.what());
  }
  if (inertia_ == MjcfMeshInertia::exact && has_inconsistent_faces(mesh))
    refuse(element_, "some faces are turned over: neighbors do not agree which side is outside");
  const SO3<double> R = R_ref_.inverse();
  for (Vector3<double>& v : mesh.vertices) {
    v = scale_.cwiseProduct(Vector3<double>(R * Vector3<double>(v - refpos_)));
    if (!is_usable(v))
      refuse(element_, fmt::format("scale and refpos bring a vertex to ({:g}, {:g}, {:g}) m; {}", v[0], v[1],
                                   v[2], limit_text(Limit::length)));
  }
  if (scale_.prod() < 0.0)
    for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
}

}  // namespace amble
