#pragma once

#include <map>

#include "amble/control/posture/static_posture.hpp"
#include "amble/control/stance/limb_arc.hpp"

// A motion from stance to stance as postures to come to, one contact at a time (BK section VI; Bouyarmane and Kheddar 2011).
namespace amble {

/// Contacts that are held, and where; the posture that is liked best on them.
struct Stance {
  std::string name;
  std::map<std::string, Pose> contacts;        ///< by the names of patches: X_ST, as of PostureContact
  std::vector<KinematicTarget> targets = {};   ///< met beside the contacts
  OwnedVector preferred = {};                  ///< empty: that of the stance before
  double duration = 1.5;                       ///< of each way (s)
  double pause = 0.5;                          ///< of rest at its end (s)
};

/// One way: the mechanism comes to a posture; then a contact may be let go, or, moved along, is held.
struct StanceStage {
  std::string name;
  OwnedVector q;
  Vector3<double> com = Vector3<double>::Zero();
  double duration = 1.5, pause = 0.0;
  int released = -1;  ///< contact that carries nothing at the end and is let go
  int placed = -1;    ///< contact that comes to its place along the arc and is held there
  LimbArc arc;        ///< of its contact frame, on the support
};

struct StancePlanSettings {
  /// Room that postures leave to control.
  PostureSettings posture = {.torque_share = 0.85, .friction_share = 0.7, .limit_margin = 0.03, .posture_weight = 1.0, .torque_weight = 0.1, .force_weight = 5.0};
  double lift = 0.06;                    ///< of a part on its way (m), at least
  double most_lift = 0.20;               ///< and at most, where it would touch something on lower ways (m)
  double clearance = 0.01;               ///< of bodies that are not in contact, in postures, and of the part on its way (m)
  int samples = 9;                       ///< of a way, where that is looked at

  void validate() const;
};

struct StancePlan {
  bool found = false;
  std::string message;            ///< which posture is missing and why
  std::vector<std::string> notes;  ///< what was not looked at, as bodies whose shapes cannot be read
  OwnedVector start;              ///< the posture of the first stance
  std::map<int, Pose> held;       ///< contacts there
  std::vector<StanceStage> stages;
};

/// Stages through all stances, the first being where the motion starts. Between stances contacts are let go first, each from a
/// posture that rests without it, then placed, each from a posture that rests before it carries. An Error for names that are
/// not there; a posture that cannot be is said in the plan.
StancePlan plan_stances(const Mechanism& mechanism, const std::vector<ContactPatch>& patches,
                        const std::vector<Stance>& stances, const VectorRef& start, const StancePlanSettings& settings = {});

/// The lowest arc on which the body of a contact keeps `clearance` from all others, sampled along the interpolation of two
/// postures with the limb moved by inverse kinematics; the highest if none does.
LimbArc clear_arc(const Mechanism& mechanism, const ContactPatch& patch, const LimbArc& arc, const OwnedVector& from,
                  const OwnedVector& to, const std::vector<KinematicTarget>& fixed, const StancePlanSettings& settings);

}  // namespace amble
