#pragma once

#include "amble/contact/body_distance.hpp"
#include "amble/control/contact_patch.hpp"
#include "amble/control/posture/kinematic_target.hpp"
#include "amble/optimize/nlp.hpp"

namespace amble {

/// What a contact says about where its frame is.
enum class ContactHold {
  pose,      ///< origin and axes of the contact frame are those of the support
  position,  ///< its origin alone: a point contact, or one that may turn
  plane,     ///< flat on the support's x-y plane, free to slide and to turn on it
  height,    ///< its origin on that plane
};
const char* name_of(ContactHold hold);

/// A part of a mechanism that rests on the world, or on another part (a hand on a box): forces at its points, each in
/// Coulomb's cone about the normal, and back on what supports it.
struct PostureContact {
  ContactPatch patch;
  Pose X_ST;  ///< where the contact frame rests, on the support; its z is the normal, towards what is supported
  ContactHold hold = ContactHold::pose;
};

/// A tolerance of 1e-8 and at most 200 iterations, twice where needed.
NlpSettings posture_solver();

struct PostureSettings {
  std::vector<KinematicTarget> targets = {};  ///< met exactly, beside the contacts: a hand in the air, the centre of mass
  std::vector<BodyPair> apart = {};           ///< bodies that keep `clearance` from each other
  double clearance = 0.02;                    ///< m
  GroundPtr ground = nullptr;                 ///< what "world" is in `apart`, beside the scenery
  std::vector<std::string> unactuated = {};   ///< joints without drive, beside free joints
  std::vector<std::string> held = {};         ///< joints that stay where the start has them
  double torque_share = 1.0;    ///< of the effort limits that may be used
  double friction_share = 1.0;  ///< of the coefficients that may be used
  double limit_margin = 0.0;    ///< from joint limits (rad, m); where a range is narrower than twice that, its middle
  /// What is minimised: squared distances of joints from the start (rad, m; free joints not counted), squared shares of
  /// the effort limits, and squared forces as shares of the weight, each by its weight.
  double posture_weight = 1.0, torque_weight = 0.1, force_weight = 0.1;
  NlpSettings solver = posture_solver();

  void validate() const;
};

struct StaticPosture {
  OwnedVector q;
  NlpStatus status = NlpStatus::internal_error;
  std::string message;  ///< one sentence; when there is no posture, what stands in the way most
  OwnedVector torques;  ///< nv; zero where there is no drive
  /// At every point of every contact, on what is supported, world axes (N).
  std::vector<std::vector<Vector3<double>>> forces;

  // How well it holds, from the mechanism's functions alone.
  double imbalance = 0.0;      ///< the largest force that no drive and no contact bears (N, N m)
  double misplacement = 0.0;   ///< of contacts and targets, the largest (m, rad)
  double torque_use = 0.0;     ///< the largest |torque| / effort limit
  double friction_use = 0.0;   ///< the largest |tangential| / (friction x normal force)
  double limit_margin = 0.0;   ///< the least distance from a joint limit, negative beyond (rad, m)
  double nearest = kInfinity;  ///< of the bodies that keep apart (m)
  int iterations = 0;

  bool found() const { return status == NlpStatus::solved || status == NlpStatus::acceptable; }
};

/// A configuration with its torques and contact forces in which the mechanism rests: equilibrium
///     gravity_forces(q) = tau + sum J^T f,
/// forces in their cones, torques and joints within their limits, contacts where they are asked for. As a nonlinear program
/// with exact first derivatives, from any start: inverse kinematics first puts the contacts in place. For any mechanism,
/// bodies and points. An Error for what cannot be asked; that there is no
/// such posture, or that none was found, is a status.
StaticPosture static_posture(const Mechanism& mechanism, const std::vector<PostureContact>& contacts, const VectorRef& start,
                             const PostureSettings& settings = {});

}  // namespace amble
