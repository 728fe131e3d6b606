#pragma once

#include "amble/gait/walk.hpp"
#include "amble/gait/walker_search.hpp"

// A gait that was searched for, walked: what its actuators do, and its books.
namespace amble {

/// What the actuator of one coordinate does in a step, phase after phase.
struct ActuatorCurve {
  std::string name;  ///< of the coordinate
  std::vector<double> t, q, v, tau;

  /// The spring, -stiffness (q - rest), that gives most of the torque, by least squares over time; DS 6.2
  /// asks for it. `share` of the square of the torque is its: 1 where a spring does all, 0 where it does not
  /// help.
  struct Spring {
    double stiffness = 0.0, rest = 0.0, share = 0.0;
  };
  Spring spring() const;
};
std::vector<ActuatorCurve> actuator_curves(const WalkerKind& kind, const WalkerValues& values,
                                           const WalkerSearch& search, const FoundGait& gait,
                                           int samples = 200);

/// A row for each sample: coordinate, t, q, v, torque, power.
std::string csv(const std::vector<ActuatorCurve>& curves);

/// The motion step after step, with the books of each; assumptions are those of the motion with its torques.
Walk walk_of(const WalkerKind& kind, const SearchFigures& figures, const FoundGait& gait, int steps);

}  // namespace amble
