#pragma once

#include "amble/ports/element.hpp"
#include "amble/ports/limits.hpp"

namespace amble {

/// A stop that does not give way, as a kneecap (DS 4.3).
struct RigidStopOptions {
  double restitution = 0.0;  ///< speed after an impact over that before; 0 to 1
  /// Impacts slower than this (m/s, rad/s) leave the coordinate at rest against the stop; it is held there by a
  /// constraint until the stop would have to pull.
  double rest_speed = 1e-3;
  /// How far it then moves away (m, rad) before the next touch counts.
  double clearance = 1e-9;
};

/// Touch, rest and parting are events; what impacts take is booked among the losses.
ElementPtr rigid_stop(std::string name, const JointLimit& limit, const RigidStopOptions& options = {});

/// One for each limit, named after it.
std::vector<ElementPtr> rigid_stops(const std::string& name, const std::vector<JointLimit>& limits,
                                    const RigidStopOptions& options = {});

}  // namespace amble
