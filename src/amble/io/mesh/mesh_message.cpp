#include "amble/io/mesh/mesh_message.hpp"

#include <fmt/format.h>

#include <array>

#include "amble/base/error.hpp"
#include "amble/io/mesh/bytes.hpp"
#include "amble/io/mesh/mesh_checks.hpp"
#include "amble/io/mesh/mesh_text.hpp"

namespace amble {

namespace {

constexpr std::size_t kHeader = sizeof(MeshMessageHeader), kVertex = 24, kTriangle = 12,
                      kLongestReason = 4096;

[[noreturn]] void refuse(const std::string& file) {
  throw Error(fmt::format("{}: the mesh reader gave an answer that cannot be", file));
}

void check_header(const MeshMessageHeader& h, const std::string& file) {
  const bool is_reason = h.content == MeshMessageHeader::kReason;
  if (h.magic != MeshMessageHeader::kMagic || (h.content != MeshMessageHeader::kMesh && !is_reason))
    refuse(file);
  if (is_reason && h.vertices > kLongestReason) refuse(file);
  check_vertex_count(static_cast<double>(h.vertices), file);
  check_triangle_count(static_cast<double>(h.triangles), file);
}

Vector3<double> vertex_at(std::string_view bytes, std::size_t at, const std::string& file) {
  const Vector3<double> v(number_at<double>(bytes, at), number_at<double>(bytes, at + 8),
                          number_at<double>(bytes, at + 16));
  if (!is_usable(v)) check_vertex(v, file);
  return v;
}

int index_at(std::string_view bytes, std::size_t at, std::size_t vertices, const std::string& file) {
  const auto index = number_at<std::int32_t>(bytes, at);
  if (index < 0 || static_cast<std::size_t>(index) >= vertices) refuse(file);
  return index;
}

TriangleMesh read_lists(std::string_view lists, const MeshMessageHeader& h, const std::string& file) {
  TriangleMesh out;
  for (std::size_t i = 0; i < h.vertices; ++i) out.vertices.push_back(vertex_at(lists, kVertex * i, file));
  for (std::size_t i = 0; i < h.triangles; ++i) {
    std::array<int, 3>& t = out.triangles.emplace_back();
    for (std::size_t k = 0; k < 3; ++k)
      t[k] = index_at(lists, kVertex * h.vertices + kTriangle * i + 4 * k, h.vertices, file);
  }
  return out;
}

}  // namespace

std::size_t message_size(const MeshMessageHeader& header, const std::string& file) {
  check_header(header, file);
  if (header.content == MeshMessageHeader::kReason) return kHeader + header.vertices;
  return kHeader + kVertex * header.vertices + kTriangle * header.triangles;
}

TriangleMesh decode_mesh_message(std::string_view message, const std::string& file) {
  if (message.size() < kHeader) refuse(file);
  const auto header = number_at<MeshMessageHeader>(message, 0);
  if (message_size(header, file) != message.size()) refuse(file);
  const std::string_view rest = message.substr(kHeader);
  if (header.content == MeshMessageHeader::kReason)
    throw Error(fmt::format("{}: the mesh file cannot be read: {}", file, shown(rest, kLongestReason)));
  return read_lists(rest, header, file);
}

}  // namespace amble
