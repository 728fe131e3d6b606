#pragma once

#include "amble/control/legged/dcm_plan.hpp"

namespace amble {

/// What a step may do about a DCM that is off: in the axes of the stance foot, from its place.
struct StepProblem {
  DcmTiming timing;
  Vector2<double> dcm;                  ///< measured
  Vector2<double> nominal;              ///< place of the swing foot as planned
  Vector2<double> next_offset;          ///< DCM offset on that foot at the end of double support
  Vector2<double> ankle;                ///< how far the ZMP may leave the middle of the stance foot first (m)
  Vector2<double> least, most;          ///< that the leg reaches
  double elapsed = 0.0;                 ///< of single support (s)
  double time = 0.0;                    ///< its duration as chosen last
  double earliest = 0.0, latest = 0.0;  ///< durations that the swing foot can keep; equal: it is not changed
  double time_weight = 0.0;  ///< cost of (duration - nominal)^2 beside that of moving the place (m^2/s^2)
};

struct StepChoice {
  Vector2<double> place = Vector2<double>::Zero();
  double time = 0.0;
  double miss = 0.0;  ///< how far beyond reach the place would have to be (m)
};

/// The place and the duration that lead the DCM to the planned offset after this step: the ankle's ZMP first,
/// what is left moves the place, the duration is searched. Khadiv et al. (2020) pose this as a program in
/// e^(omega T) with the offset as a variable; here candidates are evaluated in closed form, which cannot
/// fail.
StepChoice adapt_step(const StepProblem& problem);

}  // namespace amble
