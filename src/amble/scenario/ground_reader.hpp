#pragma once

#include "amble/geometry/ground.hpp"
#include "amble/scenario/toml_table.hpp"

namespace amble {

/// [world.ground] of a scenario: `type` is "plane" (slope_deg, height), "stairs" (start, length, rise, count), "sine"
/// (amplitude, frequency, direction_deg) or "height_field" (x0, y0, spacing, heights as rows). Level without one.
GroundPtr read_ground(TomlTable table);

}  // namespace amble
