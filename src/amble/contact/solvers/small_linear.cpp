#include "amble/contact/solvers/small_linear.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace amble {

namespace {

/// y -= a x
inline void subtract(double* __restrict y, const double* __restrict x, double a, int n) {
  for (int i = 0; i < n; ++i) y[i] -= a * x[i];
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
  for (int k = 0; k < n_; ++k) {
    double* const from = row(k);
    if (!(from[k] > 0.0) || !std::isfinite(from[k])) return false;
    inverse_[k] = 1.0 / from[k];
    for (int i = k + 1; i < n_; ++i)
      if (from[i] != 0.0) subtract(row(i) + i, from + i, from[i] * inverse_[k], n_ - i);
  }
  return true;
}

bool LinearSystem::factor_general() {
  for (int k = 0; k < n_; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n_; ++i)
      if (std::abs(row(i)[k]) > std::abs(row(pivot)[k])) pivot = i;
    if (pivot != k) std::swap_ranges(row(k), row(k) + n_, row(pivot));
    swap_[k] = pivot;
    double* const from = row(k);
    if (from[k] == 0.0 || !std::isfinite(from[k])) return false;
    inverse_[k] = 1.0 / from[k];
    for (int i = k + 1; i < n_; ++i) {
      double* const to = row(i);
      if (to[k] == 0.0) continue;
      to[k] *= inverse_[k];
      subtract(to + k + 1, from + k + 1, to[k], n_ - k - 1);
    }
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
