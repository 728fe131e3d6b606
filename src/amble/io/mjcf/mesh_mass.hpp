#pragma once

#include <optional>

#include "amble/geometry/se3.hpp"
#include "amble/geometry/triangle_mesh.hpp"
#include "amble/io/mjcf/principal_axes.hpp"

namespace amble {

/// How a mesh gives its inertia: by the absolute volumes that its faces make with their middle (what MuJoCo
/// does unless asked otherwise), by signed ones, by those of the convex hull, or by the areas of the faces.
enum class MjcfMeshInertia { legacy, exact, convex, shell };

/// A mesh of density 1 (per cubic metre; a shell: per square metre).
struct MjcfMeshMass {
  double mass = 0.0;
  Pose X_MI;  ///< centre of mass and principal axes in the axes of the vertices: the frame MuJoCo gives the
              ///< mesh
  Vector3<double> moments = Vector3<double>::Zero();
  Vector3<double> lower = Vector3<double>::Zero(),
                  upper = Vector3<double>::Zero();  ///< of its vertices, in that frame
};

/// Nothing when the mesh has no mass to speak of: no faces, or a volume that is not above 1e-15.
std::optional<MjcfMeshMass> mjcf_mesh_mass(const TriangleMesh& mesh, MjcfMeshInertia mode);

}  // namespace amble
