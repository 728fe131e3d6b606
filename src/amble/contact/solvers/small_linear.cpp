#include "amble/contact/solvers/small_linear.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace amble {

namespace {

constexpr int kPanel = 4;  // pivots at once: four rows are taken from another in one pass over it

/// y -= a x
inline void subtract(double* __restrict y, const double* __restrict x, double a, int n) {
  for (int i = 0; i < n; ++i) y[i] -= a * x[i];
}

/// y -= a[0] x + a[1] x' + ..., rows `stride` apart.
inline void subtract_panel(double* __restrict y, const double* __restrict x, std::ptrdiff_t stride, const double* a, int n) {
  const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
  const double *const x1 = x + stride, *const x2 = x1 + stride, *const x3 = x2 + stride;
  for (int i = 0; i < n; ++i) y[i] -= (a0 * x[i] + a1 * x1[i]) + (a2 * x2[i] + a3 * x3[i]);
}

}  // namespace

void LinearSystem::reserve(int size) {
  const std::size_t stride = (size + 1) & ~1;
  A_.reserve(stride * size), inverse_.reserve(size), swap_.reserve(size);
}

void LinearSystem::start(int size) {
  n_ = size, stride_ = (size + 1) & ~1;
  A_.resize(static_cast<std::size_t>(stride_) * n_), inverse_.resize(n_), swap_.resize(n_);
}

bool LinearSystem::factor(bool symmetric) {
  symmetric_ = symmetric;
  return symmetric ? factor_symmetric() : factor_general();
}

// A = R^T D R with R unit upper: row k of R times its pivot is what is left of row k.
bool LinearSystem::factor_symmetric() {
  for (int first = 0; first < n_; first += kPanel) {
    const int end = std::min(first + kPanel, n_);
    for (int k = first; k < end; ++k) {
      const double* const from = row(k);
      if (!(from[k] > 0.0) || !std::isfinite(from[k])) return false;
      inverse_[k] = 1.0 / from[k];
      for (int i = k + 1; i < end; ++i) subtract(row(i) + i, from + i, from[i] * inverse_[k], n_ - i);
    }
    for (int i = end; i < n_; ++i) {
      double share[kPanel];
      for (int k = 0; k < kPanel; ++k) share[k] = row(first + k)[i] * inverse_[first + k];
      subtract_panel(row(i) + i, row(first) + i, stride_, share, n_ - i);
    }
  }
  return true;
}

void LinearSystem::find_pivot(int k) {
  int pivot = k;
  for (int i = k + 1; i < n_; ++i)
    if (std::abs(row(i)[k]) > std::abs(row(pivot)[k])) pivot = i;
  if (pivot != k) std::swap_ranges(row(k), row(k) + n_, row(pivot));
  swap_[k] = pivot;
}

bool LinearSystem::factor_general() {
  for (int first = 0; first < n_; first += kPanel) {
    const int end = std::min(first + kPanel, n_);
    for (int k = first; k < end; ++k) {  // the columns of the panel, in all rows
      find_pivot(k);
      const double* const from = row(k);
      if (from[k] == 0.0 || !std::isfinite(from[k])) return false;
      inverse_[k] = 1.0 / from[k];
      for (int i = k + 1; i < n_; ++i) {
        double* const to = row(i);
        to[k] *= inverse_[k];
        for (int j = k + 1; j < end; ++j) to[j] -= to[k] * from[j];
      }
    }
    for (int k = first; k < end; ++k)  // what is right of it
      for (int i = k + 1; i < end; ++i) subtract(row(i) + end, row(k) + end, row(i)[k], n_ - end);
    for (int i = end; i < n_; ++i) subtract_panel(row(i) + end, row(first) + end, stride_, row(i) + first, n_ - end);
  }
  return true;
}

void LinearSystem::solve(double* x) const {
  const double* const A = A_.data();
  const std::ptrdiff_t stride = stride_;
  if (symmetric_) {
    for (int k = 0; k < n_; ++k) {
      const double share = x[k] * inverse_[k];
      subtract(x + k + 1, A + k * stride + k + 1, share, n_ - k - 1);
      x[k] = share;
    }
    for (int k = n_ - 1; k >= 0; --k) {
      double sum = 0.0;
      for (int i = k + 1; i < n_; ++i) sum += A[k * stride + i] * x[i];
      x[k] -= sum * inverse_[k];
    }
    return;
  }
  for (int k = 0; k < n_; ++k) std::swap(x[k], x[swap_[k]]);
  for (int k = 0; k < n_; ++k) {
    double sum = x[k];
    for (int i = 0; i < k; ++i) sum -= A[k * stride + i] * x[i];
    x[k] = sum;
  }
  for (int k = n_ - 1; k >= 0; --k) {
    double sum = x[k];
    for (int i = k + 1; i < n_; ++i) sum -= A[k * stride + i] * x[i];
    x[k] = sum * inverse_[k];
  }
}

}  // namespace amble
