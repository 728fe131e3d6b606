#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <type_traits>

namespace amble {

/// Forward-mode automatic differentiation: a value of type T and its derivatives in N directions.
/// Nest it (`Dual<Dual<double, N>, N>`) for second derivatives.
template <class T, int N>
struct Dual {
  T value{};
  std::array<T, N> grad{};

  Dual() = default;
  Dual(double x) : value(x) {}  // NOLINT: a constant has no derivative
  template <class U = T>
    requires(!std::is_same_v<U, double>)
  Dual(const T& x) : value(x) {}  // NOLINT

  /// The i-th independent variable.
  static Dual variable(const T& x, int i) {
    Dual r;
    r.value = x;
    r.grad[i] = T(1.0);
    return r;
  }

  /// f(a) with derivative df at a, by the chain rule.
  static Dual chain(const T& f, const T& df, const Dual& a) {
    Dual r;
    r.value = f;
    for (int i = 0; i < N; ++i) r.grad[i] = df * a.grad[i];
    return r;
  }
  static Dual chain(const T& f, const T& dfa, const Dual& a, const T& dfb, const Dual& b) {
    Dual r;
    r.value = f;
    for (int i = 0; i < N; ++i) r.grad[i] = dfa * a.grad[i] + dfb * b.grad[i];
    return r;
  }

  Dual operator-() const { return chain(-value, T(-1.0), *this); }
  friend Dual operator+(const Dual& a, const Dual& b) { return chain(a.value + b.value, T(1.0), a, T(1.0), b); }
  friend Dual operator-(const Dual& a, const Dual& b) { return chain(a.value - b.value, T(1.0), a, T(-1.0), b); }
  friend Dual operator*(const Dual& a, const Dual& b) { return chain(a.value * b.value, b.value, a, a.value, b); }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const T inverse = T(1.0) / b.value, f = a.value * inverse;
    return chain(f, inverse, a, -f * inverse, b);
  }
  Dual& operator+=(const Dual& o) { return *this = *this + o; }
  Dual& operator-=(const Dual& o) { return *this = *this - o; }
  Dual& operator*=(const Dual& o) { return *this = *this * o; }
  Dual& operator/=(const Dual& o) { return *this = *this / o; }

  // Comparisons look at the value alone: they choose branches, and a branch is chosen by where we are.
  friend bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend bool operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend bool operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
  friend bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend bool operator!=(const Dual& a, const Dual& b) { return !(a == b); }
};

template <class T, int N>
Dual<T, N> sqrt(const Dual<T, N>& x) {
  using std::sqrt;
  const T r = sqrt(x.value);
  return Dual<T, N>::chain(r, T(0.5) / r, x);
}
template <class T, int N>
Dual<T, N> sin(const Dual<T, N>& x) {
  using std::cos, std::sin;
  return Dual<T, N>::chain(sin(x.value), cos(x.value), x);
}
template <class T, int N>
Dual<T, N> cos(const Dual<T, N>& x) {
  using std::cos, std::sin;
  return Dual<T, N>::chain(cos(x.value), -sin(x.value), x);
}
template <class T, int N>
Dual<T, N> tan(const Dual<T, N>& x) {
  using std::tan;
  const T t = tan(x.value);
  return Dual<T, N>::chain(t, T(1.0) + t * t, x);
}
template <class T, int N>
Dual<T, N> exp(const Dual<T, N>& x) {
  using std::exp;
  const T e = exp(x.value);
  return Dual<T, N>::chain(e, e, x);
}
template <class T, int N>
Dual<T, N> log(const Dual<T, N>& x) {
  using std::log;
  return Dual<T, N>::chain(log(x.value), T(1.0) / x.value, x);
}
template <class T, int N>
Dual<T, N> asin(const Dual<T, N>& x) {
  using std::asin, std::sqrt;
  return Dual<T, N>::chain(asin(x.value), T(1.0) / sqrt(T(1.0) - x.value * x.value), x);
}
template <class T, int N>
Dual<T, N> acos(const Dual<T, N>& x) {
  using std::acos, std::sqrt;
  return Dual<T, N>::chain(acos(x.value), T(-1.0) / sqrt(T(1.0) - x.value * x.value), x);
}
template <class T, int N>
Dual<T, N> atan2(const Dual<T, N>& y, const Dual<T, N>& x) {
  using std::atan2;
  const T n = T(1.0) / (x.value * x.value + y.value * y.value);
  return Dual<T, N>::chain(atan2(y.value, x.value), x.value * n, y, -y.value * n, x);
}
template <class T, int N>
Dual<T, N> abs(const Dual<T, N>& x) {
  return x.value < T(0.0) ? -x : x;
}

}  // namespace amble

namespace Eigen {
template <class T, int N>
struct NumTraits<amble::Dual<T, N>> : NumTraits<double> {
  using Real = amble::Dual<T, N>;
  using NonInteger = amble::Dual<T, N>;
  using Nested = amble::Dual<T, N>;
  using Literal = double;
  enum { RequireInitialization = 1, ReadCost = 1 + N, AddCost = 1 + N, MulCost = 1 + 2 * N };
};
// Plain numbers scale matrices of dual numbers, so that generic formulas may say 2.0 * R.
template <class T, int N, class Op>
struct ScalarBinaryOpTraits<amble::Dual<T, N>, double, Op> {
  using ReturnType = amble::Dual<T, N>;
};
template <class T, int N, class Op>
struct ScalarBinaryOpTraits<double, amble::Dual<T, N>, Op> {
  using ReturnType = amble::Dual<T, N>;
};
}  // namespace Eigen
