#pragma once

#include "amble/report/scene_model.hpp"

namespace amble {

/// A mesh with fewer triangles, by clustering of vertices (Rossignac and Borrel 1993): all corners in one
/// cubic cell of side `cell` become one, the corner nearest to their mean. No corner moves by more than the
/// cell's diagonal; triangles that shrink to a line or a point are left out, and so is what has become equal.
/// For cells of at least a millionth of the largest coordinate.
Triangles clustered(const Triangles& mesh, double cell);

/// A mesh and how often it is drawn, at the largest of its scales.
struct MeshUse {
  Triangles mesh;
  double scale = 1.0;
  std::size_t uses = 1;
};

/// The smallest cell (m, after scaling) with which all meshes together have at most `most_triangles`, and at
/// most twice as many as often as they are drawn; 0 where they fit as they are. The meshes become those of
/// that cell.
double simplify(std::vector<MeshUse>& meshes, std::size_t most_triangles);

}  // namespace amble
