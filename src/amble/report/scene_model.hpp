#pragma once

#include <array>
#include <memory>

#include "amble/geometry/triangle_mesh.hpp"
#include "amble/mechanism/mechanism.hpp"

// What of a mechanism there is to look at, for the viewer and for glTF.
namespace amble {

struct Triangles {
  std::vector<Vector3<double>> corners;
  std::vector<std::array<int, 3>> faces;
};

/// A thing to draw, fixed to a link.
struct ViewShape {
  Shape::Kind kind = Shape::Kind::box;
  Vector3<double> size =
      Vector3<double>::Zero();  ///< as Shape::size; of a mesh: none, its corners are scaled
  Pose X_LS;
  std::optional<std::array<double, 4>> color;
  std::string body;                       ///< whose it is
  bool made_up = false;                   ///< drawn for want of a shape in the model
  std::shared_ptr<const Triangles> mesh;  ///< of a mesh
};

struct SceneModel {
  std::vector<std::vector<ViewShape>> links;  ///< of each link; the world's come first
  std::vector<std::string> notes;             ///< what could not be drawn, and why
};

/// The visual shapes of each body; where it has none, its collision shapes; where it has none either, sticks
/// between its joints, wheels that roll, and a ball at its centre of mass. A mesh that cannot be read is a
/// note.
SceneModel scene_model(const Mechanism& mechanism);

/// A name for each link: of the first body on it.
std::vector<std::string> link_names(const Mechanism& mechanism);

/// Adds what scene_model() draws for want of shapes, for each body that `drawn` denies.
void add_sticks(const Mechanism& mechanism, const std::vector<char>& drawn,
                std::vector<std::vector<ViewShape>>& links);

/// A mesh with each place once.
Triangles shared_corners(const TriangleMesh& mesh);

/// What the file of a mesh holds, each coordinate times its scale and each place once; throws an Error when it cannot be
/// read.
Triangles load_triangles(const Shape& mesh);

/// Any shape but planes and meshes as triangles, `around` of them around what is round.
Triangles triangles_of(const ViewShape& shape, int around = 24);

}  // namespace amble
