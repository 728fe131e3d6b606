#pragma once

#include <span>

#include "amble/geometry/triangle_mesh.hpp"

namespace amble {

/// How a convex quadrilateral is cut: along its shorter diagonal, or along the one of its first corner.
enum class QuadCut { shorter_diagonal, from_first_corner };

/// Appends the triangles of a polygon to `mesh`, whose vertices its corners name. Polygons that are not convex are
/// cut by their ears. Polygons of more than 1000 corners are cut
/// as if they were convex, so that the work stays linear in the size of a file.
void add_polygon(std::span<const int> corners, TriangleMesh& mesh, QuadCut cut = QuadCut::shorter_diagonal);

}  // namespace amble
