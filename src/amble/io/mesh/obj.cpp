#include <fmt/format.h>

#include <charconv>
#include <span>
#include <utility>

#include "amble/base/error.hpp"
#include "amble/io/mesh/mesh_checks.hpp"
#include "amble/io/mesh/mesh_files.hpp"
#include "amble/io/mesh/mesh_text.hpp"
#include "amble/io/mesh/polygon.hpp"

namespace amble {

namespace {

class ObjReader {
 public:
  ObjReader(std::string_view bytes, const std::string& file, PolygonCut cut)
      : text_(bytes, file), file_(file), cut_(cut) {}

  TriangleMesh run() {
    while (text_.next_line()) read_line();
    if (mesh_.vertices.empty()) throw_empty();
    // A face may name vertices that stand after it, so faces wait for the end of the file.
    for (std::size_t i = 0; i < faces_.size(); ++i) put_face(i);
    return std::move(mesh_);
  }

 private:
  struct Face {
    std::size_t begin;  // of its corners
    int line;
    bool starts_object;
  };

  void read_line() {
    const std::string_view key = text_.word();
    if (key == "v") read_vertex_line();
    if (key == "f") read_face();
    if (key == "o" || key == "g") new_object_ = true;
  }

  void read_vertex_line() {
    mesh_.vertices.push_back(read_vertex(text_, [&] { return text_.word(); }));
    if (mesh_.vertices.size() > most_)
      check_vertex_count(static_cast<double>(mesh_.vertices.size()), text_.where());
  }

  /// Faces of one or two corners, which some programs write for points and lines, have no area and are left
  /// out.
  void read_face() {
    const std::size_t begin = corners_.size();
    for (std::string_view word = text_.word(); !word.empty(); word = text_.word())
      corners_.push_back(vertex_index(word));
    const std::size_t count = corners_.size() - begin;
    if (count < 3) return corners_.resize(begin);
    triangle_count_ += count - 2;
    if (triangle_count_ > most_) check_triangle_count(static_cast<double>(triangle_count_), text_.where());
    faces_.push_back({begin, text_.line(), std::exchange(new_object_, false)});
  }

  /// Of "3", "3/1", "3//2" or "3/1/2": counted from 1, or back from the last vertex so far where negative.
  int vertex_index(std::string_view word) const {
    long index = 0;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), index);
    const std::string_view rest = word.substr(static_cast<std::size_t>(end - word.data()));
    if (status != std::errc{} || rest.find_first_not_of("0123456789/-") != rest.npos ||
        (!rest.empty() && rest.front() != '/'))
      text_.fail(
          fmt::format("'{}' is not a corner of a face; expected v, v/vt, v//vn or v/vt/vn", shown(word)));
    const long count = static_cast<long>(mesh_.vertices.size());
    const long at = index < 0 ? count + index : index - 1;
    if (index == 0 || at < 0 || at >= static_cast<long>(most_)) refuse_index(text_.line(), index);
    return static_cast<int>(at);
  }

  void put_face(std::size_t i) {
    const Face& face = faces_[i];
    const std::size_t end = i + 1 < faces_.size() ? faces_[i + 1].begin : corners_.size();
    const std::span<const int> corners(corners_.data() + face.begin, end - face.begin);
    for (const int corner : corners)
      if (corner >= static_cast<int>(mesh_.vertices.size())) refuse_index(face.line, corner + 1);
    if (face.starts_object || i == 0) mesh_.objects.push_back(mesh_.triangles.size());
    add_polygon(corners, mesh_, cut_);
  }

  [[noreturn]] void refuse_index(int line, long index) const {
    throw Error(fmt::format("{}: the face names vertex {}, but there are {}", text_.where(line), index,
                            mesh_.vertices.size()));
  }
  [[noreturn]] void throw_empty() const {
    throw Error(
        fmt::format("{}: there is no vertex in it; expected an OBJ file with lines 'v x y z'", file_));
  }

  MeshText text_;
  std::string file_;
  PolygonCut cut_;
  TriangleMesh mesh_;
  std::vector<int> corners_;
  std::vector<Face> faces_;
  std::size_t triangle_count_ = 0;
  const std::size_t most_ = most_mesh_items();
  bool new_object_ = false;
};

}  // namespace

TriangleMesh read_obj(std::string_view bytes, const std::string& file) {
  return read_obj(bytes, file, PolygonCut::fair);
}

TriangleMesh read_obj(std::string_view bytes, const std::string& file, PolygonCut cut) {
  return ObjReader(bytes, file, cut).run();
}

}  // namespace amble
