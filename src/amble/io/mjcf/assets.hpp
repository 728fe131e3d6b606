#pragma once

#include <map>
#include <optional>
#include <string>

#include "amble/geometry/shape.hpp"
#include "amble/io/mjcf/source.hpp"
#include "amble/io/options.hpp"

namespace amble {

/// A geom that MuJoCo is given as a plain sphere, because its mesh or height field is not needed: MuJoCo
/// would load and decompose the file, refuse to go on when it is missing, and move the geom's frame to the
/// mesh's centre of mass.
struct MjcfStandIn {
  std::string name;  ///< as the file names it; empty when it does not
  std::optional<Shape>
      shape;  ///< the mesh; empty when there is nothing to show (a height field, a mesh without file)
  Pose X_GS;  ///< the mesh in the geom's frame: what refpos and refquat of the mesh say
};

/// Files that MuJoCo is given in memory, by name.
using MjcfFiles = std::map<std::string, std::string>;

struct MjcfPrepared {
  MjcfElement model;                    ///< to be compiled for everything but what `inertias` is for
  std::optional<MjcfElement> inertias;  ///< to be compiled for the inertia of bodies, when meshes decide it
  std::map<std::string, MjcfStandIn> stand_ins;  ///< by the geom's name in both
  MjcfFiles files;  ///< the meshes that both name
};

/// Takes out what MuJoCo need not see: files of meshes, textures and height fields, skins, sensors, key frames, pairs of
/// geoms and buffer sizes. MuJoCo itself opens no file. Missing files become one warning. Throws an Error when a body's
/// inertia is to come from a mesh that is missing.
MjcfPrepared prepare_mjcf(const MjcfElement& tree, const LoadOptions& options, Problems& findings);

}  // namespace amble
