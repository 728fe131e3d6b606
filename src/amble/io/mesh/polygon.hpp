#pragma once

#include <span>

#include "amble/geometry/triangle_mesh.hpp"

namespace amble {

/// How a polygon becomes triangles. `fair`: a convex quadrilateral along its shorter diagonal, others by
/// their ears or, if convex, as a fan. `ears_in_order`: the first ear from the first corner on, then the
/// next, as MuJoCo's reader of OBJ files does; of polygons that are not flat the two are different surfaces.
enum class PolygonCut { fair, ears_in_order };

/// Appends the triangles of a polygon to `mesh`, whose vertices its corners name. Polygons that are not
/// convex are cut by their ears. Polygons of more than 1000 corners are cut as if they were convex, so that
/// the work stays linear in the size of a file.
void add_polygon(std::span<const int> corners, TriangleMesh& mesh, PolygonCut cut = PolygonCut::fair);

}  // namespace amble
