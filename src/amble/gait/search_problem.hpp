#pragma once

#include <memory>
#include <string>
#include <vector>

#include "amble/gait/search_function.hpp"
#include "amble/optimize/nlp.hpp"

namespace amble {

using SearchFunctionPtr = std::shared_ptr<const SearchFunction>;

/// lower <= f(q, v, a, p) <= upper, row by row; one number stands for all rows.
struct SearchCondition {
  enum class Where {
    start,  ///< of the phase, after the reset
    end,    ///< of the phase, before the reset
    nodes,  ///< all along it, see from and to
  };

  std::string name;
  Where where = Where::nodes;
  SearchFunctionPtr function;
  std::vector<double> lower, upper;
  double from = 0.0,
         to = 1.0;  ///< of nodes: the part of the phase where it must hold, as fractions of its duration
  std::function<double(double s)> profile = {};  ///< times the bounds, along the phase; empty: 1
};

/// A part of the step between two events.
struct SearchPhase {
  std::string name;
  std::vector<std::string> coordinates;  ///< their names
  SearchFunctionPtr
      torques;  ///< tau(q, v, a, p), a row per coordinate: what actuators must give (springs included)
  /// (q, v) just before the event at the end of this phase to (q, v) at the start of the next one, the last
  /// phase's to the first one's: impact and relabelling, DS Definition 4.1. Twice as many rows as the next
  /// phase has coordinates.
  SearchFunctionPtr reset;
  /// Beside these the search adds the resets. A condition that follows from others already must not be named
  /// again: if both feet are on the floor at the start and the reset keeps the posture, they are so at the
  /// end.
  std::vector<SearchCondition> conditions;
  std::vector<double> torque_lower, torque_upper;  ///< at the nodes; empty: no limit
  std::vector<int> unactuated;                     ///< coordinates whose torque is zero throughout
  OwnedMatrix cost;                                ///< Q of DS (4.1); empty: identity
  double shortest = 0.0, longest = 0.0;            ///< duration (s); 0: 0.3 and 10 times the pendulum time
};

/// A number of the design that is searched for together with the motion.
struct SearchParameter {
  std::string name;
  double start = 0.0;
  double lower = -kInfinity, upper = kInfinity;  ///< equal: fixed
};

/// sum of factors times parameters = sum: `mass_hip + 2 mass_leg = 7`.
struct SearchTie {
  std::string name;
  std::vector<int> parameters;
  std::vector<double> factors;
  double sum = 0.0;
};

/// What a motion costs: torque x integral of tau^T Q tau (what motors lose in their windings, with Q of each
/// phase) + work x (what actuators deliver, less the share `regained` of what they take back).
struct SearchCost {
  double torque = 1.0;    ///< J / (N^2 m^2 s)
  double work = 0.0;      ///< J / J
  double regained = 0.0;  ///< 0: actuators that brake cost nothing and give nothing back; 1: signed work
};

/// What gait search knows of a walker: one step, in phases.
struct SearchProblem {
  std::vector<SearchPhase> phases;
  std::vector<SearchParameter> parameters;
  std::vector<SearchTie> ties;
  SearchCost cost = {};
  SearchFunctionPtr step_length;  ///< one row (m), asked at the start of the first phase
  double leg_length = 1.0;        ///< m: the scale of steps
  double gravity = 9.81;          ///< m/s^2; sqrt(leg_length / gravity) is the scale of time
  OwnedVector rest;               ///< a posture to step about, of the first phase; empty: zeros
  OwnedVector
      bend;  ///< what guesses add to it in the middle of the first phase, as bent knees; empty: nothing

  double pendulum_time() const;
  /// An Error that names what does not fit.
  void validate() const;
};

}  // namespace amble
