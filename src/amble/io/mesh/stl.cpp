#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <utility>

#include "amble/base/error.hpp"
#include "amble/io/mesh/bytes.hpp"
#include "amble/io/mesh/mesh_checks.hpp"
#include "amble/io/mesh/mesh_files.hpp"
#include "amble/io/mesh/mesh_text.hpp"

namespace amble {

namespace {

constexpr std::size_t kHeader = 84, kTriangle = 50;

double bytes_of(double triangles) { return kHeader + kTriangle * triangles; }

std::uint32_t triangle_count(std::string_view bytes) {
  return bytes.size() < kHeader ? 0 : number_at<std::uint32_t>(bytes, 80);
}

bool has_binary_size(std::string_view bytes) {
  return bytes.size() >= kHeader && bytes_of(triangle_count(bytes)) == static_cast<double>(bytes.size());
}

bool is_word(std::string_view word, std::string_view lower_case) {
  return std::equal(word.begin(), word.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

/// Binary files may start with "solid" too, so their size decides first.
bool is_text(std::string_view bytes) {
  return !has_binary_size(bytes) && is_word(MeshText(bytes, "").word_anywhere(), "solid");
}

void check_binary(std::string_view bytes, const std::string& file) {
  if (bytes.size() < kHeader)
    throw Error(fmt::format(
        "{}: {} bytes are neither a text that starts with 'solid' nor a binary STL file, which has "
        "at least {}",
        file, bytes.size(), kHeader));
  if (!has_binary_size(bytes))
    throw Error(fmt::format("{}: byte 80: {} triangles take {:.0f} bytes, but the file has {}", file,
                            triangle_count(bytes), bytes_of(triangle_count(bytes)), bytes.size()));
  check_triangle_count(triangle_count(bytes), file + ": byte 80");
}

Vector3<double> binary_vertex(std::string_view bytes, std::size_t at, const std::string& file) {
  Vector3<double> v;
  for (std::size_t k = 0; k < 3; ++k) v[static_cast<int>(k)] = number_at<float>(bytes, at + 4 * k);
  if (!is_usable(v)) check_vertex(v, fmt::format("{}: byte {}", file, at));
  return v;
}

void add_triangle(TriangleMesh& mesh) {
  const int end = static_cast<int>(mesh.vertices.size());
  mesh.triangles.push_back({end - 3, end - 2, end - 1});
}

TriangleMesh read_binary(std::string_view bytes, const std::string& file) {
  check_binary(bytes, file);
  TriangleMesh out;
  const std::size_t count = triangle_count(bytes);
  out.vertices.reserve(3 * count), out.triangles.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t corner = 1; corner <= 3; ++corner)  // the normal comes first
      out.vertices.push_back(binary_vertex(bytes, kHeader + kTriangle * i + 12 * corner, file));
    add_triangle(out);
  }
  return out;
}

class StlText {
 public:
  StlText(std::string_view bytes, const std::string& file) : text_(bytes, file) {}

  TriangleMesh run() {
    for (std::string_view word = next(); !word.empty(); word = next()) read(word);
    if (corners_ != 0) text_.fail("the file ends within a triangle");
    return std::move(mesh_);
  }

 private:
  std::string_view next() { return text_.word_anywhere(); }

  void read(std::string_view word) {
    if (is_word(word, "solid") || is_word(word, "endsolid")) return skip_line();
    if (is_word(word, "vertex")) return read_corner();
    if (is_word(word, "endloop")) return end_loop();
    if (is_word(word, "facet")) return skip_normal();
    if (!is_word(word, "outer") && !is_word(word, "loop") && !is_word(word, "endfacet"))
      text_.fail(fmt::format("'{}' is not a word of an STL file", shown(word)));
  }

  /// The rest is a name.
  void skip_line() {
    while (!text_.word().empty()) {
    }
  }

  /// Three numbers that programs often write as nan; the corners say it better.
  void skip_normal() {
    if (!is_word(next(), "normal")) text_.fail("expected 'normal' after 'facet'");
    for (int i = 0; i < 3; ++i) next();
  }

  void read_corner() {
    if (++corners_ > 3) text_.fail("a facet has more than 3 vertices");
    mesh_.vertices.push_back(read_vertex(text_, [&] { return next(); }));
  }

  void end_loop() {
    if (std::exchange(corners_, 0) != 3) text_.fail("a facet has fewer than 3 vertices");
    add_triangle(mesh_);
    if (mesh_.triangles.size() > most_)
      check_triangle_count(static_cast<double>(mesh_.triangles.size()), text_.where());
  }

  MeshText text_;
  TriangleMesh mesh_;
  int corners_ = 0;
  const std::size_t most_ = most_mesh_items();
};

}  // namespace

TriangleMesh read_stl(std::string_view bytes, const std::string& file) {
  TriangleMesh out = is_text(bytes) ? StlText(bytes, file).run() : read_binary(bytes, file);
  if (out.triangles.empty()) throw Error(fmt::format("{}: there is no triangle in it", file));
  return out;
}

}  // namespace amble
