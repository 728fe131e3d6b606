#pragma once

#include "amble/gait/gait.hpp"

namespace amble {

/// The books of one step (J): what was done along the motion, what its events took, and how the kinetic
/// energy changed.
struct StepLedger {
  double period = 0.0, length = 0.0;  ///< s, m
  double gravity = 0.0, springs = 0.0, dampers = 0.0;
  double lost = 0.0;      ///< in impacts
  double kinetic = 0.0;   ///< change over the step
  double supplied = 0.0;  ///< by actuators of the walker's own, as push-offs
  /// What the books miss: each of the others is its own sum or integral.
  double residual() const { return kinetic - (gravity + springs + dampers + supplied - lost); }
};

/// What was done to the motion since the start of a walk (J).
struct WorkDone {
  double springs = 0.0, dampers = 0.0, supplied = 0.0;
  double lost = 0.0;  ///< in events
  WorkDone operator+(const WorkDone& more) const {
    return {springs + more.springs, dampers + more.dampers, supplied + more.supplied, lost + more.lost};
  }
};

/// A state on the way, in the coordinates of the simulation model, with the walker's place along the floor in
/// it.
struct WalkSample {
  double t;
  int step, phase;
  OwnedVector q, v;
  WalkMoment moment = {};  ///< the same as the analysis model has it
  bool event = false;      ///< what ends the phase happens next
  WorkDone done = {};
};

struct Walk {
  int asked = 0;
  std::vector<StepLedger> steps;  ///< those that were completed
  bool fell = false;
  std::string failure;  ///< how
  OwnedVector x;        ///< where the next step starts
  std::vector<Assumption> assumptions;
  std::vector<WalkSample> samples;

  double distance() const;
  double duration() const;
  double residual() const;   ///< sum of the steps' (J)
  double exchanged() const;  ///< sum of the absolute transfers (J)
};

/// A step in the floor that the walker does not expect: from a footfall on (the first is 1), it lies lower.
struct StepDown {
  double height = 0.0;  ///< m, along the floor's normal
  int footfall = 5;
};

/// Walks from a state, with books, and looks whether what the model assumes holds along the way. Throws an Error for a
/// step down where a return takes a full stride.
Walk walk(ReturnMap& map, const VectorRef& x, int steps, const StepDown& down = {});

/// Why a gait is stable or not, in a sentence or two.
std::string stability_note(const Gait& gait);

}  // namespace amble
