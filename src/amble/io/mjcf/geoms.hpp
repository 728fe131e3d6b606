#pragma once

#include "amble/io/mjcf/compiled.hpp"

namespace amble {

/// A geom in a body of which a frame of the file stands at X_BF. Fitted shapes and meshes get their own
/// frames later, by place_geom(), when something needs their mass.
CompiledGeom read_geom(const MjcfValues& e, const MjcfSource& source, const Pose& X_BF);

/// The mass of a geom, about its own centre and along its own axes.
struct GeomMass {
  double mass = 0.0;
  Vector3<double> moments{0.0, 0.0, 0.0};
};

/// Also moves X_BG of a mesh to its centre of mass. Throws an Error at the geom for a mass that cannot be.
GeomMass weigh_geom(const MjcfValues& e, CompiledGeom& geom);

/// Turns a geom that has a mesh and another type into that shape, fitted to the mesh.
void fit_geom(const MjcfValues& e, const MjcfSource& source, CompiledGeom& geom);

}  // namespace amble
