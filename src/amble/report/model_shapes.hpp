#pragma once

#include "amble/report/scene_model.hpp"

namespace amble {

/// A shape of a model to draw, fixed to a link.
struct ModelShape {
  Shape::Kind kind = Shape::Kind::box;
  Vector3<double> size = Vector3<double>::Zero();  ///< as Shape::size
  Pose X_LS;
  std::optional<std::array<double, 4>> color;
  int body = -1;  ///< -1 is the world
  int link = 0;
  int mesh = -1;           ///< of a mesh: its place in ModelShapes::meshes
  bool collision = false;  ///< a collision shape, else a visual one
  bool made_up = false;    ///< drawn for want of a shape in the model
  bool wire = false;       ///< the edges of a box where a mesh is missing
};

struct MissingMesh {
  std::string body, file, reason;
};

/// The shapes of a model, each mesh file once and all of them with a bounded number of triangles.
struct ModelShapes {
  std::vector<ModelShape> shapes;
  std::vector<Triangles> meshes;  ///< unscaled, as their files have them
  std::vector<MissingMesh> missing;
  std::optional<Pose> ground;  ///< the first plane of the scenery, which is not among the shapes
  std::size_t triangles_before = 0,
              triangles = 0;  ///< of all visual shapes, before and after they were simplified
  double cell = 0.0;  ///< side (m) of the cells that meshes were simplified by; 0: they are as in their files
};

/// Visual shapes and collision shapes. A body without visual shapes, or with one whose mesh is missing, gets
/// its collision shapes as visual ones too; where it has none, the wire box of its equivalent inertia
/// ellipsoid; a body that has no shapes at all, sticks.
/// `most_triangles` bounds those of all mesh files; twice as many may be drawn, where files are used again.
ModelShapes model_shapes(const Mechanism& mechanism, std::size_t most_triangles);

/// Semi-axes of the solid ellipsoid with this mass and these principal moments: a_i^2 = 5 (I_j + I_k - I_i) /
/// (2 m). Zero for a body without mass.
Vector3<double> inertia_ellipsoid(double mass, const Vector3<double>& moments);

}  // namespace amble
