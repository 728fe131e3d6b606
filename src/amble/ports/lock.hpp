#pragma once

#include <limits>
#include <optional>

#include "amble/ports/element.hpp"

namespace amble {

/// A joint that is held and let go, as by the knee magnets of DS 4.3.
struct LockOptions {
  std::string joint;
  /// Locks there, by a constraint on the place, when the coordinate comes by; without it the joint, of any type, is
  /// held wherever a planned time finds it.
  std::optional<double> angle = {};  ///< rad, m
  int axis = 0;                      ///< of the angle
  int direction = 0;                 ///< comes by upwards (1), downwards (-1), either way (0)
  std::vector<double> engage_times = {}, release_times = {};       ///< s; with an angle, engage times are refused
  double holding_force = std::numeric_limits<double>::infinity();  ///< N m, N: more than this and it lets go
  bool engaged = false;                                            ///< at the start
  double clearance = 1e-6;  ///< how far the coordinate goes away (rad, m) before the angle counts again
};

/// Locking takes what a plastic impact takes, booked among the losses with its event.
ElementPtr lock(std::string name, const Mechanism& mechanism, const LockOptions& options);

}  // namespace amble
