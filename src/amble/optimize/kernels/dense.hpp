#pragma once

// Inner loops of dense solvers on rows of numbers. A row starts at a cache line and is padded with zeros to
// whole lines: `length` is always a multiple of kDenseLine, so that no loop has a remainder.
namespace amble::dense {

inline constexpr int kDenseLine = 8;
constexpr int padded(int length) { return (length + kDenseLine - 1) / kDenseLine * kDenseLine; }

/// `count` rows, `stride` numbers apart.
struct Rows {
  double* data = nullptr;
  int stride = 0;
  int count = 0;

  double* operator[](int i) const { return data + static_cast<long>(i) * stride; }
  Rows from(int first) const { return {(*this)[first], stride, count - first}; }
  Rows first(int n) const { return {data, stride, n}; }
};

struct DenseKernels {
  const char* name;
  /// out[i] = M_i . x
  void (*multiply)(const Rows& M, const double* x, int length, double* out);
  /// y += sum_i c[i] M_i
  void (*add_rows)(const Rows& M, const double* c, int length, double* y);
  /// M_i += c[i] x
  void (*add_to_rows)(const Rows& M, const double* c, const double* x, int length);
  /// (a, b) <- (c a + s b, c b - s a)
  void (*rotate)(double* a, double* b, double c, double s, int length);
  /// x *= c; returns the sum of squares.
  double (*times)(double* x, double c, int length);
  /// out = c x y, number by number, for n of them; x may lie anywhere. Returns the largest |out|, or NaN
  /// when a number of x is not finite.
  double (*scale)(const double* x, const double* y, double c, int n, double* out);
};

const DenseKernels& dense_kernels();

// One per instruction set.
const DenseKernels& dense_baseline();
const DenseKernels& dense_avx2();
const DenseKernels& dense_avx512();

}  // namespace amble::dense
