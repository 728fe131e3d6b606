#pragma once

#include "amble/control/walking/gait_controllers.hpp"
#include "amble/gait/gait.hpp"
#include "amble/gait/gait_search.hpp"
#include "amble/walkers/mechanism_walker.hpp"

// A gait as what a controller may follow: the motion over a step, as polynomials of time and as curves
// through configurations, DS 5.2.3.
namespace amble {

/// A step of a gait, phase by phase.
struct GaitMotion {
  std::vector<Mechanism> mechanisms = {};  ///< the analysis model of each phase
  std::vector<Trajectory> phases = {};     ///< in its coordinates
  std::vector<Trajectory> energies = {};   ///< along each, one row (J): kinetic, in gravity and springs
  /// That actuators give along each (N m, N); none: the walker has the gait by itself.
  std::vector<Trajectory> torques = {};

  OwnedVector start() const;  ///< the state (q, v) at which it begins
};

/// Of a cycle of the return map; polynomials are raised until what they leave out is rounding. Throws an
/// Error for a walker that is not made of a mechanism, or a gait that repeats itself only after several
/// steps.
GaitMotion gait_motion(const StepModel& walker, const Gait& gait);
/// Of a gait that was searched for, on a walker with the parameters that the search left: with the torques
/// that its motion takes.
GaitMotion gait_motion(const StepModel& walker, const FoundGait& gait);

/// The motion as a curve, from s = 0 to s = 1.
TrackedCurve curve_of(const Mechanism& mechanism, const Trajectory& motion);
/// The desired curve Qd of each phase of a step.
std::vector<TrackedCurve> gait_curves(const GaitMotion& motion);
/// What there is along each of them beside the way.
std::vector<CurveDemand> curve_demands(const GaitMotion& motion);
/// The motion with its times.
std::vector<TimedMotion> timed_motions(const GaitMotion& motion);

}  // namespace amble
