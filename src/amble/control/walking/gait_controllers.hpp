#pragma once

#include "amble/control/walking/curve_field.hpp"
#include "amble/control/walking/curve_tracking.hpp"
#include "amble/control/walking/step_controller.hpp"

// Controllers that keep a walker on a gait, DS 5.2.3.
namespace amble {

/// Port-based tracking: leads the walker along a curve in each phase, whenever it is where. Its laws are those of
/// curve_tracking.hpp.
struct PortControl {
  std::vector<TrackedCurve> curves;  ///< one for each phase, in the coordinates of its mechanism
  std::vector<double> energies;      ///< that (5.27) leads to in each (J): kinetic, in gravity and springs
  CurveFieldSettings field = {};
  TrackingSettings laws = {.springs = true};  ///< `energy`, `limit` and `unactuated` are not looked at
};
std::unique_ptr<StepController> port_controller(const PortControl& control);

/// Where a walker should be, and how fast, at a time since the phase began (s).
struct TimedMotion {
  std::function<OwnedVector(double t)> position, velocity;
  double duration = 0.0;  ///< s; later it goes on at its last velocity, which dies away within a tenth of this
};

/// The usual way: stiffness (q_d(t) - q) + damping (v_d(t) - v) at every coordinate, with a clock that starts anew in each
/// phase.
struct PdControl {
  std::vector<TimedMotion> motions;          ///< one for each phase
  double stiffness = 100.0, damping = 20.0;  ///< N m/rad, N m s/rad
};
std::unique_ptr<StepController> pd_controller(const PdControl& control);

/// No law at all: the walker's own motion under the same checks.
std::unique_ptr<StepController> no_controller();

}  // namespace amble
