#pragma once

#include "amble/geometry/se3.hpp"

// A second, slow implementation of the exponential and its Jacobians in 113-bit arithmetic, by plain power
// series of matrices and elimination: it shares no formula with the library.
namespace amble::test {

using Quad = __float128;

template <int N>
struct QuadMatrix {
  Quad a[N][N] = {};

  static QuadMatrix identity() {
    QuadMatrix m;
    for (int i = 0; i < N; ++i) m.a[i][i] = 1;
    return m;
  }
  friend QuadMatrix operator*(const QuadMatrix& x, const QuadMatrix& y) {
    QuadMatrix m;
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j)
        for (int k = 0; k < N; ++k) m.a[i][j] += x.a[i][k] * y.a[k][j];
    return m;
  }
  friend QuadMatrix operator*(Quad s, const QuadMatrix& x) {
    QuadMatrix m = x;
    for (auto& row : m.a)
      for (Quad& e : row) e *= s;
    return m;
  }
  QuadMatrix& operator+=(const QuadMatrix& x) {
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) a[i][j] += x.a[i][j];
    return *this;
  }
};

/// Gauss-Jordan elimination with row pivoting.
template <int N>
QuadMatrix<N> inverse(QuadMatrix<N> m) {
  QuadMatrix<N> out = QuadMatrix<N>::identity();
  const auto size = [](Quad x) { return x < 0 ? -x : x; };
  for (int c = 0; c < N; ++c) {
    int pivot = c;
    for (int r = c + 1; r < N; ++r)
      if (size(m.a[r][c]) > size(m.a[pivot][c])) pivot = r;
    std::swap(m.a[c], m.a[pivot]);
    std::swap(out.a[c], out.a[pivot]);
    const Quad scale = 1 / m.a[c][c];
    for (int k = 0; k < N; ++k) m.a[c][k] *= scale, out.a[c][k] *= scale;
    for (int r = 0; r < N; ++r) {
      const Quad f = m.a[r][c];
      if (r == c || f == 0) continue;
      for (int k = 0; k < N; ++k) m.a[r][k] -= f * m.a[c][k], out.a[r][k] -= f * out.a[c][k];
    }
  }
  return out;
}

template <int N>
double largest(const QuadMatrix<N>& m) {
  double size = 0.0;
  for (const auto& row : m.a)
    for (Quad e : row) size = std::max(size, std::abs(static_cast<double>(e)));
  return size;
}

/// sum_n m^n / (n + shift)!: the exponential for shift 0, the left Jacobian (of m = ad) for shift 1.
template <int N>
QuadMatrix<N> exponential_series(const QuadMatrix<N>& m, int shift) {
  QuadMatrix<N> term = QuadMatrix<N>::identity(), sum = term;
  for (int n = 1; n < 75 && largest(term) > 1e-40 * largest(sum); ++n) {
    term = (Quad(1) / (n + shift)) * (term * m);
    sum += term;
  }
  return sum;
}

/// Places [u x] at (row, col).
template <int N>
void put_skew(QuadMatrix<N>& m, int row, int col, const Vector3<double>& u) {
  m.a[row][col + 1] = -Quad(u[2]), m.a[row][col + 2] = u[1], m.a[row + 1][col + 2] = -Quad(u[0]);
  m.a[row + 1][col] = u[2], m.a[row + 2][col] = -Quad(u[1]), m.a[row + 2][col + 1] = u[0];
}

inline QuadMatrix<3> quad_skew(const Vector3<double>& w) {
  QuadMatrix<3> m;
  put_skew(m, 0, 0, w);
  return m;
}
inline QuadMatrix<4> quad_twist(const Twist<double>& V) {
  QuadMatrix<4> m;
  put_skew(m, 0, 0, V.angular());
  for (int i = 0; i < 3; ++i) m.a[i][3] = V.linear()[i];
  return m;
}
inline QuadMatrix<6> quad_ad(const Twist<double>& V) {
  QuadMatrix<6> m;
  put_skew(m, 0, 0, V.angular());
  put_skew(m, 3, 3, V.angular());
  put_skew(m, 0, 3, V.linear());
  return m;
}

/// The Frobenius norms of `ours - exact` and of `exact`, over the block starting at (row, col).
struct Deviation {
  double error = 0.0, size = 0.0;
  double relative() const { return error / size; }
};
template <int Rows, int Cols, class M, int N>
Deviation deviation(const M& ours, const QuadMatrix<N>& exact, int row = 0, int col = 0) {
  double error = 0.0, size = 0.0;
  for (int i = row; i < row + Rows; ++i)
    for (int j = col; j < col + Cols; ++j) {
      const double e = static_cast<double>(Quad(ours(i, j)) - exact.a[i][j]),
                   s = static_cast<double>(exact.a[i][j]);
      error += e * e;
      size += s * s;
    }
  return {std::sqrt(error), std::sqrt(size)};
}

/// Rounded to double.
template <int N>
Matrix<double, N, N> rounded(const QuadMatrix<N>& m) {
  Matrix<double, N, N> out;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) out(i, j) = static_cast<double>(m.a[i][j]);
  return out;
}

}  // namespace amble::test
