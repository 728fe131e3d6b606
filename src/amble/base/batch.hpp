#pragma once

#include <Eigen/Core>
#include <cmath>

namespace amble {

/// One truth value per lane.
template <int W>
struct Mask {
  bool lane[W];
};

template <int W>
bool any(const Mask<W>& m) {
  for (bool b : m.lane)
    if (b) return true;
  return false;
}
inline bool any(bool b) { return b; }

/// W numbers that go through the same formula side by side: the batch scalar of geometry and joints.
/// A plain array, so its layout does not depend on compiler flags; compilers turn the loops into SIMD.
template <int W>
struct Batch {
  double lane[W];

  Batch() = default;
  Batch(double x) {  // NOLINT: a number is the same number in every lane
    for (double& l : lane) l = x;
  }

  static constexpr int kWidth = W;
  double& operator[](int i) { return lane[i]; }
  double operator[](int i) const { return lane[i]; }

  template <class F>
  static Batch generate(F f) {
    Batch r;
    for (int i = 0; i < W; ++i) r.lane[i] = f(i);
    return r;
  }

  Batch operator-() const {
    return generate([&](int i) { return -lane[i]; });
  }
  friend Batch operator+(const Batch& a, const Batch& b) {
    return generate([&](int i) { return a.lane[i] + b.lane[i]; });
  }
  friend Batch operator-(const Batch& a, const Batch& b) {
    return generate([&](int i) { return a.lane[i] - b.lane[i]; });
  }
  friend Batch operator*(const Batch& a, const Batch& b) {
    return generate([&](int i) { return a.lane[i] * b.lane[i]; });
  }
  friend Batch operator/(const Batch& a, const Batch& b) {
    return generate([&](int i) { return a.lane[i] / b.lane[i]; });
  }
  Batch& operator+=(const Batch& o) { return *this = *this + o; }
  Batch& operator-=(const Batch& o) { return *this = *this - o; }
  Batch& operator*=(const Batch& o) { return *this = *this * o; }
  Batch& operator/=(const Batch& o) { return *this = *this / o; }

  friend Mask<W> operator<(const Batch& a, const Batch& b) {
    Mask<W> m;
    for (int i = 0; i < W; ++i) m.lane[i] = a.lane[i] < b.lane[i];
    return m;
  }
  friend Mask<W> operator>(const Batch& a, const Batch& b) { return b < a; }
};

#define AMBLE_BATCH_FUNCTION(f)                                              \
  template <int W>                                                           \
  Batch<W> f(const Batch<W>& x) {                                            \
    return Batch<W>::generate([&](int i) { return std::f(x.lane[i]); });     \
  }
AMBLE_BATCH_FUNCTION(sqrt)
AMBLE_BATCH_FUNCTION(sin)
AMBLE_BATCH_FUNCTION(cos)
AMBLE_BATCH_FUNCTION(tan)
AMBLE_BATCH_FUNCTION(asin)
AMBLE_BATCH_FUNCTION(acos)
AMBLE_BATCH_FUNCTION(abs)
#undef AMBLE_BATCH_FUNCTION

template <int W>
Batch<W> atan2(const Batch<W>& y, const Batch<W>& x) {
  return Batch<W>::generate([&](int i) { return std::atan2(y.lane[i], x.lane[i]); });
}

/// Lane by lane: `yes` where the mask holds, else `no`.
template <int W>
Batch<W> select(const Mask<W>& m, const Batch<W>& yes, const Batch<W>& no) {
  return Batch<W>::generate([&](int i) { return m.lane[i] ? yes.lane[i] : no.lane[i]; });
}

}  // namespace amble

namespace Eigen {
template <int W>
struct NumTraits<amble::Batch<W>> : NumTraits<double> {
  using Real = amble::Batch<W>;
  using NonInteger = amble::Batch<W>;
  using Nested = amble::Batch<W>;
  using Literal = double;
  enum { RequireInitialization = 0, ReadCost = W, AddCost = W, MulCost = W };
};
}  // namespace Eigen
