#pragma once

#include "amble/control/walking/curve_field.hpp"
#include "amble/control/walking/curve_tracking.hpp"
#include "amble/control/walking/step_controller.hpp"

// Controllers that keep a walker on a gait, DS 5.2.3.
namespace amble {

/// What is asked for along a curve beside the way, s from 0 to 1.
struct CurveDemand {
  std::function<double(double s)> energy;  ///< that (5.27) leads to (J): kinetic, in gravity and springs
  std::function<OwnedVector(double s)> torque = {};  ///< that the motion takes (N m, N); empty: none
};

/// Port-based tracking: leads the walker along a curve in each phase, whenever it is where. Its laws are
/// those of curve_tracking.hpp and, for a gait that takes torques, "gait": of these the part along the field,
/// as a function of the place alone, so that whoever walks it faster or slower is given the same energy on
/// the way. The part across is what the laws without power give there.
struct PortControl {
  std::vector<TrackedCurve> curves;  ///< one for each phase, in the coordinates of its mechanism
  std::vector<CurveDemand> demands;  ///< and what there is along it
  CurveFieldSettings field = {};
  TrackingSettings laws = {.springs = true};  ///< `energy`, `limit` and `unactuated` are not looked at
};
std::unique_ptr<StepController> port_controller(const PortControl& control);

/// Where a walker should be, and how fast, at a time since the phase began (s).
struct TimedMotion {
  std::function<OwnedVector(double t)> position, velocity;
  double duration =
      0.0;  ///< s; later it goes on at its last velocity, which dies away within a tenth of this
  std::function<OwnedVector(double t)> torque =
      {};  ///< that the motion takes (N m, N), which dies away likewise; empty: none
};

/// The usual way: stiffness (q_d(t) - q) + damping (v_d(t) - v) at every coordinate, and the torques that a
/// gait takes, with a clock that starts anew in each phase.
struct PdControl {
  std::vector<TimedMotion> motions;          ///< one for each phase
  double stiffness = 100.0, damping = 20.0;  ///< N m/rad, N m s/rad
};
std::unique_ptr<StepController> pd_controller(const PdControl& control);

/// Nothing that looks at the walker: the torques that a gait takes, by the clock, or no law at all where it
/// takes none. Its motion then is its own, under the same checks.
std::unique_ptr<StepController> no_controller(const std::vector<TimedMotion>& motions);

}  // namespace amble
