#include "amble/io/mesh/load_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "amble/base/error.hpp"
#include "amble/base/limits.hpp"
#include "amble/io/mesh/mesh_checks.hpp"
#include "amble/io/mesh/mesh_files.hpp"
#include "amble/io/mesh/mesh_helper.hpp"
#include "amble/io/mesh/mesh_message.hpp"

namespace amble {

namespace {

namespace fs = std::filesystem;

using Reader = TriangleMesh (*)(std::string_view, const std::string&, PolygonCut);
struct OwnFormat {
  std::string_view ending;
  Reader read;
};
constexpr std::array<OwnFormat, 3> kOwnFormats{{
    {".obj", read_obj},
    {".stl",
     [](std::string_view bytes, const std::string& file, PolygonCut) { return read_stl(bytes, file); }},
    {".msh",
     [](std::string_view bytes, const std::string& file, PolygonCut) { return read_msh(bytes, file); }},
}};

Reader own_reader(const std::string& path) {
  std::string ending = fs::path(path).extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto found = std::find_if(kOwnFormats.begin(), kOwnFormats.end(),
                                  [&](const OwnFormat& format) { return format.ending == ending; });
  return found == kOwnFormats.end() ? nullptr : found->read;
}

/// Devices and pipes have no end, so only plain files are opened.
void check_file(const std::string& path) {
  std::error_code problem;
  if (!fs::exists(path, problem)) throw Error(fmt::format("{}: no such mesh file", path));
  if (!fs::is_regular_file(path, problem))
    throw Error(fmt::format("{}: this is not a file; expected a mesh", path));
  const auto size = fs::file_size(path, problem);
  if (problem) throw Error(fmt::format("{}: {}", path, problem.message()));
  check_limit(Limit::mesh_bytes, static_cast<double>(size), path + ": its size");
}

std::string read_bytes(const std::string& path) {
  std::string bytes(fs::file_size(path), '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!in) throw Error(fmt::format("{}: the mesh file cannot be read", path));
  return bytes;
}

MeshReading reading_from_environment() {
  const char* given = std::getenv("AMBLE_MESH_READING");
  const std::string_view name = given == nullptr ? "helper" : given;
  if (name == "in_process") return MeshReading::in_process;
  if (name == "helper" || name.empty()) return MeshReading::helper;
  throw Error(fmt::format("AMBLE_MESH_READING is '{}'; expected 'helper' or 'in_process'", name));
}

std::atomic<MeshReading>& reading() {
  static std::atomic<MeshReading> value = reading_from_environment();
  return value;
}

/// The file that a shape names, as a path that means the same everywhere.
std::string path_of(const Shape& shape) {
  for (const std::string& path : {shape.path, shape.file})
    if (fs::path(path).is_absolute()) return path;
  const bool in_package = shape.file.starts_with("package://") || shape.file.starts_with("model://");
  throw Error(fmt::format("mesh '{}' was not found when its model was loaded; {}", shape.file,
                          in_package ? "package_path (--package-path) gives folders to look in"
                                     : "it is looked for beside the model file and in the folders above it"));
}

std::string named(const Shape& shape, const std::string& reason) {
  return reason.find(shape.file) != reason.npos ? reason : fmt::format("mesh '{}': {}", shape.file, reason);
}

}  // namespace

TriangleMesh load_mesh(const std::string& path, PolygonCut cut) {
  check_file(path);
  if (const Reader read = own_reader(path)) return read(read_bytes(path), path, cut);
  const bool outside = mesh_reading() == MeshReading::helper;
  return decode_mesh_message(outside ? run_mesh_helper(path) : run_mesh_module(path), path);
}

TriangleMesh load_mesh(const Shape& shape) {
  try {
    TriangleMesh out = load_mesh(path_of(shape));
    for (Vector3<double>& v : out.vertices) {
      v = shape.size.cwiseProduct(v);
      if (!is_usable(v))
        check_vertex(v, fmt::format("scaled by ({}, {}, {})", shape.size[0], shape.size[1], shape.size[2]));
    }
    return out;
  } catch (const Error& e) {
    throw Error(named(shape, e.what()));
  }
}

Shape mesh_file_shape(const std::string& file, const Vector3<double>& scale) {
  if (file.empty()) throw Error("a mesh without a file: expected its name");
  return {Shape::Kind::mesh, scale, file, fs::absolute(file).lexically_normal().string()};
}

bool has_own_reader(const std::string& path) { return own_reader(path) != nullptr; }

MeshReading mesh_reading() { return reading(); }
void set_mesh_reading(MeshReading wanted) { reading() = wanted; }

}  // namespace amble
