#include "amble/verify/simulation/elliptic.hpp"

#include <cmath>

namespace amble {

Jacobi jacobi(double u, double m) {
  constexpr int kMost = 12;  // the mean converges quadratically
  double a[kMost + 1] = {1.0}, c[kMost + 1] = {std::sqrt(m)}, b = std::sqrt(1.0 - m);
  int n = 0;
  for (; n < kMost && std::abs(c[n]) > 1e-16; ++n) {
    a[n + 1] = 0.5 * (a[n] + b), c[n + 1] = 0.5 * (a[n] - b);
    b = std::sqrt(a[n] * b);
  }
  double angle = std::ldexp(a[n] * u, n);
  for (; n > 0; --n) angle = 0.5 * (angle + std::asin(c[n] / a[n] * std::sin(angle)));
  const double sn = std::sin(angle);
  return {sn, std::cos(angle), std::sqrt(1.0 - m * sn * sn), angle};
}

}  // namespace amble
