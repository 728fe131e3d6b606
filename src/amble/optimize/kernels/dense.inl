// The body of each kernel file, which defines AMBLE_INSTRUCTIONS (a name), AMBLE_INSTRUCTIONS_NAME and
// AMBLE_LANES before including this. Such a file is compiled with the flags of its instruction set: no Eigen,
// no standard containers, everything in an anonymous namespace.

#include "amble/optimize/kernels/dense.hpp"

namespace amble::dense {
namespace {

#define AMBLE_KERNEL inline __attribute__((always_inline))

using Lanes = double __attribute__((vector_size(AMBLE_LANES * sizeof(double)), may_alias));

AMBLE_KERNEL Lanes& lanes(double* x) { return *reinterpret_cast<Lanes*>(x); }
AMBLE_KERNEL const Lanes& lanes(const double* x) { return *reinterpret_cast<const Lanes*>(x); }

using Two = double __attribute__((vector_size(16)));
AMBLE_KERNEL double sum(const Two& x) { return x[0] + x[1]; }
AMBLE_KERNEL double largest(const Two& x) { return x[0] > x[1] ? x[0] : x[1]; }
#if AMBLE_LANES >= 4
using Four = double __attribute__((vector_size(32)));
AMBLE_KERNEL double sum(const Four& x) {
  return sum(Two(__builtin_shufflevector(x, x, 0, 1) + __builtin_shufflevector(x, x, 2, 3)));
}
AMBLE_KERNEL double largest(const Four& x) {
  const Two a = __builtin_shufflevector(x, x, 0, 1), b = __builtin_shufflevector(x, x, 2, 3);
  return largest(Two(a > b ? a : b));
}
#endif
#if AMBLE_LANES >= 8
using Eight = double __attribute__((vector_size(64)));
AMBLE_KERNEL double sum(const Eight& x) {
  return sum(Four(__builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7)));
}
AMBLE_KERNEL double largest(const Eight& x) {
  const Four a = __builtin_shufflevector(x, x, 0, 1, 2, 3), b = __builtin_shufflevector(x, x, 4, 5, 6, 7);
  return largest(Four(a > b ? a : b));
}
#endif

/// Several rows at once share the loads of x and hide the latency of sums.
template <int kRows>
AMBLE_KERNEL void multiply_rows(const double* M, int stride, const double* x, int length, double* out) {
  Lanes s[kRows] = {};
  for (int k = 0; k < length; k += AMBLE_LANES) {
    const Lanes xk = lanes(x + k);
    for (int r = 0; r < kRows; ++r) s[r] += lanes(M + r * stride + k) * xk;
  }
  for (int r = 0; r < kRows; ++r) out[r] = sum(s[r]);
}

void multiply(const Rows& M, const double* x, int length, double* out) {
  int i = 0;
  for (; i + 8 <= M.count; i += 8) multiply_rows<8>(M[i], M.stride, x, length, out + i);
  for (; i + 4 <= M.count; i += 4) multiply_rows<4>(M[i], M.stride, x, length, out + i);
  for (; i < M.count; ++i) multiply_rows<1>(M[i], M.stride, x, length, out + i);
}

/// A strip of y stays in registers while the rows pass.
template <int kWide>
AMBLE_KERNEL void add_strip(const Rows& M, const double* c, int at, double* y) {
  Lanes s[kWide];
  for (int w = 0; w < kWide; ++w) s[w] = lanes(y + at + w * AMBLE_LANES);
  const double* row = M.data + at;
  for (int i = 0; i < M.count; ++i, row += M.stride)
    for (int w = 0; w < kWide; ++w) s[w] += c[i] * lanes(row + w * AMBLE_LANES);
  for (int w = 0; w < kWide; ++w) lanes(y + at + w * AMBLE_LANES) = s[w];
}

void add_rows(const Rows& M, const double* c, int length, double* y) {
  int at = 0;
  for (; at + 8 * AMBLE_LANES <= length; at += 8 * AMBLE_LANES) add_strip<8>(M, c, at, y);
  for (; at + 4 * AMBLE_LANES <= length; at += 4 * AMBLE_LANES) add_strip<4>(M, c, at, y);
  for (; at + 2 * AMBLE_LANES <= length; at += 2 * AMBLE_LANES) add_strip<2>(M, c, at, y);
  for (; at < length; at += AMBLE_LANES) add_strip<1>(M, c, at, y);
}

/// A strip of x stays in registers while the rows pass.
template <int kWide>
AMBLE_KERNEL void add_to_strip(const Rows& M, const double* c, const double* x, int at) {
  Lanes xs[kWide];
  for (int w = 0; w < kWide; ++w) xs[w] = lanes(x + at + w * AMBLE_LANES);
  double* row = M.data + at;
  for (int i = 0; i < M.count; ++i, row += M.stride)
    for (int w = 0; w < kWide; ++w) lanes(row + w * AMBLE_LANES) += c[i] * xs[w];
}

void add_to_rows(const Rows& M, const double* c, const double* x, int length) {
  int at = 0;
  for (; at + 8 * AMBLE_LANES <= length; at += 8 * AMBLE_LANES) add_to_strip<8>(M, c, x, at);
  for (; at + 4 * AMBLE_LANES <= length; at += 4 * AMBLE_LANES) add_to_strip<4>(M, c, x, at);
  for (; at + 2 * AMBLE_LANES <= length; at += 2 * AMBLE_LANES) add_to_strip<2>(M, c, x, at);
  for (; at < length; at += AMBLE_LANES) add_to_strip<1>(M, c, x, at);
}

void rotate(double* a, double* b, double c, double s, int length) {
  for (int k = 0; k < length; k += AMBLE_LANES) {
    const Lanes ak = lanes(a + k), bk = lanes(b + k);
    lanes(a + k) = c * ak + s * bk;
    lanes(b + k) = c * bk - s * ak;
  }
}

double times(double* x, double c, int length) {
  Lanes squares = {};
  for (int k = 0; k < length; k += AMBLE_LANES) {
    const Lanes xk = c * lanes(x + k);
    lanes(x + k) = xk;
    squares += xk * xk;
  }
  return sum(squares);
}

double scale(const double* x, const double* y, double c, int n, double* out) {
  Lanes most = {}, check = {};
  int k = 0;
  for (; k + AMBLE_LANES <= n; k += AMBLE_LANES) {
    Lanes xk;
    __builtin_memcpy(&xk, x + k, sizeof xk);  // x lies anywhere
    const Lanes z = xk * lanes(y + k) * c, size = z < 0.0 ? -z : z;
    check += xk * 0.0;  // NaN from what is not finite
    most = size > most ? size : most;
    lanes(out + k) = z;
  }
  double result = largest(most), rest = sum(check);
  for (; k < n; ++k) {
    const double z = x[k] * y[k] * c, size = z < 0.0 ? -z : z;
    rest += x[k] * 0.0;
    result = size > result ? size : result;
    out[k] = z;
  }
  return result + rest;
}

constexpr DenseKernels kTable{AMBLE_INSTRUCTIONS_NAME, multiply, add_rows, add_to_rows, rotate, times, scale};

}  // namespace

const DenseKernels& AMBLE_INSTRUCTIONS() { return kTable; }

}  // namespace amble::dense
