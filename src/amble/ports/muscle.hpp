#pragma once

#include "amble/mechanism/description.hpp"

// The curves of a muscle (MuJoCo's, after Millard et al. 2013), dimensionless; see MuscleCurves.
namespace amble {

/// FL(L): parabolas, 1 at L = 1, 0 outside lmin .. lmax.
double muscle_active_length(const MuscleCurves& muscle, double L);
/// FV(V): 0 below V = -1, 1 at 0, fvmax from fvmax - 1 on.
double muscle_velocity(const MuscleCurves& muscle, double V);
/// FP(L): 0 up to L = 1, fpmax / 2 at the middle between 1 and lmax; it goes on as a straight line.
double muscle_passive(const MuscleCurves& muscle, double L);

/// What activation is multiplied with, and what is added: both pull, so they are not positive (N).
double muscle_gain(const MuscleCurves& muscle, double length, double rate);
double muscle_bias(const MuscleCurves& muscle, double length);

/// Rate of the activation `a` for the control u, both taken within 0 .. 1 in the time constant.
double muscle_activation_rate(const std::array<double, 3>& time_constants, double u, double a);

}  // namespace amble
