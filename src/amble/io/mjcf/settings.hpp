#pragma once

#include <string>

#include "amble/geometry/vector.hpp"
#include "amble/io/mjcf/source.hpp"

namespace amble {

/// What the <compiler> sections of a model say, the last one that says it.
struct MjcfSettings {
  enum class InertiaFromGeom { no, yes, where_missing };

  bool degrees = true, autolimits = true, balance_inertia = false, strip_path = false, fit_aabb = false,
       align_free = false, exact_mesh_inertia = false;
  std::string euler_sequence = "xyz", mesh_folder, texture_folder;
  InertiaFromGeom inertia_from_geom = InertiaFromGeom::where_missing;
  double lowest_group = 0.0, highest_group = 5.0;  ///< of geoms that give inertia
  double least_mass = 0.0, least_inertia = 0.0;    ///< of every body
  double total_mass = -1.0;                        ///< of the model; negative: as it is
};

/// Throws an Error at the element for settings that are not allowed.
MjcfSettings mjcf_settings(const MjcfElement& root);

/// What the <option> sections say about physics.
struct MjcfOptions {
  Vector3<double> gravity{0.0, 0.0, -9.81};
  bool springs = true, dampers = true, limits = true, friction = true, equalities = true, actuation = true;
  bool contacts = true, filter_parent = true;  ///< the latter: bodies that a joint connects do not touch
};
MjcfOptions mjcf_options(const MjcfElement& root);

}  // namespace amble
