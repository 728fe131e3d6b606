#pragma once

#include "amble/base/scalar.hpp"

namespace amble {

/// c_k(x) = sum_j (-x)^j / (2j + k)!, with x = angle^2: cos, sin(a)/a, (1 - cos a)/a^2, (a - sin a)/a^3, and
/// so on. Every coefficient of exp, log and their derivatives on SO(3) and SE(3) is made of these, so none of
/// them has a small-angle case of its own. Recurrence: c_k = 1/k! - x c_{k+2}.
template <class T>
struct Stumpff {
  T c0, c1, c2, c3, c4, c5, c6;
};

template <int W>
Stumpff<Batch<W>> select(const Mask<W>& m, const Stumpff<Batch<W>>& a, const Stumpff<Batch<W>>& b) {
  return {select(m, a.c0, b.c0), select(m, a.c1, b.c1), select(m, a.c2, b.c2), select(m, a.c3, b.c3),
          select(m, a.c4, b.c4), select(m, a.c5, b.c5), select(m, a.c6, b.c6)};
}

namespace detail {

/// Sum of the first 13 terms of the series of c_k: below x = 4 the first one left out is under 1e-19 of the
/// sum.
template <class T>
T stumpff_series(const T& x, int k) {
  constexpr int kTerms = 13;
  T sum(1.0);
  for (int j = kTerms - 1; j >= 1; --j) sum = T(1.0) - sum * x * T(1.0 / ((2 * j + k) * (2 * j + k - 1.0)));
  double factorial = 1.0;
  for (int i = 2; i <= k; ++i) factorial *= i;
  return sum * T(1.0 / factorial);
}

}  // namespace detail

/// All seven for x = angle^2 >= 0. The switch at angle 2 is late on purpose: there both sides are good to a
/// few ulp (worst error up to angle 2 pi, in units of c_k(0): 3e-16 for c_0..c_3, 4e-16, 1e-15 and 4e-15 for
/// c_4, c_5 and c_6; swept in seam_test).
template <class T>
Stumpff<T> stumpff(const T& x) {
  const T half(0.5), sixth(1.0 / 6.0), one(1.0), c4_at_zero(1.0 / 24.0);
  return branch(
      x < T(4.0),
      [&] {
        Stumpff<T> s;
        s.c5 = detail::stumpff_series(x, 5);
        s.c6 = detail::stumpff_series(x, 6);
        s.c4 = c4_at_zero - x * s.c6;
        s.c3 = sixth - x * s.c5;
        s.c2 = half - x * s.c4;
        s.c1 = one - x * s.c3;
        s.c0 = one - x * s.c2;
        return s;
      },
      [&] {
        using std::cos, std::sin, std::sqrt;
        const T a = sqrt(x), sin_half = sin(half * a);
        Stumpff<T> s;
        s.c0 = cos(a);
        s.c1 = sin(a) / a;
        s.c2 = T(2.0) * sin_half * sin_half / x;
        s.c3 = (one - s.c1) / x;
        s.c4 = (half - s.c2) / x;
        s.c5 = (sixth - s.c3) / x;
        s.c6 = (c4_at_zero - s.c4) / x;
        return s;
      });
}

/// The coefficients of the inverse Jacobians, from the Stumpff functions at the same x = angle^2 = a^2.
template <class T>
struct InverseCoefficients {
  T g;  ///< (a/2) cot(a/2)
  T d;  ///< (1 - g) / x
  T e;  ///< 2 dd/dx
};

/// d and e have their own switch at angle 2: (1 - g)/x cancels near 0, the quotients of Stumpff functions
/// near 2 pi, where all three grow without bound.
template <class T>
InverseCoefficients<T> inverse_coefficients(const T& x, const Stumpff<T>& s) {
  const T one(1.0), two(2.0), inverse = one / (two * s.c2), g = s.c1 * inverse;
  const auto small = x < T(4.0);
  const T d = branch(
      small, [&] { return T((s.c3 - two * s.c4) * inverse); }, [&] { return T((one - g) / x); });
  const T e = branch(
      small, [&] { return T((T(5.0) * s.c5 - s.c4 - T(8.0) * s.c6 + T(4.0) * d * d * s.c2) * inverse); },
      [&] { return T((inverse + g - two) / (x * x)); });
  return {g, d, e};
}

}  // namespace amble
