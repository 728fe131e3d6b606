#pragma once

#include <string_view>

#include "amble/constraints/constraint.hpp"

// Holonomic constraints between two frames, A on one link and B on another (or on the world).
namespace amble {

/// Frame B moves on frame A as a joint of this type lets it: "fixed" (also "weld"), "revolute", "prismatic", "helical"
/// (`pitch` in m/rad), "cylindrical", "universal" (`angle` between its axes: z of A and the joint's second axis in B),
/// "planar", "spherical" (also "point"). The axis is z of both frames. Also "parallel" (the z axes stay parallel),
/// "point_on_axis" (B's origin stays on A's z axis) and "point_on_plane" (on A's x-y plane). Throws an Error for any other
/// type.
ConstraintPtr pair_constraint(const Mechanism& mechanism, std::string name, std::string_view type, const LinkFrame& a,
                              const LinkFrame& b, const JointParameters& parameters = {});

/// The joint that closes a loop of the mechanism; `loop` is its place in Mechanism::loops(). Throws an Error for a custom
/// joint, whose conditions are not known.
ConstraintPtr loop_constraint(const Mechanism& mechanism, int loop);

/// The origins of two frames keep their distance (m, more than 0).
ConstraintPtr distance_constraint(const Mechanism& mechanism, std::string name, const LinkFrame& a, const LinkFrame& b,
                                  double distance);

/// The frame of a body or frame by name, at `X_BF` on it.
LinkFrame link_frame(const Mechanism& mechanism, std::string_view place, const Pose& X_BF = {});

}  // namespace amble
