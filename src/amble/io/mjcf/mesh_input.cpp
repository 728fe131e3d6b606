#include "amble/io/mjcf/mesh_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/limits.hpp"
#include "amble/io/mesh/load_mesh.hpp"
#include "amble/io/mesh/mesh_checks.hpp"
#include "amble/io/mesh/mesh_files.hpp"
#include "amble/io/xml/numbers.hpp"

namespace amble {

namespace {

[[noreturn]] void refuse(const MjcfElement& e, const std::string& reason) {
  throw Error(e.problem(Severity::error, reason).text());
}

std::vector<double> triples(const MjcfElement& asset, const char* attribute) {
  const auto numbers = parse_numbers(asset.get(attribute));
  if (!numbers) refuse(asset, fmt::format("{} is not a list of numbers", attribute));
  if (numbers->size() % 3 != 0)
    refuse(asset, fmt::format("{} has {} numbers; expected a multiple of 3", attribute, numbers->size()));
  return *numbers;
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

void keep_first_object(const MjcfElement& asset, TriangleMesh& mesh, Problems& findings) {
  if (mesh.objects.size() < 2) return;
  mesh.triangles.resize(mesh.objects[1]);
  findings.push_back(
      asset.problem(Severity::warning,
                    fmt::format("the file has {} objects; its inertia is that of the first, as in MuJoCo",
                                mesh.objects.size())));
}

/// Where the vertices come to lie in MuJoCo.
void check_scaled(const MjcfElement& asset, const TriangleMesh& mesh, const Vector3<double>& scale) {
  const auto refpos = parse_numbers(asset.get("refpos")).value_or(std::vector<double>{});
  Vector3<double> p = Vector3<double>::Zero();
  if (refpos.size() == 3) p = Vector3<double>(refpos[0], refpos[1], refpos[2]);
  for (const Vector3<double>& v : mesh.vertices)
    if (const Vector3<double> scaled = scale.cwiseProduct(Vector3<double>(v - p)); !is_usable(scaled))
      refuse(asset, fmt::format("scale and refpos bring a vertex to ({:g}, {:g}, {:g}) m; {}", scaled[0],
                                scaled[1], scaled[2], limit_text(Limit::length)));
}

/// The one of the points for which `measure` is largest, and that value.
template <class Measure>
std::pair<Vector3<double>, double> farthest(const std::vector<Vector3<double>>& points, Measure measure) {
  std::pair<Vector3<double>, double> out{points[0], 0.0};
  for (const Vector3<double>& p : points)
    if (const double x = measure(p); x > out.second) out = {p, x};
  return out;
}

/// To single precision, in which MuJoCo keeps vertices.
bool lie_in_a_plane(const std::vector<Vector3<double>>& points) {
  constexpr double kRounding = 1e-6;
  const Vector3<double>& a = points[0];
  const auto [b, length] = farthest(points, [&](const auto& p) { return (p - a).norm(); });
  const Vector3<double> along = (b - a).normalized();
  const auto [c, width] = farthest(points, [&](const auto& p) { return cross<double>(along, p - a).norm(); });
  const Vector3<double> normal = cross<double>(along, c - a).normalized();
  const double depth = farthest(points, [&](const auto& p) { return std::abs(normal.dot(p - a)); }).second;
  return std::min(width, depth) <= kRounding * std::max(length, a.norm());
}

TriangleMesh read_mesh(const MjcfElement& asset, const std::string& path) {
  if (!path.empty() && !asset.get("vertex").empty())
    refuse(asset, "has both a file and vertices; expected one");
  if (path.empty()) return mjcf_inline_mesh(asset);
  if (!has_own_reader(path))
    refuse(asset,
           fmt::format("file '{}': expected a name that ends in .obj, .stl or .msh", asset.get("file")));
  try {
    return load_mesh(path);
  } catch (const Error& e) {
    refuse(asset, e.what());
  }
}

}  // namespace

TriangleMesh mjcf_inline_mesh(const MjcfElement& asset) {
  TriangleMesh out;
  const std::vector<double> x = triples(asset, "vertex"), faces = triples(asset, "face");
  for (std::size_t i = 0; i < x.size(); i += 3) {
    out.vertices.emplace_back(x[i], x[i + 1], x[i + 2]);
    if (!is_usable(out.vertices.back()))
      refuse(asset, fmt::format("vertex ({}, {}, {}) m; a coordinate is {}", x[i], x[i + 1], x[i + 2],
                                limit_text(Limit::length)));
  }
  const auto index = [&](std::size_t i) { return vertex_index(asset, faces[i], out.vertices.size()); };
  for (std::size_t i = 0; i < faces.size(); i += 3)
    out.triangles.push_back({index(i), index(i + 1), index(i + 2)});
  return out;
}

std::string mjcf_mesh_file(const MjcfElement& asset, const std::string& path, const Vector3<double>& scale,
                           Problems& findings) {
  constexpr std::size_t kFewest = 4;
  TriangleMesh mesh = read_mesh(asset, path);
  keep_first_object(asset, mesh, findings);
  if (mesh.vertices.size() < kFewest)
    refuse(asset, fmt::format("a mesh of {} vertices has no inertia; expected {} or more",
                              mesh.vertices.size(), kFewest));
  // Qhull, of which MuJoCo has such a hull, explains itself at length on the terminal before it refuses.
  if (mesh.triangles.empty() && lie_in_a_plane(mesh.vertices))
    refuse(asset, "its vertices lie in one plane and have no hull; expected faces, or points of a solid");
  if ((path.empty() || !mesh.objects.empty()) && has_inconsistent_faces(mesh))
    refuse(asset, "some faces are turned over: neighbors do not agree which side is outside");
  check_scaled(asset, mesh, scale);
  return write_msh(mesh);
}

}  // namespace amble
