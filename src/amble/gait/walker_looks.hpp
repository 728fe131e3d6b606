#pragma once

#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// A walker's figure on a floor that slopes down along x (rad): z is up, as gravity has it.
ModelDescription on_slope(ModelDescription figure, double slope);

/// Shapes for a walker that has none: legs between joints and feet, in the colours of stance and swing, beside each other
/// as machines have them that walk in a plane; axles, heads, and arcs under feet of that radius.
void dress(ModelDescription& figure, double foot_radius);

}  // namespace amble
