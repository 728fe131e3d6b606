#pragma once

#include "amble/control/stance/stance_plan.hpp"

// From one stance to another over places where contacts may be: best-first, each stance with a static posture of its own (Escande,
// Kheddar and Miossec, "Planning contact points for humanoid robots", 2013; Bouyarmane and Kheddar 2011, which BK names).
namespace amble {

/// Where a contact may be held.
struct CandidateContact {
  std::string contact;  ///< the name of a patch
  Pose X_ST;            ///< on its support
};

struct StanceSearchSettings {
  PostureSettings posture = StancePlanSettings().posture;
  double clearance = StancePlanSettings().clearance;  ///< of bodies that are not in contact (m)
  int postures = 200;          ///< that are looked for, at most
  int least_contacts = 1;      ///< that a stance has
  double change_cost = 0.1;    ///< of each contact that is let go or placed (m): few changes are better
};

struct StanceSearch {
  bool found = false;
  std::string message;         ///< one sentence
  std::vector<Stance> stances; ///< from the first to the goal, each one contact more or less than the one before
  std::vector<OwnedVector> postures;  ///< of each
  int tried = 0;               ///< postures that were looked for
  int refused = 0;             ///< of these, those that are not there
  int nodes = 0;               ///< stances that were looked at from
};

/// Stances from `start` to one that holds what `goal` holds, by adding or letting go one contact of the candidates at a time. A change
/// is taken if a posture rests on what is held without that contact, which is in its place: on both sides of the change. The stance
/// looked at next is the one with the least cost so far plus the distance to the goal (A*). An Error for names that are not there.
StanceSearch search_stances(const Mechanism& mechanism, const std::vector<ContactPatch>& patches, const Stance& start, const Stance& goal,
                            const std::vector<CandidateContact>& candidates, const VectorRef& q, const StanceSearchSettings& settings = {});

}  // namespace amble
