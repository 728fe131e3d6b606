#include "amble/io/mesh_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace amble {

namespace {

namespace fs = std::filesystem;

bool is_of_package(const std::string& file) {
  return file.starts_with("package://") || file.starts_with("model://");
}

bool mujoco_reads(const std::string& file) {
  std::string ending = fs::path(file).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return ending == ".obj" || ending == ".stl" || ending == ".msh";
}

class Renaming {
 public:
  Renaming(const std::string& path, Format format, Problems& left_out)
      : format_(format), left_out_(left_out) {
    std::error_code ignored;
    folder_ = fs::absolute(path, ignored).lexically_normal().parent_path();
  }

  void run(std::vector<PlacedShape>& shapes) {
    for (PlacedShape& s : shapes)
      if (s.shape.kind == Shape::Kind::mesh) rename(s.shape);
  }

 private:
  void rename(Shape& shape) {
    const std::string before = shape.file;
    if (!shape.path.empty() && (format_ == Format::mjcf || !is_of_package(before)))
      shape.file = fs::path(shape.path).lexically_relative(folder_).string();
    if (format_ != Format::mjcf) return;
    if (is_of_package(shape.file))
      note(before, "was not found; MuJoCo cannot find it by that name");
    else if (!mujoco_reads(shape.file))
      note(before, "is not OBJ, STL or MSH; MuJoCo does not read it");
  }

  void note(const std::string& file, const char* reason) {
    if (noted_.insert(file).second)
      left_out_.push_back({Severity::warning, "", 0, fmt::format("mesh '{}'", file), reason});
  }

  fs::path folder_;
  Format format_;
  Problems& left_out_;
  std::set<std::string> noted_;
};

}  // namespace

void rename_meshes(ModelDescription& model, const std::string& path, Format format, Problems& left_out) {
  Renaming renaming(path, format, left_out);
  renaming.run(model.world_visuals);
  renaming.run(model.world_collisions);
  for (BodyDescription& b : model.bodies) renaming.run(b.visuals), renaming.run(b.collisions);
}

}  // namespace amble
