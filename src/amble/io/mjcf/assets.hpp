#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "amble/geometry/shape.hpp"
#include "amble/io/mjcf/classes.hpp"
#include "amble/io/mjcf/mesh_mass.hpp"
#include "amble/io/mjcf/settings.hpp"
#include "amble/io/options.hpp"

namespace amble {

/// Red, green, blue, opacity.
using MjcfColor = std::array<double, 4>;

/// A mesh of the asset section. Its file is read when a mass, a fitted shape or the like asks for it.
class MjcfMesh {
 public:
  MjcfMesh(const MjcfValues& asset, const MjcfSettings& settings, std::string file, std::string path);

  const std::string& file() const { return file_; }  ///< relative to the model file; empty without one
  const std::string& path() const { return path_; }  ///< where it was found
  const std::string& material() const { return material_; }
  bool is_missing() const { return !file_.empty() && path_.empty(); }
  /// The mesh to show, and where it stands in its geom's frame; nothing without a file.
  std::optional<PlacedShape> shape() const;
  /// Throws an Error at the mesh when it cannot be read or has no mass. Kept once it is there.
  const MjcfMeshMass& mass() const;
  /// What was noticed when the file was read.
  const Problems& notes() const { return notes_; }

 private:
  TriangleMesh read() const;
  TriangleMesh vertices_of_model() const;
  void put_in_place(TriangleMesh& mesh) const;

  const MjcfElement& element_;
  const std::string *vertices_, *faces_;  ///< of the element itself, null without; they may be long
  std::string file_, path_, material_;
  Vector3<double> scale_, refpos_;
  SO3<double> R_ref_;
  MjcfMeshInertia inertia_;
  mutable std::optional<MjcfMeshMass> mass_;
  mutable Problems notes_;
};

/// The assets of one model by name.
class MjcfAssets {
 public:
  /// `folder` is the model's. Missing files become one warning. `classes` and `root` must outlive the assets.
  MjcfAssets(const MjcfElement& root, const MjcfClasses& classes, const MjcfSettings& settings,
             const std::string& model_file, const LoadOptions& options, Problems& findings);

  /// Throws an Error at `by` when there is none of that name.
  const MjcfMesh& mesh(const MjcfElement& by, const std::string& name) const;
  /// Nothing when the material is not there or has the default color.
  std::optional<MjcfColor> color(const std::string& material) const;
  /// What was noticed in the files that were read.
  void add_notes(Problems& findings) const;

 private:
  void add(const MjcfElement& asset, const MjcfClasses& classes, const MjcfSettings& settings);
  std::string relative_file(const MjcfElement& asset, const MjcfSettings& settings) const;
  std::string find(const MjcfElement& asset, const std::string& file);
  void report_missing(Problems& findings) const;

  const std::string model_file_;
  const LoadOptions& options_;
  std::map<std::string, std::unique_ptr<MjcfMesh>> meshes_;
  std::map<std::string, MjcfColor> materials_;
  std::vector<std::string> missing_;
  const MjcfElement* first_missing_ = nullptr;
};

}  // namespace amble
