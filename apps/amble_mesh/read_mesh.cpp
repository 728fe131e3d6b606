#include "read_mesh.hpp"

#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <assimp/DefaultIOSystem.h>
#include <array>
#include <assimp/Importer.hpp>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "amble/io/mesh/pipe_format.hpp"

namespace {

namespace fs = std::filesystem;
using amble::MeshMessageHeader;

/// The folder that a path, links resolved, is in.
fs::path real_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::weakly_canonical(path, ignored).parent_path();
}

/// Serves the mesh file, and what it refers to when that is beside it or in a folder below.
class OneFolder : public Assimp::DefaultIOSystem {
 public:
  explicit OneFolder(const fs::path& file)
      : file_(file), folders_{real_folder(file), real_folder(file.parent_path() / "-")} {}

  bool Exists(const char* path) const override { return is_served(path) && DefaultIOSystem::Exists(path); }
  Assimp::IOStream* Open(const char* path, const char* mode) override {
    return is_served(path) && std::strchr(mode, 'r') && !std::strchr(mode, '+')
               ? DefaultIOSystem::Open(path, mode)
               : nullptr;
  }

 private:
  bool is_served(const fs::path& path) const {
    std::error_code problem;
    if (path == file_) return true;
    const fs::path real = fs::canonical(path, problem);
    return !problem && fs::is_regular_file(real, problem) &&
           (is_below(real, folders_[0]) || is_below(real, folders_[1]));
  }

  static bool is_below(const fs::path& path, const fs::path& folder) {
    const fs::path relative = path.lexically_relative(folder);
    return !relative.empty() && *relative.begin() != "..";
  }

  fs::path file_;
  std::array<fs::path, 2> folders_;  // of the file that a link names, and of the link
};

/// Passes lists of numbers on in blocks.
class Output {
 public:
  Output(int (*write)(void*, const void*, std::size_t), void* to) : write_(write), to_(to) {}
  ~Output() { flush(); }

  template <class T>
  void put(const T& number) {
    block_.append(reinterpret_cast<const char*>(&number), sizeof number);
    if (block_.size() >= kBlock) flush();
  }
  void put_text(const std::string& text) { block_ += text; }

 private:
  static constexpr std::size_t kBlock = 1 << 16;

  void flush() {
    if (!failed_ && !block_.empty()) failed_ = write_(to_, block_.data(), block_.size()) != 0;
    block_.clear();
  }

  int (*write_)(void*, const void*, std::size_t);
  void* to_;
  std::string block_;
  bool failed_ = false;
};

bool is_triangle(const aiMesh& mesh, unsigned face) { return mesh.mFaces[face].mNumIndices == 3; }

MeshMessageHeader header_of(const aiScene& scene) {
  MeshMessageHeader out;
  for (unsigned k = 0; k < scene.mNumMeshes; ++k) {
    const aiMesh& mesh = *scene.mMeshes[k];
    out.vertices += mesh.mNumVertices;
    for (unsigned i = 0; i < mesh.mNumFaces; ++i) out.triangles += is_triangle(mesh, i);
  }
  return out;
}

void put_vertices(const aiScene& scene, Output& out) {
  for (unsigned k = 0; k < scene.mNumMeshes; ++k)
    for (unsigned i = 0; i < scene.mMeshes[k]->mNumVertices; ++i) {
      const aiVector3D& v = scene.mMeshes[k]->mVertices[i];
      for (const double x : {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)})
        out.put(x);
    }
}

void put_triangles(const aiScene& scene, Output& out) {
  std::uint32_t first = 0;
  for (unsigned k = 0; k < scene.mNumMeshes; ++k) {
    const aiMesh& mesh = *scene.mMeshes[k];
    for (unsigned i = 0; i < mesh.mNumFaces; ++i)
      for (unsigned c = 0; is_triangle(mesh, i) && c < 3; ++c)
        out.put(static_cast<std::int32_t>(first + mesh.mFaces[i].mIndices[c]));
    first += mesh.mNumVertices;
  }
}

void put_reason(const std::string& reason, Output& out) {
  const std::string text = reason.substr(0, 1000);
  MeshMessageHeader header;
  header.content = MeshMessageHeader::kReason, header.vertices = text.size();
  out.put(header), out.put_text(text);
}

}  // namespace

extern "C" void amble_read_mesh(const char* file, int (*write)(void*, const void*, std::size_t), void* to) {
  Assimp::Importer importer;
  importer.SetIOHandler(new OneFolder(file));  // the importer takes it over
  // COLLADA: coordinates are those of the shape's frame whatever <up_axis> says, as robots' files mean them.
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  const aiScene* const scene = importer.ReadFile(
      file, aiProcess_PreTransformVertices | aiProcess_JoinIdenticalVertices | aiProcess_Triangulate);
  Output out(write, to);
  if (scene == nullptr) return put_reason(importer.GetErrorString(), out);
  out.put(header_of(*scene));
  put_vertices(*scene, out);
  put_triangles(*scene, out);
}
