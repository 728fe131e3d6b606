#pragma once

#include "amble/dynamics/workspace.hpp"
#include "amble/walkers/floor_place.hpp"
#include "amble/walkers/walker_description.hpp"

// The mechanism of a walker hung up by one of its feet. Its coordinates are where the foot is, x, (y,) z, how
// it is turned, (yaw,) pitch(, roll), and those of the joints; the foot is turned by nothing where the walker
// stands upright.
namespace amble {

/// Name of the frame that a walker's models have at a foot.
std::string foot_frame(const std::string& foot);

/// Coordinates that say how a foot is turned.
std::vector<std::string> foot_angle_names(bool planar);
/// And where it is.
std::vector<std::string> foot_place_names(bool planar);

/// With the foot free to be anywhere.
Mechanism free_foot_model(const WalkerDescription& walker, const WalkerDescription::Foot& foot);

/// With the foot held by the floor, where it turns about a point or rolls, and joints locked or with springs
/// that rest elsewhere, as `phase` says.
Mechanism held_foot_model(const WalkerDescription& walker, const WalkerDescription::Foot& foot,
                          const WalkerDescription::Phase& phase);

/// The user's own mechanism on the walker's floor, with frames at its feet.
Mechanism model_with_feet(const WalkerDescription& walker);
/// The joint of it that leaves its root free.
const Joint& root_joint(const Mechanism& model);

/// The coordinates of joints that two models share, from `x` (q, or v) into those of the other.
void copy_joints(const Mechanism& from, const VectorRef& x, const Mechanism& to, OwnedVector& into,
                 bool velocities);

/// A state of any of these models as one of the model `to`, which is hung up by `foot`. Throws an Error when
/// a walker in the plane has left it.
std::pair<OwnedVector, OwnedVector> hung_by(const WalkerDescription& walker,
                                            const WalkerDescription::Foot& foot, const Mechanism& from,
                                            Workspace& work, const VectorRef& q, const VectorRef& v,
                                            const Mechanism& to);

/// A state of a model that is hung up by a foot, seen from axes in which its own lie at `place`.
void move_on_floor(const FloorPlace& place, bool planar, OwnedVector& q, OwnedVector& v);

}  // namespace amble
