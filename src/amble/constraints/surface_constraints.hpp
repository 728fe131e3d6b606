#pragma once

#include "amble/constraints/constraint.hpp"
#include "amble/constraints/rolling_constraints.hpp"
#include "amble/constraints/surface.hpp"

// Things that roll, glide or stay on a curved surface, given in the axes of a frame, usually the world's, that may
// move.
namespace amble {

/// A ball of this radius about B's origin rolls without slip on the surface: the point of it that is nearest to the
/// surface is at rest there. Rows: along two directions of the surface (x and y of the frame, tilted the short way
/// until they lie in it) and, unless told otherwise, along its normal. A radius larger than that of a hollow is an
/// Error where they meet.
ConstraintPtr rolling_ball_constraint(const Mechanism& mechanism, std::string name, const LinkFrame& ground,
                                      const Surface& surface, const LinkFrame& ball, double radius,
                                      const RollingOptions& options = {});

/// A disc of this radius about B's z axis, likewise. Throws an Error where it lies flat on the surface.
ConstraintPtr rolling_disc_constraint(const Mechanism& mechanism, std::string name, const LinkFrame& ground,
                                      const Surface& surface, const LinkFrame& disc, double radius,
                                      const RollingOptions& options = {});

/// B's origin stays on the surface: one holonomic row. With knife_edge_constraint() a skate on a hilly ground.
ConstraintPtr point_on_surface_constraint(const Mechanism& mechanism, std::string name, const LinkFrame& ground,
                                          const Surface& surface, const LinkFrame& point);

}  // namespace amble
