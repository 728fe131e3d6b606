#pragma once

#include <span>

#include "amble/geometry/triangle_mesh.hpp"

namespace amble {

/// Appends the triangles of a polygon to `mesh`, whose vertices its corners name. A convex quadrilateral is
/// cut along its shorter diagonal, other polygons by their ears. Polygons of more than 1000 corners are cut
/// as if they were convex, so that the work stays linear in the size of a file.
void add_polygon(std::span<const int> corners, TriangleMesh& mesh);

}  // namespace amble
