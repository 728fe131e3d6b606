#include "amble/contact/solvers/local_contact.hpp"

#include <algorithm>
#include <cmath>

namespace amble {

namespace {

/// Sliding: u_t = -s f_t with s > 0, and u_n = 0. That leaves f as a function of s alone, (S + s) f_t = -t with S the
/// 2 x 2 matrix of the tangents while the normal row is kept at rest. In the axes of S, f_t has two fractions.
struct Slide {
  double a[2];  // eigenvalues of S
  double t[2];  // in the axes of S
  double k[2];  // f_n = start + k . f_t
  double start;
  double mu;

  /// |f_t| - mu f_n, and its slope.
  double excess(double s, double f[2], double& f_n, double& slope) const {
    double squares = 0.0, falls = 0.0, lean = 0.0;
    f_n = start;
    for (int i = 0; i < 2; ++i) {
      const double inverse = 1.0 / (a[i] + s);
      f[i] = -t[i] * inverse;
      f_n += k[i] * f[i];
      squares += f[i] * f[i];
      falls += f[i] * f[i] * inverse;
      lean += k[i] * f[i] * inverse;
    }
    const double length = std::sqrt(squares);
    slope = (length > 0.0 ? -falls / length : 0.0) + mu * lean;
    return length - mu * f_n;
  }
};

/// A root of the excess, positive at `low` and negative for large s: Newton in a bracket.
void find_slip(const Slide& slide, double f[2], double& f_n) {
  double low = 0.0, high = 0.0, slope;
  double s = std::hypot(slide.t[0], slide.t[1]) / std::max(slide.mu * slide.start, 1e-300);  // without the lean
  double value = slide.excess(s, f, f_n, slope);
  for (int i = 0; i < 200 && value > 0.0; ++i) low = s, s = 4.0 * s, value = slide.excess(s, f, f_n, slope);
  high = s;
  for (int i = 0; i < 100; ++i) {
    (value > 0.0 ? low : high) = s;
    double next = s - value / slope;
    if (!(next > low && next < high)) next = low > 0.0 && high > 4.0 * low ? std::sqrt(low * high) : 0.5 * (low + high);
    const bool done = std::abs(next - s) <= 1e-15 * s;
    s = next;
    value = slide.excess(s, f, f_n, slope);
    if (done || value == 0.0) return;
  }
}

}  // namespace

void solve_local_contact(const double G[9], const double q[3], double mu, double f[3]) {
  f[0] = f[1] = f[2] = 0.0;
  const double g = G[0];
  if (q[0] >= 0.0 || !(g > 0.0)) return;
  Slide slide;
  slide.start = -q[0] / g;
  slide.mu = mu;
  f[0] = slide.start;
  if (mu == 0.0) return;
  // The tangents with the normal row at rest: the Schur complement, in its own axes.
  const double k1 = G[1] / g, k2 = G[2] / g;
  const double s11 = G[4] - k1 * G[1], s12 = G[5] - k1 * G[2], s22 = G[8] - k2 * G[2];
  const double t1 = q[1] - k1 * q[0], t2 = q[2] - k2 * q[0];
  const double half = 0.5 * (s11 - s22), radius = std::sqrt(half * half + s12 * s12), mean = 0.5 * (s11 + s22);
  double c = 1.0, s = 0.0;  // the first axis
  if (radius > 0.0) {
    c = std::sqrt(0.5 * (1.0 + std::abs(half) / radius));
    s = 0.5 * std::abs(s12) / (radius * c);
    if (half < 0.0) std::swap(c, s);
    if (s12 < 0.0) s = -s;
  }
  const double floor = 1e-14 * (G[4] + G[8] + g);
  slide.a[0] = std::max(mean + radius, floor);
  slide.a[1] = std::max(mean - radius, floor);
  slide.t[0] = c * t1 + s * t2, slide.t[1] = c * t2 - s * t1;
  slide.k[0] = -(c * k1 + s * k2), slide.k[1] = -(c * k2 - s * k1);
  double f_t[2], slope;
  if (slide.excess(0.0, f_t, f[0], slope) > 0.0) find_slip(slide, f_t, f[0]);
  f[0] = std::max(0.0, f[0]);
  f[1] = c * f_t[0] - s * f_t[1], f[2] = s * f_t[0] + c * f_t[1];
  const double length = std::sqrt(f[1] * f[1] + f[2] * f[2]), limit = mu * f[0];
  if (length > limit) f[1] *= limit / length, f[2] *= limit / length;
}

}  // namespace amble
