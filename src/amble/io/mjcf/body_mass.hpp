#pragma once

#include "amble/io/mjcf/compiled.hpp"
#include "amble/io/mjcf/geoms.hpp"

namespace amble {

/// What gives a body its inertia.
struct BodyMassSource {
  const MjcfElement* element = nullptr;   ///< the body, for messages
  const MjcfElement* inertial = nullptr;  ///< null when there is none
  const MjcfSettings* settings = nullptr;
  Vector3<double> pos{0.0, 0.0, 0.0};  ///< of the body in its parent
};

/// True when the body's inertia comes from its geoms.
bool mass_is_from_geoms(const BodyMassSource& source);

/// Fills mass, X_BI and moments of the body: from <inertial>, or from `weights`, one for each geom; then the
/// bounds and balance that the compiler settings ask for. What no body can have is a warning.
void set_body_mass(const BodyMassSource& source, const std::vector<GeomMass>& weights, CompiledBody& body,
                   Problems& findings);

}  // namespace amble
