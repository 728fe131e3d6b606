#pragma once

#include <array>

// J. R. Dormand and P. J. Prince, "A family of embedded Runge-Kutta formulae", 1980: order 5 with an estimate of
// order 4. The last stage is the first of the next step.
namespace amble::dormand_prince {

inline constexpr int kStages = 7;
inline constexpr double kNode[kStages] = {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0};
inline constexpr double kWeight[kStages][kStages - 1] = {
    {},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
inline constexpr double kError[kStages] = {71.0 / 57600,      0.0,        -71.0 / 16695, 71.0 / 1920,
                                           -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

/// Weights of the interpolant of order 4 at a fraction of the step (Hairer, Norsett and Wanner, II.6).
constexpr std::array<double, kStages> weights_at(double s) {
  const double w = s * s * (3.0 - 2.0 * s), u = s * s * (s - 1.0) * (s - 1.0);
  const double* const b = kWeight[kStages - 1];
  return {w * b[0] + s * (s - 1.0) * (s - 1.0) - u * 5.0 * (2558722523.0 - 31403016.0 * s) / 11282082432.0,
          0.0,
          w * b[2] + u * 100.0 * (882725551.0 - 15701508.0 * s) / 32700410799.0,
          w * b[3] - u * 25.0 * (443332067.0 - 31403016.0 * s) / 1880347072.0,
          w * b[4] + u * 32805.0 * (23143187.0 - 3489224.0 * s) / 199316789632.0,
          w * b[5] - u * 55.0 * (29972135.0 - 7076736.0 * s) / 822651844.0,
          s * s * (s - 1.0) + u * 10.0 * (7414447.0 - 829305.0 * s) / 29380423.0};
}

// Step control: proportional and integral, within bounds that keep it calm.
inline constexpr double kSafety = 0.9, kProportional = 0.7 / 5, kIntegral = 0.4 / 5, kShrink = 0.2, kGrow = 5.0;

}  // namespace amble::dormand_prince
