#pragma once

#include "amble/control/walking/stance_watch.hpp"

namespace amble {

/// A knee with a cap that it cannot pass and a magnet that holds it there, DS 4.3.1. The magnet is on while its leg
/// stands; it is switched off when another foot has come down, and on again when the knee, bent, moves back
/// towards its cap.
struct KneeMagnetOptions {
  std::string joint;
  int axis = 0;
  double angle = 0.0;         ///< of the cap (rad)
  bool bends_upwards = true;  ///< whether a bent knee is at larger angles
  int foot = 0;               ///< of its leg, among those of `stance`
  StanceOptions stance = {};
  double delay = 0.0;  ///< s from the look that finds another foot down to letting go; at least 1e-6 where switches are seen at once
  double power = 0.0;  ///< that the magnet takes while it is on (W)
  double holding_force = std::numeric_limits<double>::infinity();  ///< N m: more than this and it lets go
};

/// Coming to the cap takes what a plastic impact takes, booked among the losses with its event. Supplied and dissipated is
/// what the magnet takes. Throws an Error for a motion that starts beyond the cap.
ElementPtr knee_magnet(std::string name, const Mechanism& mechanism, const KneeMagnetOptions& options);

}  // namespace amble
