#pragma once

#include "amble/constraints/constraint.hpp"

// Nonholonomic constraints of things that roll or glide on a plane. The plane is x-y of a frame, usually the world's, and
// may move.
namespace amble {

/// A blade, skate or narrow wheel: B's origin moves along B's x axis but not along its y axis. One row.
ConstraintPtr knife_edge_constraint(const Mechanism& mechanism, std::string name, const LinkFrame& ground,
                                    const LinkFrame& blade);

/// What keeps a rolling thing's lowest point from moving on the ground.
struct RollingOptions {
  bool holds_contact = true;  ///< the lowest point also stays in the plane: a third row, holonomic in nature
};

/// A disc or wheel of this radius about B's z axis rolls without slip: the point of it that touches the plane is at rest
/// there. Rows: along x and along y of the plane and, unless told otherwise, normal to it. Throws an Error when the wheel
/// lies flat, where no point of it is the lowest.
ConstraintPtr rolling_disc_constraint(const Mechanism& mechanism, std::string name, const LinkFrame& ground,
                                      const LinkFrame& disc, double radius, const RollingOptions& options = {});

/// A ball of this radius about B's origin, likewise.
ConstraintPtr rolling_ball_constraint(const Mechanism& mechanism, std::string name, const LinkFrame& ground,
                                      const LinkFrame& ball, double radius, const RollingOptions& options = {});

}  // namespace amble
