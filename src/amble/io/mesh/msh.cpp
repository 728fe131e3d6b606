#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "amble/base/error.hpp"
#include "amble/io/mesh/bytes.hpp"
#include "amble/io/mesh/mesh_checks.hpp"
#include "amble/io/mesh/mesh_files.hpp"

// MuJoCo's XML reference, "MSH file format".
namespace amble {

namespace {

constexpr std::size_t kHeader = 16, kTriple = 12, kPair = 8;

struct Counts {
  std::int32_t vertices, normals, texture_coordinates, triangles;

  double bytes() const {
    return static_cast<double>(kHeader) + kTriple * (static_cast<double>(vertices) + normals + triangles) +
           kPair * static_cast<double>(texture_coordinates);
  }
  std::size_t triangles_begin() const {
    return kHeader + kTriple * (static_cast<std::size_t>(vertices) + static_cast<std::size_t>(normals)) +
           kPair * static_cast<std::size_t>(texture_coordinates);
  }
};

void check_counts(const Counts& c, std::size_t size, const std::string& file) {
  const auto optional = [&](std::int32_t count) { return count == 0 || count == c.vertices; };
  if (c.vertices < 1 || c.triangles < 0 || !optional(c.normals) || !optional(c.texture_coordinates))
    throw Error(
        fmt::format("{}: byte 0: {} vertices, {} normals, {} texture coordinates and {} triangles cannot be; "
                    "expected one or more vertices, as many normals and texture coordinates or none",
                    file, c.vertices, c.normals, c.texture_coordinates, c.triangles));
  if (c.bytes() != static_cast<double>(size))
    throw Error(fmt::format("{}: byte 0: {} vertices and {} triangles take {:.0f} bytes, but the file has {}",
                            file, c.vertices, c.triangles, c.bytes(), size));
  check_vertex_count(c.vertices, file + ": byte 0");
  check_triangle_count(c.triangles, file + ": byte 12");
}

Counts counts_of(std::string_view bytes, const std::string& file) {
  if (bytes.starts_with("$MeshFormat"))
    throw Error(fmt::format("{}: this is a file of Gmsh; expected the binary MSH format of MuJoCo", file));
  if (bytes.size() < kHeader)
    throw Error(
        fmt::format("{}: {} bytes are less than the header of an MSH file, {}", file, bytes.size(), kHeader));
  const auto count = [&](std::size_t i) { return number_at<std::int32_t>(bytes, 4 * i); };
  const Counts out{count(0), count(1), count(2), count(3)};
  check_counts(out, bytes.size(), file);
  return out;
}

Vector3<double> vertex_at(std::string_view bytes, std::size_t at, const std::string& file) {
  const Vector3<double> v(number_at<float>(bytes, at), number_at<float>(bytes, at + 4),
                          number_at<float>(bytes, at + 8));
  if (!is_usable(v)) check_vertex(v, fmt::format("{}: byte {}", file, at));
  return v;
}

int index_at(std::string_view bytes, std::size_t at, int vertices, const std::string& file) {
  const auto index = number_at<std::int32_t>(bytes, at);
  if (index < 0 || index >= vertices)
    throw Error(fmt::format("{}: byte {}: a triangle names vertex {} of {}, counted from 0", file, at, index,
                            vertices));
  return index;
}

}  // namespace

TriangleMesh read_msh(std::string_view bytes, const std::string& file) {
  const Counts counts = counts_of(bytes, file);
  TriangleMesh out;
  for (int i = 0; i < counts.vertices; ++i)
    out.vertices.push_back(vertex_at(bytes, kHeader + kTriple * static_cast<std::size_t>(i), file));
  for (int i = 0; i < counts.triangles; ++i) {
    std::array<int, 3>& t = out.triangles.emplace_back();
    for (std::size_t k = 0; k < 3; ++k)
      t[k] = index_at(bytes, counts.triangles_begin() + kTriple * static_cast<std::size_t>(i) + 4 * k,
                      counts.vertices, file);
  }
  return out;
}

std::string write_msh(const TriangleMesh& mesh) {
  std::string out;
  out.reserve(kHeader + kTriple * (mesh.vertices.size() + mesh.triangles.size()));
  for (const std::size_t count :
       {mesh.vertices.size(), std::size_t{0}, std::size_t{0}, mesh.triangles.size()})
    append_number(out, static_cast<std::int32_t>(count));
  for (const Vector3<double>& v : mesh.vertices)
    for (const double x : v) append_number(out, static_cast<float>(x));
  for (const std::array<int, 3>& t : mesh.triangles)
    for (const int i : t) append_number(out, static_cast<std::int32_t>(i));
  return out;
}

}  // namespace amble
