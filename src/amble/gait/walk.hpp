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
  std::vector<double> laws = {};  ///< what each law of a controller delivered
  double spent = 0.0;             ///< by the actuators of these laws: their positive work
  double pushed = 0.0;            ///< by pushes from outside, before the step
  double controlled() const;      ///< sum of the laws
  /// What the books miss: each of the others is its own sum or integral.
  double residual() const {
    return kinetic - (gravity + springs + dampers + supplied + controlled() + pushed - lost);
  }
};

/// What was done to the motion since the start of a walk (J).
struct WorkDone {
  double springs = 0.0, dampers = 0.0;
  double supplied = 0.0;          ///< by actuators of the walker's own
  double pushed = 0.0;            ///< from outside
  double lost = 0.0;              ///< in events
  std::vector<double> laws = {};  ///< by each law of a controller; none: nothing by any
  WorkDone operator+(const WorkDone& more) const;
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
  bool stopped = false;  ///< it came to rest, as it was asked to
  StepLedger last = {};  ///< books of the step that was not completed
  OwnedVector x;        ///< where the next step starts
  FloorPlace place = {};  ///< and its axes
  std::vector<Assumption> assumptions;
  std::vector<WalkSample> samples;
  std::vector<std::string> laws = {};  ///< of its controller, by name

  double distance() const;
  double duration() const;
  double residual() const;   ///< sum of the steps' (J)
  double exchanged() const;  ///< sum of the absolute transfers (J)
  double spent() const;      ///< positive work of actuators, push-offs included (J)
};

/// A step in the floor that the walker does not expect: from a footfall on (the first is 1), it lies lower.
struct StepDown {
  double height = 0.0;  ///< m, along the floor's normal; 0 or more
  int footfall = 5;

  /// Throws an Error for a step up: legs that are let through the floor would stand in it.
  void validate() const;
};

/// The start of a step, before it is made.
struct WalkStart {
  int step = 0;    ///< 0, 1, ...
  double t = 0.0;  ///< s
  StepModel& model;
  FloorPlace& place;  ///< of the step's axes; what looks at it may turn them
  OwnedVector& x;     ///< the state, in these axes; what pushes the walker changes it
};

struct WalkOptions {
  std::vector<StepDown> floor = {};                ///< steps in the floor, one for a footfall
  std::function<void(WalkStart&)> before = {};     ///< called before each step; work on x is booked as pushed
  std::function<bool(const Step&)> finished = {};  ///< whether to stop walking after a step
  bool samples = true;                             ///< kept for pictures and recordings
};
Walk walk(ReturnMap& map, const VectorRef& x, int steps, const WalkOptions& options);

/// Walks from a state, with books, and looks whether what the model assumes holds along the way. Throws an Error for a
/// step up, and for a step down where a return takes a full stride.
Walk walk(ReturnMap& map, const VectorRef& x, int steps, const StepDown& down = {});

/// Why a gait is stable or not, in a sentence or two.
std::string stability_note(const Gait& gait);

}  // namespace amble
