#pragma once

#include "amble/io/mjcf/compiled.hpp"

namespace amble {

/// Turns each springdamper (time constant, damping ratio) of a joint into stiffness and damping, with the
/// inertia that the joint has at qpos0. After the armatures of drives are there.
void set_spring_dampers(const MjcfSources& sources, CompiledModel& model, Problems& findings);

}  // namespace amble
