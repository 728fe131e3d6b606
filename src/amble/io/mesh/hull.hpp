#pragma once

#include "amble/geometry/triangle_mesh.hpp"

namespace amble {

/// The triangles of the convex hull of the mesh's vertices, which stay as they are. Throws an Error for fewer
/// than four points and for points in one plane.
TriangleMesh convex_hull(const TriangleMesh& points);

}  // namespace amble
