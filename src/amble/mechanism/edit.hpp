#pragma once

#include <map>

#include "amble/mechanism/mechanism.hpp"

// Everyday changes. A Mechanism never changes: each of these returns a new one.
namespace amble {

Mechanism with_gravity(const Mechanism& mechanism, const Vector3<double>& gravity);

/// Joints held at the given coordinates: each becomes fixed and loses its coordinates; joints that follow it are held
/// where it puts them.
Mechanism with_locked(const Mechanism& mechanism, const std::map<std::string, std::vector<double>>& joints);

/// `payload` (in the axes and about the origin of the body, or of the named frame) added to a body.
Mechanism with_payload(const Mechanism& mechanism, std::string_view place, const Inertia<double>& payload);

/// A body's inertia replaced, in its own frame.
Mechanism with_inertia(const Mechanism& mechanism, std::string_view body, const Inertia<double>& inertia);

/// A joint's limits, damping, friction, armature and spring replaced.
Mechanism with_properties(const Mechanism& mechanism, std::string_view joint, const JointProperties& properties);

/// Another mechanism beside this one, in the same world: an object that a robot handles. Names that are taken already get `name` and an
/// underscore before them; gravity stays. X_WO is where the object's world stands in this one.
Mechanism with_object(const Mechanism& mechanism, const Mechanism& object, const std::string& name, const Pose& X_WO = {});

/// X_PC in the user's own frames, for the joint at coordinates `q` (its own, not the mechanism's).
Pose joint_pose(const Joint& joint, const double* q);

}  // namespace amble
