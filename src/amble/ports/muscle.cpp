#include "amble/ports/muscle.hpp"

#include <algorithm>
#include <cmath>

namespace amble {

namespace {

double optimal_length(const MuscleCurves& m) {
  return (m.length_range[1] - m.length_range[0]) / (m.range[1] - m.range[0]);
}
double in_optimal_lengths(const MuscleCurves& m, double length) {
  return m.range[0] + (length - m.length_range[0]) / optimal_length(m);
}

/// From 0 to 1 with zero slope and curvature at both ends.
double smooth_step(double x) {
  const double s = std::clamp(x, 0.0, 1.0);
  return s * s * s * (3.0 * s * (2.0 * s - 5.0) + 10.0);
}

}  // namespace

double muscle_active_length(const MuscleCurves& m, double L) {
  if (L < m.lmin || L > m.lmax) return 0.0;
  const double a = 0.5 * (m.lmin + 1.0), b = 0.5 * (1.0 + m.lmax);
  const auto half_square = [](double x) { return 0.5 * x * x; };
  if (L <= a) return half_square((L - m.lmin) / (a - m.lmin));
  if (L <= 1.0) return 1.0 - half_square((1.0 - L) / (1.0 - a));
  if (L <= b) return 1.0 - half_square((L - 1.0) / (b - 1.0));
  return half_square((m.lmax - L) / (m.lmax - b));
}

double muscle_velocity(const MuscleCurves& m, double V) {
  const double y = m.fvmax - 1.0;
  if (V <= -1.0) return 0.0;
  if (V <= 0.0) return (V + 1.0) * (V + 1.0);
  return V <= y ? m.fvmax - (y - V) * (y - V) / y : m.fvmax;
}

double muscle_passive(const MuscleCurves& m, double L) {
  const double b = 0.5 * (1.0 + m.lmax), x = (L - 1.0) / (b - 1.0);
  if (L <= 1.0) return 0.0;
  return m.fpmax * (L <= b ? 0.5 * x * x : 0.5 + (L - b) / (b - 1.0));
}

double muscle_gain(const MuscleCurves& m, double length, double rate) {
  return -m.peak * muscle_active_length(m, in_optimal_lengths(m, length)) *
         muscle_velocity(m, rate / (optimal_length(m) * m.vmax));
}

double muscle_bias(const MuscleCurves& m, double length) {
  return -m.peak * muscle_passive(m, in_optimal_lengths(m, length));
}

double muscle_activation_rate(const std::array<double, 3>& t, double u, double a) {
  const double scale = 0.5 + 1.5 * std::clamp(a, 0.0, 1.0), gap = std::clamp(u, 0.0, 1.0) - a;
  const double rise = t[0] * scale, fall = t[1] / scale;
  const double tau = t[2] > 0.0  ? fall + (rise - fall) * smooth_step(gap / t[2] + 0.5)
                     : gap > 0.0 ? rise
                                 : fall;
  return gap / tau;
}

}  // namespace amble
